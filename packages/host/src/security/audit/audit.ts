import {
  type Clock,
  checkFunction,
  checkObject,
  requireArgument,
  type Signer,
  systemClock,
  TenonError,
} from '@tenon/base';
import { type AuditAnchor, isReplicaName } from './audit-anchor.js';
import { createAuditChain } from './audit-chain.js';
import { type AuditContentOptions, createAuditContent } from './audit-content.js';
import type { AuditEvent, AuditHead } from './audit-event.js';
import { type AuditLine, createAuditSigner, parseAuditLine } from './audit-line.js';
import type { AuditSink } from './audit-sink.js';

declare const crypto: { randomUUID(): string };

/** Version of the log format. */
const AUDIT_FORMAT = 1;
/** Default maximum number of events that wait to be written. */
export const MAX_PENDING = 10_000;

/** Options of `createAudit`. */
export interface AuditOptions extends AuditSink, AuditContentOptions {
  /**
   * Clock, for tests.
   * @default the clock of the system
   */
  readonly clock?: Clock | undefined;
  /**
   * Key of at least 16 bytes that signs each line with an HMAC. An attacker who can write to the log but does not
   * have the key cannot forge lines. A log must have the same key from its beginning to its end.
   * @default no HMACs
   */
  readonly key?: string | Uint8Array | undefined;
  /**
   * Maximum number of events that wait to be written.
   * @default 10,000
   */
  readonly maxPending?: number | undefined;
  /**
   * Name of the replica that writes the log, in each of its lines: 1 to 128 letters, digits, "_", "." and "-". Use it
   * for one log only. A log that exists keeps its name.
   * @default no name, and the log cannot be verified together with those of other replicas
   */
  readonly replica?: string | undefined;
}

/** Append-only audit log. Each line contains the hash of the previous one. */
export interface Audit {
  /**
   * Records an event. Resolves with its position when it is stored. Events are recorded in the order of the calls.
   *
   * Do not execute the action if this rejects.
   * @throws TenonError `audit/overloaded` when too many events wait, `audit/failed` after the first line that could not
   * be stored. A log of `openAudit` then tries to continue, at most once per second.
   */
  write(event: AuditEvent): Promise<AuditHead>;
  /** Position of the last line that was passed to the sink. */
  readonly head: AuditHead;
  /** Name of the replica that writes the log. Absent for a log without a name. */
  readonly replica?: string | undefined;
  /** Records positions in the logs of other replicas. Resolves with the position of the new line when it is stored. */
  recordAnchors(anchors: readonly AuditAnchor[]): Promise<AuditHead>;
  /** Resolves when all previous events are stored or have failed. */
  flush(): Promise<void>;
}

/**
 * Opens an audit log after its last line. First records how the log begins or continues, and incomplete lines that it
 * found.
 * @throws TenonError `audit/broken` when the last line is invalid, `audit/wrong-key` when the log has another key,
 * `audit/weak-key` when the key is too short, `audit/replica` when the name of the replica is invalid.
 */
export async function createAudit(options: AuditOptions): Promise<Audit> {
  requireArgument('the object with the options of createAudit', options, checkObject({ append: checkFunction }));
  const { clock = systemClock, maxPending = MAX_PENDING, last, torn } = options;
  const signer = options.key === undefined ? undefined : createAuditSigner(options.key);
  const previous = last === undefined ? undefined : await verifyLastLine(last, signer);
  const replica = chooseReplica(options.replica, previous);
  const chain = createAuditChain(options, { clock, signer, previous, replica });
  if (previous === undefined) await chain.add({ record: 'begun', format: AUDIT_FORMAT, id: crypto.randomUUID() });
  if (previous?.content.record === 'turned') await chain.add({ record: 'continued', in: previous.content.to });
  if (torn !== undefined) await chain.add({ record: 'torn', ...torn });

  let pending = 0;
  return {
    get head() {
      return chain.head;
    },
    replica,
    recordAnchors: anchors =>
      chain.record({ record: 'anchored', anchors: anchors.map(({ replica, seq, hash }) => ({ replica, seq, hash })) }),
    flush: () => chain.flush(),
    async write(event) {
      if (pending >= maxPending) {
        throw new TenonError('audit/overloaded', 'too many audit events are waiting', {
          expected: `at most ${maxPending} events`,
          hint: 'wait for earlier writes to complete',
        });
      }
      pending += 1;
      try {
        return await chain.record(createAuditContent(event, options));
      } finally {
        pending -= 1;
      }
    },
  };
}

/** Returns the name of the replica: that of the last line, else the given one. */
function chooseReplica(given: string | undefined, previous: AuditLine | undefined): string | undefined {
  if (given !== undefined && !isReplicaName(given))
    throw new TenonError('audit/replica', 'invalid name of a replica', {
      expected: '1 to 128 letters, digits, "_", "." and "-"',
    });
  const known = previous?.content.replica;
  return isReplicaName(known) ? known : given;
}

async function verifyLastLine(last: string, signer: Signer | undefined): Promise<AuditLine> {
  const line = parseAuditLine(last);
  if (typeof line === 'string') {
    throw new TenonError('audit/broken', `the last line of the audit record is invalid: ${line}`, {
      hint: 'keep the record unchanged, run `tenon audit verify`, and start a new record in another file',
    });
  }
  const { mac } = line;
  const fits = mac === undefined || signer === undefined ? mac === signer : await signer.verify(mac.of, mac.value);
  if (fits) return line;
  throw new TenonError('audit/wrong-key', 'wrong key for the audit record', {
    expected: mac === undefined ? 'no key' : 'the key of the first line',
    hint: 'pass the original key, or start a new record in another file',
  });
}
