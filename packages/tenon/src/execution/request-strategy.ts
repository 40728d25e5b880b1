import type { JsonObject } from '../jsonrpc/message.js';
import { thenMaybe } from '../jsonrpc/then-maybe.js';
import type { InputStrategy, JournaledRun, RequestInput, RunHandler } from './handler-run.js';
import { type ExecutionRuntime, LazyRun, loadRuntime } from './lazy-run.js';
import type { RequestBackend } from './request-backend.js';

/**
 * A question is a request of its own, on the stream of the call. A handler that returns its questions instead has
 * them asked one by one, and is entered again with the answers. What does that is loaded by the first one that asks.
 */
export function createRequestStrategy(ask: RequestInput): InputStrategy {
  return asker => {
    const run = new RequestRun(ask);
    return thenMaybe(asker(run, {}), result =>
      result.resultType === 'input_required' ? run.continueWith(asker, result) : result,
    );
  };
}

class RequestRun extends LazyRun {
  readonly #requestInput: RequestInput;
  #backend: RequestBackend | undefined;

  constructor(ask: RequestInput) {
    super();
    this.#requestInput = ask;
  }

  async continueWith(asker: RunHandler, result: JsonObject): Promise<JsonObject> {
    return this.#getBackend(await loadRuntime()).continueWith(asker, result);
  }

  protected createJournaled(runtime: ExecutionRuntime): JournaledRun {
    return this.#getBackend(runtime).createRun();
  }

  #getBackend(runtime: ExecutionRuntime): RequestBackend {
    this.#backend ??= new runtime.RequestBackend(this.#requestInput);
    return this.#backend;
  }
}
