import { CompactMap, type JsonObject } from '@tenon/base';
import { type Id, isId } from '../../jsonrpc/message.js';
import type { Progress } from '../call-options.js';

type ProgressListener = (progress: Progress) => void;

/**
 * Maximum number of tasks that report progress after their request got its response. Beyond it, the oldest is dropped.
 */
const MAX_KEPT_TOKENS = 1000;

/** Progress listeners by progress token, which is the ID of the request. */
export class ProgressListeners {
  #listeners: CompactMap<ProgressListener> | undefined;
  #keptTokens: Set<Id> | undefined;

  set(token: Id, listener: ProgressListener): void {
    this.#listeners ??= new CompactMap();
    this.#listeners.set(token, listener);
  }

  delete(token: Id): void {
    this.#listeners?.delete(token);
    this.#keptTokens?.delete(token);
  }

  /** Keeps the listener of a token after the response. Returns a function that removes it. */
  keep(token: Id): () => void {
    this.#keptTokens ??= new Set();
    this.#keptTokens.add(token);
    const [oldest] = this.#keptTokens;
    if (this.#keptTokens.size > MAX_KEPT_TOKENS && oldest !== undefined) this.delete(oldest);
    return () => this.delete(token);
  }

  /**
   * Calls the listener of a notification. `isPending` is true if its request has no response yet. `report` gets the
   * errors of the listener.
   */
  deliver(params: JsonObject, isPending: boolean, report: (error: unknown) => void): void {
    const call = () => {
      try {
        this.#call(params);
      } catch (error) {
        report(error);
      }
    };
    // The listener is removed in the next microtask after the response, unless the result is a task.
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
