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

/**
 * All kinds of records in stores, by the first part of their keys, and of the file of tokens. Raise `format` when a change would make an earlier
 * release misread a record, and teach `decode` the earlier format. `docs/concepts/storage.md` lists all kinds.
 */
export const RECORD_KINDS: Readonly<Record<string, RecordKind>> = {
  'audit.anchor': { format: 1 },
  change: { format: 1 },
  chunk: { format: 1, hasOwnKeys: true },
  'config.trust': { format: 1 },
  dpop: { format: 1 },
  'file.tokens': { format: 1 },
  'issuer.asking': { format: 1 },
  'issuer.assertion': { format: 1 },
  'issuer.client': { format: 1 },
  'issuer.code': { format: 1 },
  'issuer.family': { format: 1 },
  'issuer.flow': { format: 1 },
  'issuer.signing-keys': { format: 1 },
  'issuer.upstream': { format: 1 },
  journal: { format: 1, hasOwnKeys: true },
  lease: { format: 1, hasOwnKeys: true },
  mail: { format: 1, hasOwnKeys: true },
  'policy.question': { format: 1 },
  'policy.remembered': { format: 1 },
  'policy.reserved': { format: 1, hasOwnKeys: true },
  replica: { format: 1, hasOwnKeys: true },
  retry: { format: 1 },
  'retry-holder': { format: 1, hasOwnKeys: true },
  'retry-mail': { format: 1, hasOwnKeys: true },
  'retry-reply': { format: 1, hasOwnKeys: true, isSequence: true },
  session: { format: 1, hasOwnKeys: true, isSequence: true },
  'seal-check': { format: 1 },
  spill: { format: 1, hasOwnKeys: true },
  'spill-ledger': { format: 1 },
  stream: { format: 1, hasOwnKeys: true },
  task: { format: 1, hasOwnKeys: true },
  'task-log': { format: 1, hasOwnKeys: true, isSequence: true },
  'task-of': { format: 1, hasOwnKeys: true },
  'task-open': { format: 1, hasOwnKeys: true },
  token: { format: 1 },
  'token-lease': { format: 1 },
  upstream: { format: 1 },
};

/** Returns the kind of a key or topic. */
export function getRecordKind(key: string): string {
  const [first = '', second] = String(key).split('/', 2);
  const both = `${first}.${second}`;
  return Object.hasOwn(RECORD_KINDS, both) ? both : first;
}

/** Kind of records that are not the library's. Calls for them stay single calls of the store. */
const OTHER_KIND: RecordKind = { format: FIRST_FORMAT, hasOwnKeys: true };

export function findRecordKind(key: string): RecordKind {
  return RECORD_KINDS[getRecordKind(key)] ?? OTHER_KIND;
}
