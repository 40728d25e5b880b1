import { type Clock, systemClock } from '../../../cancellation/clock.js';
import type { Signer } from '../../../encoding/hmac.js';
import { TenonError } from '../../../jsonrpc/error.js';
import type { JsonObject } from '../../../jsonrpc/message.js';
import { type AuditContentOptions, createAuditContent } from './audit-content.js';
import type { AuditEvent, AuditHead } from './audit-event.js';
import { type AuditLine, createAuditLine, createAuditSigner, NO_PREVIOUS, parseAuditLine } from './audit-line.js';
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
}

/** Append-only audit log. Each line contains the hash of the previous one. */
export interface Audit {
  /**
   * Records an event. Resolves with its position when it is stored. Events are recorded in the order of the calls.
   *
   * Do not execute the action if this rejects.
   * @throws TenonError `audit/overloaded` when too many events wait, `audit/failed` after the first line that could not
   * be stored.
   */
  write(event: AuditEvent): Promise<AuditHead>;
  /** Position of the last line that was passed to the sink. */
  readonly head: AuditHead;
  /** Resolves when all previous events are stored or have failed. */
  flush(): Promise<void>;
}

/**
 * Opens an audit log after its last line. First records how the log begins or continues, and incomplete lines that it
 * found.
 * @throws TenonError `audit/broken` when the last line is invalid, `audit/wrong-key` when the log has another key,
 * `audit/weak-key` when the key is too short.
 */
export async function createAudit(options: AuditOptions): Promise<Audit> {
  const { clock = systemClock, maxPending = MAX_PENDING, last, torn } = options;
  const signer = options.key === undefined ? undefined : createAuditSigner(options.key);
  const previous = last === undefined ? undefined : await verifyLastLine(last, signer);
  const chain = createChain(options, { clock, signer, previous });
  if (previous === undefined) await chain.add({ record: 'begun', format: AUDIT_FORMAT, id: crypto.randomUUID() });
  if (previous?.content.record === 'turned') await chain.add({ record: 'continued', in: previous.content.to });
  if (torn !== undefined) await chain.add({ record: 'torn', ...torn });

  let pending = 0;
  return {
    get head() {
      return chain.head;
    },
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

interface ChainOptions {
  readonly clock: Clock;
  readonly signer: Signer | undefined;
  readonly previous: AuditLine | undefined;
}

/** Creates lines one after another. Passes each one to the sink without waiting for the previous one to be stored. */
function createChain(sink: AuditSink, { clock, signer, previous }: ChainOptions) {
  let head: AuditHead = previous ?? { seq: -1, hash: NO_PREVIOUS };
  let last: Promise<unknown> = Promise.resolve();
  let lastStored: Promise<unknown> = Promise.resolve();
  let failure: unknown;

  async function appendLine(content: JsonObject): Promise<{ kept: Promise<void>; place: AuditHead }> {
    const seq = head.seq + 1;
    const time = new Date(clock.now()).toISOString();
    const { line, hash } = await createAuditLine({ ...content, seq, time, prev: head.hash }, signer);
    if (failure !== undefined) throw failure;
    const place = { seq, hash };
    head = place;
    const kept = sink.append(line).catch(error => {
      failure ??= createWriteError(error);
      throw failure;
    });
    kept.catch(() => {});
    lastStored = kept;
    return { kept, place };
  }

  async function rotateWhenFull(): Promise<void> {
    const to = sink.getFullReason?.();
    if (to === undefined) return;
    await appendLine({ record: 'turned', to });
    const dropped = sink.rotate?.(to, { seq: head.seq + 1, prev: head.hash });
    await appendLine({ record: 'continued', in: to, dropped });
  }

  /** Creates lines in the order of the calls. Resolves when the line is stored. */
  async function runInOrder(createLine: () => ReturnType<typeof appendLine>): Promise<AuditHead> {
    const appended = last.then(createLine);
    last = appended.catch(() => {});
    const { kept, place } = await appended;
    await kept;
    return place;
  }

  return {
    add: (content: JsonObject) => runInOrder(() => appendLine(content)),
    record: (content: JsonObject) =>
      runInOrder(async () => {
        await rotateWhenFull();
        return appendLine(content);
      }),
    async flush() {
      await last;
      // Lines are stored in order, so the last one is sufficient.
      await lastStored.catch(() => {});
    },
    get head() {
      return head;
    },
  };
}

function createWriteError(cause: unknown): TenonError {
  return TenonError.is(cause) && cause.code.startsWith('audit/')
    ? cause
    : new TenonError('audit/failed', 'cannot write the audit record', {
        hint: 'check the storage and open the record again, because nothing is recorded until then',
        cause,
      });
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
