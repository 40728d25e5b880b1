/** Groups of the official suite in which the library differs from it, with the reason. */
export interface UnsupportedGroups {
  readonly reason: string;
  /** `cannot judge` where the schema is refused for every value that reaches the part in question. */
  readonly outcome: 'cannot judge' | 'differs';
  /** Files, with the groups that are meant; all groups where none is named. */
  readonly files: { readonly [file: string]: readonly string[] | 'all' };
}

const METASCHEMA = 'validate definition against metaschema';

export const UNSUPPORTED: readonly UnsupportedGroups[] = [
  {
    reason: 'other documents are never fetched',
    outcome: 'cannot judge',
    files: {
      refRemote: 'all',
      definitions: [METASCHEMA],
      defs: [METASCHEMA],
      ref: ['remote ref, containing refs itself'],
      dynamicRef: [
        '$ref and $dynamicAnchor are independent of order - $defs first',
        '$ref and $dynamicAnchor are independent of order - $ref first',
        '$ref to $dynamicRef finds detached $dynamicAnchor',
        'strict-tree schema, guards against misspelled properties',
        'tests for implementation dynamic anchor and reference link',
      ],
      'optional/cross-draft': 'all',
    },
  },
  {
    reason: 'vocabularies of other meta-schemas are not supported',
    outcome: 'cannot judge',
    files: {
      vocabulary: 'all',
      'optional/format-assertion': 'all',
    },
  },
  {
    reason: 'known formats are checked in every dialect',
    outcome: 'differs',
    files: { format: 'all' },
  },
  {
    reason: 'content is an annotation',
    outcome: 'differs',
    files: { 'optional/content': 'all' },
  },
  {
    reason: 'host names are checked by their characters, not by the rules of their Punycode',
    outcome: 'differs',
    files: { 'optional/format/hostname': ['validation of A-label (punycode) host names'] },
  },
];

/** Finds the reason why a group is not supported. Undefined when it is. */
export function findUnsupported(file: string, group: string): UnsupportedGroups | undefined {
  return UNSUPPORTED.find(({ files }) => files[file] === 'all' || files[file]?.includes(group));
}
