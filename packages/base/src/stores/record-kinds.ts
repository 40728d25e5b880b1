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
 * would make an earlier release misread a record, and teach `decode` the earlier format. `docs/concepts/storage.md` lists all kinds.
 */
export const RECORD_KINDS: Readonly<Record<string, RecordKind>> = {
  'audit.anchor': SHARED_KEYS,
  change: SHARED_KEYS,
  chunk: OWN_KEYS,
  'config.trust': SHARED_KEYS,
  dpop: SHARED_KEYS,
  'file.tokens': SHARED_KEYS,
  'issuer.asking': SHARED_KEYS,
  'issuer.assertion': SHARED_KEYS,
  'issuer.client': SHARED_KEYS,
  'issuer.code': SHARED_KEYS,
  'issuer.family': SHARED_KEYS,
  'issuer.flow': SHARED_KEYS,
  'issuer.signing-keys': SHARED_KEYS,
  'issuer.upstream': SHARED_KEYS,
  journal: OWN_KEYS,
  lease: OWN_KEYS,
  mail: OWN_KEYS,
  'policy.question': SHARED_KEYS,
  'policy.remembered': SHARED_KEYS,
  'policy.reserved': OWN_KEYS,
  replica: OWN_KEYS,
  retry: SHARED_KEYS,
  'retry-holder': OWN_KEYS,
  'retry-mail': OWN_KEYS,
  'retry-reply': SEQUENCE,
  session: SEQUENCE,
  'seal-check': SHARED_KEYS,
  spill: OWN_KEYS,
  'spill-ledger': SHARED_KEYS,
  stream: OWN_KEYS,
  task: OWN_KEYS,
  'task-log': SEQUENCE,
  'task-of': OWN_KEYS,
  'task-open': OWN_KEYS,
  token: SHARED_KEYS,
  'token-lease': SHARED_KEYS,
  upstream: SHARED_KEYS,
};

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
