import { type AbortSignalLike, type JsonObject, TenonError } from '@tenon/base';
import type { RequestInput } from '../../execution/handler-run.js';
import { RELATED_TASK, readMeta } from '../../protocol/meta.js';
import type { RequestContext } from '../../server/request-context.js';
import { retryStoreFaults } from '../../stores/fault-retry.js';
import { type InputOutcome, recordAnswer } from './record-answers.js';
import type { TaskRuntime } from './task-creation.js';
import type { TaskRecord } from './task-record.js';
import type { TaskStore } from './task-store.js';

/** Minimum time for a client to fetch the input requests of its task, in milliseconds. */
const MIN_DELIVERY_DELAY = 1000;

/**
 * Sends the open input requests of tasks to clients, on versions with requests from server to client. It uses the
 * stream of `tasks/result`. For a client that does not call `tasks/result` it uses the stream of its session.
 */
export class TaskInputDelivery {
  readonly #runtime: TaskRuntime;
  readonly #store: TaskStore;
  /** The input requests that were sent and have no answer yet, by task and key. */
  readonly #deliveries = new Map<string, Map<string, AbortController>>();
  #unwatchStore: (() => void) | undefined;

  constructor(runtime: TaskRuntime, store: TaskStore) {
    this.#runtime = runtime;
    this.#store = store;
  }

  /**
   * Sends an input request on the stream of this request. Withdraws the same input request on another stream, because
   * the client may not have received it there.
   */
  deliver(record: TaskRecord, key: string, context: RequestContext): void {
    if (context.requestInput) this.#requestInput(record, key, context.requestInput.bind(context), context.signal);
  }

  /** Sends the input requests on the stream of the session if the client does not call `tasks/result` in time. */
  scheduleDelivery({ id, pollInterval }: TaskRecord): void {
    const { host, subscribers } = this.#runtime;
    host.clock.after(Math.max(MIN_DELIVERY_DELAY, 2 * pollInterval), async () => {
      // Does not wait for a store with a fault: another process may be recording the response, and the client would be
      // asked again.
      const record = await this.#store.get(id).catch(() => undefined);
      const session = subscribers.getSession(id);
      if (record === undefined || session === undefined) return;
      for (const key of Object.keys(record.questions)) {
        if (!this.#deliveries.get(id)?.has(key)) this.#requestInput(record, key, session.requestInput.bind(session));
      }
    });
  }

  #requestInput(record: TaskRecord, key: string, ask: RequestInput, signal?: AbortSignalLike): void {
    const delivery = new AbortController();
    this.#set(record.id, key, delivery);
    const abort = () => delivery.abort(signal?.reason);
    signal?.addEventListener('abort', abort, { once: true });
    if (signal?.aborted) abort();
    void requestInput(record, key, ask, delivery.signal)
      .then(outcome => outcome && recordAnswer(this.#runtime, this.#store, record.id, key, outcome))
      .catch(error => this.#runtime.host.onError(TenonError.from(error, 'task/failed')))
      .finally(() => {
        signal?.removeEventListener('abort', abort);
        this.#delete(record.id, key, delivery);
      });
  }

  #set(id: string, key: string, delivery: AbortController): void {
    const own = this.#deliveries.get(id) ?? new Map<string, AbortController>();
    own.get(key)?.abort(new TenonError('call/aborted', 'the input request was sent on another stream'));
    this.#deliveries.set(id, own.set(key, delivery));
    this.#unwatchStore ??= this.#store.onChange(changed => void this.#withdraw(changed));
  }

  #delete(id: string, key: string, delivery: AbortController): void {
    const own = this.#deliveries.get(id);
    if (own?.get(key) !== delivery) return;
    own.delete(key);
    if (own.size === 0) this.#deliveries.delete(id);
    if (this.#deliveries.size > 0) return;
    this.#unwatchStore?.();
    this.#unwatchStore = undefined;
  }

  /** Withdraws the input requests of a task that has ended or has got its answers elsewhere. */
  async #withdraw(id: string): Promise<void> {
    const own = this.#deliveries.get(id);
    if (own === undefined) return;
    // A task that cannot be read keeps its input requests, because the client sends each response once.
    const { clock } = this.#runtime.host;
    const stored = await retryStoreFaults(() => this.#store.get(id), { clock }).catch(() => 'unknown' as const);
    if (stored === 'unknown') return;
    for (const [key, delivery] of own) {
      if (stored === undefined || !Object.hasOwn(stored.questions, key))
        delivery.abort(new TenonError('call/aborted', 'the task withdrew the input request'));
    }
  }
}

/** Requests input. Returns `undefined` if the request was withdrawn, because a closed connection is not a refusal. */
async function requestInput(
  { id, questions }: TaskRecord,
  key: string,
  ask: RequestInput,
  signal: AbortSignal,
): Promise<InputOutcome | undefined> {
  const { method = '', params = {} } = (questions[key] ?? {}) as { method?: string; params?: JsonObject };
  const _meta = { ...readMeta(params), [RELATED_TASK]: { taskId: id } };
  try {
    return { answer: await ask(method, { ...params, _meta }, signal) };
  } catch (error) {
    if (signal.aborted) return undefined;
    if (!TenonError.is(error)) throw error;
    return /^(peer|client|call)\//.test(error.code) ? { refused: error.message } : undefined;
  }
}
