import type { Ask } from '../../conversation/asking/asking.js';
import { TenonError } from '../../jsonrpc/error.js';
import type { JsonObject } from '../../jsonrpc/message.js';
import { RELATED_TASK } from '../../model/meta.js';
import type { Turn } from '../../server/turn.js';
import { answerOne, type Outcome } from './answering.js';
import type { Maker } from './making.js';
import type { TaskRecord } from './record.js';
import type { Shelf } from './shelf.js';

declare class AbortController {
  readonly signal: AbortSignal;
  abort(reason?: unknown): void;
}

/** How long a client has at the least to come for the questions of its task, in milliseconds. */
const GRACE = 1000;

/**
 * Brings the open questions of tasks to clients that are asked by requests. The place for that is the stream of
 * `tasks/result`; to a client that does not come for them they go on the stream of its session.
 */
export class Courier {
  readonly #maker: Maker;
  readonly #shelf: Shelf;
  /** The questions that are on their way, by task and key. */
  readonly #errands = new Map<string, Map<string, AbortController>>();
  #unhear: (() => void) | undefined;

  constructor(maker: Maker, shelf: Shelf) {
    this.#maker = maker;
    this.#shelf = shelf;
  }

  /** On the stream of a request that is there for it. What was brought otherwise before may not have come through: it is withdrawn. */
  bring(record: TaskRecord, key: string, turn: Turn): void {
    if (turn.ask) this.#run(record, key, turn.ask.bind(turn), turn.signal);
  }

  /** On the stream of the session, if nobody comes for them in time. */
  soon({ id, pollInterval }: TaskRecord): void {
    const { house, audience } = this.#maker;
    house.clock.after(Math.max(GRACE, 2 * pollInterval), async () => {
      const record = await this.#shelf.get(id).catch(() => undefined);
      const session = audience.sessionOf(id);
      if (record === undefined || session === undefined) return;
      for (const key of Object.keys(record.questions)) {
        if (!this.#errands.get(id)?.has(key)) this.#run(record, key, session.ask.bind(session));
      }
    });
  }

  #run(record: TaskRecord, key: string, ask: Ask, signal?: AbortSignal): void {
    const errand = new AbortController();
    this.#set(record.id, key, errand);
    const abort = () => errand.abort(signal?.reason);
    signal?.addEventListener('abort', abort, { once: true });
    if (signal?.aborted) abort();
    void asked(record, key, ask, errand.signal)
      .then(outcome => outcome && answerOne(this.#maker, this.#shelf, record.id, key, outcome))
      .catch(error => this.#maker.house.problem(TenonError.from(error, 'task/failed')))
      .finally(() => {
        signal?.removeEventListener('abort', abort);
        this.#delete(record.id, key, errand);
      });
  }

  #set(id: string, key: string, errand: AbortController): void {
    const own = this.#errands.get(id) ?? new Map<string, AbortController>();
    own.get(key)?.abort(new TenonError('call/aborted', 'the question is asked on another stream'));
    this.#errands.set(id, own.set(key, errand));
    this.#unhear ??= this.#shelf.hear(changed => void this.#withdraw(changed));
  }

  #delete(id: string, key: string, errand: AbortController): void {
    const own = this.#errands.get(id);
    if (own?.get(key) !== errand) return;
    own.delete(key);
    if (own.size === 0) this.#errands.delete(id);
    if (this.#errands.size > 0) return;
    this.#unhear?.();
    this.#unhear = undefined;
  }

  /** What a task no longer asks, because it has ended or was answered elsewhere, nobody need answer. */
  async #withdraw(id: string): Promise<void> {
    const own = this.#errands.get(id);
    if (own === undefined) return;
    const record = await this.#shelf.get(id).catch(() => undefined);
    for (const [key, errand] of own) {
      if (record === undefined || !Object.hasOwn(record.questions, key))
        errand.abort(new TenonError('call/aborted', 'the task no longer asks that'));
    }
  }
}

/** What becomes of a question; undefined when it was withdrawn: who has hung up has not said no. */
async function asked(
  { id, questions }: TaskRecord,
  key: string,
  ask: Ask,
  signal: AbortSignal,
): Promise<Outcome | undefined> {
  const { method = '', params = {} } = (questions[key] ?? {}) as { method?: string; params?: JsonObject };
  const _meta = { ...(params._meta as JsonObject | undefined), [RELATED_TASK]: { taskId: id } };
  try {
    return { answer: await ask(method, { ...params, _meta }, signal) };
  } catch (error) {
    if (signal.aborted) return undefined;
    if (!TenonError.is(error)) throw error;
    return /^(peer|client|call)\//.test(error.code) ? { refused: error.message } : undefined;
  }
}
