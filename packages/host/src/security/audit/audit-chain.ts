import { type Clock, type JsonObject, type Signer, TenonError } from '@tenon/base';
import type { AuditHead } from './audit-event.js';
import { type AuditLine, createAuditLine, NO_PREVIOUS } from './audit-line.js';
import type { AuditSink } from './audit-sink.js';

export interface AuditChainOptions {
  readonly clock: Clock;
  readonly signer: Signer | undefined;
  readonly previous: AuditLine | undefined;
  readonly replica: string | undefined;
}

/** Creates lines one after another. Passes each one to the sink without waiting for the previous one to be stored. */
export function createAuditChain(sink: AuditSink, { clock, signer, previous, replica }: AuditChainOptions) {
  let head: AuditHead = previous ?? { seq: -1, hash: NO_PREVIOUS };
  let last: Promise<unknown> = Promise.resolve();
  let lastStored: Promise<unknown> = Promise.resolve();
  let failure: unknown;

  async function appendLine(content: JsonObject): Promise<{ stored: Promise<void>; place: AuditHead }> {
    const seq = head.seq + 1;
    const time = new Date(clock.now()).toISOString();
    const { line, hash } = await createAuditLine({ ...content, replica, seq, time, prev: head.hash }, signer);
    if (failure !== undefined) throw failure;
    const place = { seq, hash };
    head = place;
    const stored = sink.append(line).catch(error => {
      failure ??= createWriteError(error);
      throw failure;
    });
    stored.catch(() => {});
    lastStored = stored;
    return { stored, place };
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
    const { stored, place } = await appended;
    await stored;
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
