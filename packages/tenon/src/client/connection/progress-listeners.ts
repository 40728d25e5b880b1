import { type Id, isId, type JsonObject } from '../../jsonrpc/message.js';
import type { Progress } from '../options.js';

type ProgressListener = (progress: Progress) => void;

/**
 * Maximum number of tasks that go on reporting progress after their request was answered: beyond it the oldest are
 * dropped.
 */
const MAX_KEPT_TOKENS = 1000;

/** Progress listeners by progress token, which is the id of the request. */
export class ProgressListeners {
  #listeners: Map<Id, ProgressListener> | undefined;
  #keptTokens: Set<Id> | undefined;

  set(token: Id, listener: ProgressListener): void {
    this.#listeners ??= new Map();
    this.#listeners.set(token, listener);
  }

  delete(token: Id): void {
    this.#listeners?.delete(token);
    this.#keptTokens?.delete(token);
  }

  /** The request is answered, and the token stays good. Returns the function that ends that. */
  keep(token: Id): () => void {
    this.#keptTokens ??= new Set();
    this.#keptTokens.add(token);
    const [oldest] = this.#keptTokens;
    if (this.#keptTokens.size > MAX_KEPT_TOKENS && oldest !== undefined) this.delete(oldest);
    return () => this.delete(token);
  }

  /** Calls the listener of a notification. `isPending`: its request is not answered yet. `report` gets what the listener throws. */
  deliver(params: JsonObject, isPending: boolean, report: (error: unknown) => void): void {
    const call = () => {
      try {
        this.#call(params);
      } catch (error) {
        report(error);
      }
    };
    // The listener of an answered request is removed in the next microtask, unless the answer is a task.
    if (isPending) call();
    else void Promise.resolve().then(call);
  }

  #call({ progressToken, progress, total, message }: JsonObject): void {
    const listener = isId(progressToken) ? this.#listeners?.get(progressToken) : undefined;
    if (listener === undefined || typeof progress !== 'number') return;
    const text = typeof message === 'string' ? { message } : {};
    listener({ progress, ...(typeof total === 'number' ? { total } : {}), ...text });
  }
}
