import type { Signer } from '../../auth/resource/digest.js';
import { type Clock, systemClock } from '../../jsonrpc/clock.js';
import { TenonError } from '../../jsonrpc/error.js';
import type { JsonObject } from '../../jsonrpc/message.js';
import { type ContentOptions, contentOf, type Digest } from './content.js';
import type { AuditEvent, AuditHead } from './event.js';
import { type AuditLine, lineOf, NOTHING_BEFORE, readLine, signerOf } from './line.js';
import type { AuditSink } from './sink.js';

declare const crypto: { randomUUID(): string };

/** The form of the record that is written here. */
const AUDIT_FORMAT = 1;
/** How many events may wait to be kept. */
export const MAX_WAITING = 10_000;

export interface AuditOptions extends AuditSink, ContentOptions {
  readonly clock?: Clock | undefined;
  /**
   * Makes each line with an HMAC of its own, so that who can write all of the record, and has not the key, can not make
   * another. At least 16 bytes. A record is kept with one key from its beginning to its end.
   */
  readonly key?: string | Uint8Array | undefined;
  /** How many events may wait to be kept. Default `MAX_WAITING`. */
  readonly maxWaiting?: number | undefined;
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
  settled(): Promise<void>;
}

/**
 * Opens a record, after its last line when there is one. What it writes first: how the record begins or that it goes on
 * in another file, and what was found half written. Rejects with `audit/broken` when the last line is none,
 * `audit/wrong-key` when the record has another key, or none, or has one and none is given, and `audit/weak-key`.
 */
export async function createAudit(options: AuditOptions): Promise<Audit> {
  const { clock = systemClock, maxWaiting = MAX_WAITING, last, torn } = options;
  const signer = options.key === undefined ? undefined : signerOf(options.key);
  const before = last === undefined ? undefined : await believed(last, signer);
  const chain = createChain(options, { clock, signer, before, digest: options.digest });
  if (before === undefined) await chain.add({ record: 'begun', format: AUDIT_FORMAT, id: crypto.randomUUID() });
  if (before?.content.record === 'turned') await chain.add({ record: 'continued', in: before.content.to });
  if (torn !== undefined) await chain.add({ record: 'torn', ...torn });

  let waiting = 0;
  return {
    get head() {
      return chain.head;
    },
    settled: () => chain.settled(),
    async write(event) {
      if (waiting >= maxWaiting) {
        throw new TenonError('audit/overloaded', 'too many events wait to be recorded', {
          expected: `${maxWaiting} at the most`,
        });
      }
      waiting += 1;
      try {
        return await chain.record(contentOf(event, options));
      } finally {
        waiting -= 1;
      }
    },
  };
}

interface Ground {
  readonly clock: Clock;
  readonly signer: Signer | undefined;
  readonly before: AuditLine | undefined;
  readonly digest: Digest | undefined;
}

/** Makes lines one after another, and hands each over without waiting for the one before to be kept. */
function createChain(sink: AuditSink, { clock, signer, before, digest }: Ground) {
  let head: AuditHead = before ?? { seq: -1, hash: NOTHING_BEFORE };
  let last: Promise<unknown> = Promise.resolve();
  let lastKept: Promise<unknown> = Promise.resolve();
  let failure: unknown;

  async function hand(content: JsonObject): Promise<{ kept: Promise<void>; place: AuditHead }> {
    const seq = head.seq + 1;
    const time = new Date(clock.now()).toISOString();
    const { line, hash } = await lineOf({ ...content, seq, time, prev: head.hash }, signer, digest);
    if (failure !== undefined) throw failure;
    const place = { seq, hash };
    head = place;
    const kept = sink.append(line).catch(error => {
      failure ??= failed(error);
      throw failure;
    });
    kept.catch(() => {});
    lastKept = kept;
    return { kept, place };
  }

  async function turnWhenFull(): Promise<void> {
    const to = sink.full?.();
    if (to === undefined) return;
    await hand({ record: 'turned', to });
    const dropped = sink.turn?.(to, { seq: head.seq + 1, prev: head.hash });
    await hand({ record: 'continued', in: to, dropped });
  }

  /** Hands over one after another, and resolves when it is kept. */
  async function inTurn(make: () => ReturnType<typeof hand>): Promise<AuditHead> {
    const handed = last.then(make);
    last = handed.catch(() => {});
    const { kept, place } = await handed;
    await kept;
    return place;
  }

  return {
    add: (content: JsonObject) => inTurn(() => hand(content)),
    record(content: Promise<JsonObject>) {
      content.catch(() => {});
      return inTurn(async () => {
        const made = await content;
        await turnWhenFull();
        return hand(made);
      });
    },
    async settled() {
      await last;
      // Lines are kept in their order.
      await lastKept.catch(() => {});
    },
    get head() {
      return head;
    },
  };
}

function failed(cause: unknown): TenonError {
  return TenonError.is(cause) && cause.code.startsWith('audit/')
    ? cause
    : new TenonError('audit/failed', 'the audit record can not be written', {
        next: 'see to the place where it is kept and open it again; until then nothing is recorded',
        cause,
      });
}

async function believed(last: string, signer: Signer | undefined): Promise<AuditLine> {
  const line = await readLine(last);
  if (typeof line === 'string') {
    throw new TenonError('audit/broken', `the last line of the audit record is not to be believed: ${line}`, {
      next: 'keep it as it is, look at it with `tenon audit verify`, and begin another in another place',
    });
  }
  const { mac } = line;
  const fits = mac === undefined || signer === undefined ? mac === signer : await signer.verify(mac.of, mac.value);
  if (fits) return line;
  throw new TenonError('audit/wrong-key', 'the audit record was not written with this key', {
    expected: mac === undefined ? 'no key' : 'the key that it was begun with',
    next: 'give that key, or begin another record in another place',
  });
}
