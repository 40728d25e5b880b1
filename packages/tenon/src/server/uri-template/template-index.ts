/** Entries whose keys are URI templates. */
type TemplateEntries<D> = readonly (readonly [key: string, definition: D])[];

/** Positions of templates by the text that their URIs begin with. */
interface TemplateIndex {
  readonly byPrefix: ReadonlyMap<string, readonly number[]>;
  readonly lengths: ReadonlySet<number>;
}

const indexes = new WeakMap<TemplateEntries<unknown>, TemplateIndex>();

/**
 * Selects the templates that can match a URI by the text before their first expression, in their order. The index of a
 * list is made once.
 */
export function selectTemplates<D>(entries: TemplateEntries<D>, uri: string): TemplateEntries<D> {
  let index = indexes.get(entries);
  if (index === undefined) {
    index = createIndex(entries);
    indexes.set(entries, index);
  }
  const positions: number[] = [];
  for (const length of index.lengths) {
    if (length > uri.length) continue;
    for (const position of index.byPrefix.get(uri.slice(0, length)) ?? []) positions.push(position);
  }
  return positions.sort((a, b) => a - b).map(position => entries[position] as TemplateEntries<D>[number]);
}

function createIndex(entries: TemplateEntries<unknown>): TemplateIndex {
  const byPrefix = new Map<string, number[]>();
  const lengths = new Set<number>();
  for (const [position, [key]] of entries.entries()) {
    const text = key.split('{', 1)[0] ?? '';
    // Text with other characters has several encodings, so URIs need not begin with it.
    const prefix = /^[\w.~:/?#[\]@!$&'()*+,;=-]*$/.test(text) ? text : '';
    const positions = byPrefix.get(prefix);
    if (positions === undefined) byPrefix.set(prefix, [position]);
    else positions.push(position);
    lengths.add(prefix.length);
  }
  return { byPrefix, lengths };
}
