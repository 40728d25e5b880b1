/** Format of records that have no version: those of 0.1.0. */
export const FIRST_FORMAT = 1;

interface RecordKind {
  /** Format version that this release reads and writes. */
  readonly format: number;
  /** True if each key contains a new random id of its writer, so that no other release can have written the key. */
  readonly hasOwnKeys?: true;
  /** True if records of one prefix are one sequence. A list of them fails if one is unknown, because none may be missing. */
  readonly isSequence?: true;
}

const SHARED_KEYS: RecordKind = { format: FIRST_FORMAT };
const OWN_KEYS: RecordKind = { format: FIRST_FORMAT, hasOwnKeys: true };
const SEQUENCE: RecordKind = { format: FIRST_FORMAT, hasOwnKeys: true, isSequence: true };

/**
 * All kinds of records in stores, by the first part of their keys, and of the file of tokens. Give a kind a `format` of its own when a change
 * would make an earlier release misread a record, and teach `decode` the earlier format. 0.1.0 does not look at formats, so a record
 * that it would misread gets another kind. `docs/concepts/storage.md` lists all kinds.
 */
export const RECORD_KINDS: Readonly<Record<string, RecordKind>> = Object.fromEntries(
  [
    [
      SHARED_KEYS,
      'audit.anchor change config.trust dpop file.tokens issuer.asking issuer.assertion issuer.client ' +
        'issuer.code issuer.family issuer.flow issuer.signing-keys issuer.upstream policy.question ' +
        'policy.remembered program retry seal-check spill-ledger token token-lease upstream',
    ] as const,
    [
      OWN_KEYS,
      'chunk input-request journal lease mail policy.reserved replica retry-holder retry-mail spill stream task task-of ' +
        'task-open',
    ] as const,
    [SEQUENCE, 'program-step retry-reply session task-log'] as const,
  ].flatMap(([kind, names]) => names.split(' ').map(name => [name, kind])),
);

/** Returns the kind of a key or topic. */
export function getRecordKind(key: string): string {
  const [first = '', second] = String(key).split('/', 2);
  const both = `${first}.${second}`;
  return Object.hasOwn(RECORD_KINDS, both) ? both : first;
}

/** Finds the kind of a record. Calls for records that are not the library's stay single calls of the store. */
export function findRecordKind(key: string): RecordKind {
  return RECORD_KINDS[getRecordKind(key)] ?? OWN_KEYS;
}
