import { type Check, describeMismatch, isObject, requireArgument, requireKnownOptions, type Signer } from '@tenon/base';
import { type AuditAnchor, isReplicaName, readAnchors } from './audit-anchor.js';
import type { AuditHead } from './audit-event.js';
import { type AuditLine, createAuditSigner, NO_PREVIOUS, parseAuditLine } from './audit-line.js';
import { listUnproven } from './list-unproven.js';
import { splitLines } from './split-lines.js';

/** Options of `verifyAudit`. */
export interface AuditVerifyOptions {
  /**
   * Key of the audit log.
   * @default none, and the HMACs are not verified
   */
  readonly key?: string | Uint8Array | undefined;
  /**
   * Positions that were stored in another place. The log must contain them.
   * @default none
   */
  readonly through?: AuditHead | readonly AuditHead[] | undefined;
  /**
   * Called for each position in the log of another replica that a line contains.
   * @default none
   */
  readonly onAnchor?: ((anchor: AuditAnchor) => void) | undefined;
}

const checkAsyncIterable: Check = value =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value
    ? undefined
    : describeMismatch('an async iterable of chunks', value);

/** Result of `verifyAudit`. */
export interface AuditVerification {
  /** True if the log is intact. */
  readonly ok: boolean;
  /** Number of valid lines: all, or those before the finding. */
  readonly lines: number;
  /**
   * Position of the last valid line. Store it in another place, because the log itself cannot show that lines at its
   * end are missing.
   */
  readonly head: AuditHead | undefined;
  /** Name of the replica that wrote the log. Absent for a log without a name. */
  readonly replica?: string | undefined;
  /** Finding, if the log is not intact. */
  readonly finding?: AuditFinding;
  /**
   * Length of an incomplete last line, in bytes. It is still being written, or its writer has crashed. It is not
   * verified.
   */
  readonly torn: number;
  /** Properties that this verification cannot prove, in plain text. */
  readonly unshown: readonly string[];
}

/** First finding of the verification of an audit log. */
export interface AuditFinding {
  /** Line number, over all files. The first one is 1. */
  readonly line: number;
  /** Description in plain text. */
  readonly what: string;
}

/**
 * Verifies an audit log from its beginning to its end, over all its files in order, with constant memory.
 *
 * @param source Lines, or bytes.
 */
export async function verifyAudit(
  source: AsyncIterable<string | Uint8Array>,
  options: AuditVerifyOptions = {},
): Promise<AuditVerification> {
  requireKnownOptions('verifyAudit', options, { key: true, through: true, onAnchor: true });
  requireArgument('`source` of verifyAudit', source, checkAsyncIterable);
  const { key, through = [], onAnchor } = options;
  const signer = key === undefined ? undefined : createAuditSigner(key);
  const positions = [through].flat();
  const walk = createVerifier(signer, positions, onAnchor);
  let torn = 0;
  for await (const piece of splitLines(source)) {
    if ('rest' in piece) torn = piece.rest;
    else if (!(await walk.step(piece.line))) break;
  }
  return { ...walk.end(torn), torn };
}

function createVerifier(
  signer: Signer | undefined,
  positions: readonly AuditHead[],
  onAnchor: (anchor: AuditAnchor) => void = () => {},
) {
  const hashes = new Map<number, string[]>();
  for (const { seq, hash } of positions) hashes.set(seq, [...(hashes.get(seq) ?? []), hash]);
  const through = positions.reduce<AuditHead | undefined>(
    (last, each) => (last && last.seq > each.seq ? last : each),
    undefined,
  );
  let replica: string | undefined;
  let [lines, first, last] = [0, undefined as AuditLine | undefined, undefined as AuditLine | undefined];
  let finding: AuditFinding | undefined;
  let [beginsLater, passed] = [false, false];

  const setFinding = (what: string, line = lines + 1) => {
    finding ??= { line, what };
    return false;
  };

  return {
    /** Verifies one line. Returns true if it is valid. */
    async step(text: string): Promise<boolean> {
      const line = parseAuditLine(text);
      if (typeof line === 'string') return setFinding(line);
      const wrong = (last ? checkChain(last, line) : checkStart(line)) ?? (await checkKey(line, last, signer));
      if (wrong !== undefined) return setFinding(wrong);
      if (hashes.get(line.seq)?.some(hash => hash !== line.hash))
        return setFinding('it differs from the stored head: the record was rewritten');
      if (through?.seq === line.seq) passed = true;
      const { replica: name } = line.content;
      if (isReplicaName(name)) {
        if (replica !== undefined && replica !== name) return setFinding(`it belongs to the replica ${name}`);
        replica = name;
      }
      for (const anchor of readAnchors(line.content)) onAnchor(anchor);
      if (last === undefined) [first, beginsLater] = [line, line.seq > 0];
      if (first && beginsLater && isDropRecord(line, first)) beginsLater = false;
      last = line;
      lines += 1;
      return true;
    },
    end(torn: number): Omit<AuditVerification, 'torn'> {
      // The first line is written before any event, so it may be incomplete but not missing.
      if (last === undefined && torn === 0) setFinding('the record is empty: its first line is missing');
      const start = first?.seq ?? 0;
      if (beginsLater)
        setFinding(`the lines before number ${start} are missing, and no line records that they were dropped`, 1);
      const lost = through && !passed && through.seq >= start;
      if (lost)
        setFinding(`the record ends before line number ${through.seq}, which was stored: lines at its end are missing`);
      const head = last && { seq: last.seq, hash: last.hash };
      const unshown = listUnproven(last, { signer, through, start, passed });
      return { ok: finding === undefined, lines, head, replica, unshown, ...(finding && { finding }) };
    },
  };
}

function checkStart({ seq, prev, content: { record } }: AuditLine): string | undefined {
  if (seq === 0) return record === 'begun' && prev === NO_PREVIOUS ? undefined : 'it is not a valid first line';
  return record === 'continued' ? undefined : `${seq} lines before it are missing`;
}

function checkChain(last: AuditLine, { seq, prev, content: { record, in: place } }: AuditLine): string | undefined {
  const due = last.seq + 1;
  if (seq > due) return `lines are missing before it: expected number ${due}, got ${seq}`;
  if (seq < due) return `it is in the wrong place, or repeated: expected number ${due}, got ${seq}`;
  if (prev !== last.hash) return 'its hash does not match the line before: one of them was rewritten';
  const turned = last.content.record === 'turned';
  if (turned !== (record === 'continued') || (turned && place !== last.content.to)) {
    return 'it is not in the file that the line before names';
  }
  return record === 'begun' ? 'a record begins inside another' : undefined;
}

async function checkKey(line: AuditLine, last: AuditLine | undefined, signer: Signer | undefined) {
  const { mac } = line;
  if (last && (last.mac === undefined) !== (mac === undefined)) return 'only one of two consecutive lines has an HMAC';
  if (signer === undefined) return undefined;
  if (mac === undefined) return 'it has no HMAC: it was written without a key';
  return (await signer.verify(mac.of, mac.value)) ? undefined : 'its HMAC was made with another key';
}

/** Tells if a line records that the log begins after dropped lines. */
function isDropRecord({ content: { record, dropped } }: AuditLine, { seq, prev }: AuditLine): boolean {
  return record === 'continued' && isObject(dropped) && dropped.seq === seq && dropped.prev === prev;
}
