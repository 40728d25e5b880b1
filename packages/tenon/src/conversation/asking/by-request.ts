import { follow } from '../../jsonrpc/follow.js';
import type { JsonObject } from '../../jsonrpc/message.js';
import type { Ask, Asker, Asking, KeptRun } from './asking.js';
import { LateRun, loadWorks, type Works } from './late-run.js';
import type { Requests } from './requests.js';

/**
 * A question is a request of its own, on the stream of the call. A handler that returns its questions instead has
 * them asked one by one, and is entered again with the answers. What does that is loaded by the first one that asks.
 */
export function byRequest(ask: Ask): Asking {
  return asker => {
    const run = new Requesting(ask);
    return follow(asker(run, {}), result =>
      result.resultType === 'input_required' ? run.again(asker, result) : result,
    );
  };
}

class Requesting extends LateRun {
  readonly #ask: Ask;
  #requests: Requests | undefined;

  constructor(ask: Ask) {
    super();
    this.#ask = ask;
  }

  async again(asker: Asker, result: JsonObject): Promise<JsonObject> {
    return this.#made(await loadWorks()).again(asker, result);
  }

  protected make(works: Works): KeptRun {
    return this.#made(works).enter();
  }

  #made(works: Works): Requests {
    this.#requests ??= new works.Requests(this.#ask);
    return this.#requests;
  }
}
