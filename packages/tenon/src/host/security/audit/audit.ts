import { type Clock, systemClock } from '../../../cancellation/clock.js';
import type { Signer } from '../../../encoding/hmac.js';
import { TenonError } from '../../../jsonrpc/error.js';
import type { JsonObject } from '../../../jsonrpc/message.js';
import { type AuditContentOptions, createAuditContent } from './audit-content.js';
import type { AuditEvent, AuditHead } from './audit-event.js';
import { type AuditLine, createAuditLine, createAuditSigner, NO_PREVIOUS, parseAuditLine } from './audit-line.js';
import type { AuditSink } from './audit-sink.js';

declare const crypto: { randomUUID(): string };

/** The form of the record that is written here. */
const AUDIT_FORMAT = 1;
/** Maximum number of events that wait to be written. */
export const MAX_PENDING = 10_000;

/** Options of an audit log. */
export interface AuditOptions extends AuditSink, AuditContentOptions {
  /** Source of time, for tests. Default: the system clock. */
  readonly clock?: Clock | undefined;
  /**
   * Makes each line with an HMAC of its own, so that who can write all of the record, and has not the key, cannot make
   * another. At least 16 bytes. A record is kept with one key from its beginning to its end.
   */
  readonly key?: string | Uint8Array | undefined;
  /** Maximum number of events that wait to be written. Default 10,000. */
  readonly maxPending?: number | undefined;
}

/** A record of what was done, to which lines are only added, each bound to the one before. */
export interface Audit {
  /**
   * Records an event, and resolves when it is kept, with its place. Events are recorded in the order of the calls. Rejects
   * with `audit/overloaded` when too many wait and with `audit/failed` from the first line on that could not be kept: then
   * what is to be recorded must not be done.
   */
  write(event: AuditEvent): Promise<AuditHead>;
  /** The last line that was handed over to be kept. */
  readonly head: AuditHead;
  /** Resolves when all events until now are kept, or will not be. */
  flush(): Promise<void>;
}

/**
 * Opens an audit log after its last entry. It first records how the log begins or continues, and incomplete entries
 * that it found.
 *
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

/** Makes lines one after another, and hands each over without waiting for the one before to be kept. */
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

  /** Hands over one after another, and resolves when it is kept. */
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
      // Lines are kept in their order.
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
