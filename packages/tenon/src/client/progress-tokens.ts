import { type Id, isId, type JsonObject } from '../jsonrpc/message.js';
import type { Progress } from './options.js';

type Hear = (progress: Progress) => void;

/** How many tasks may go on reporting progress after their request was answered: beyond it the first are forgotten. */
const MAX_OUTLIVING = 1000;

/** Who hears of progress, by the token that is the id of the request. */
export class ProgressTokens {
  #hearing: Map<Id, Hear> | undefined;
  #outliving: Set<Id> | undefined;

  set(token: Id, hear: Hear): void {
    this.#hearing ??= new Map();
    this.#hearing.set(token, hear);
  }

  delete(token: Id): void {
    this.#hearing?.delete(token);
    this.#outliving?.delete(token);
  }

  /** The request is answered, and the token stays good. Returns the function that ends that. */
  keep(token: Id): () => void {
    this.#outliving ??= new Set();
    this.#outliving.add(token);
    const [first] = this.#outliving;
    if (this.#outliving.size > MAX_OUTLIVING && first !== undefined) this.delete(first);
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
    const hear = isId(progressToken) ? this.#hearing?.get(progressToken) : undefined;
    if (hear === undefined || typeof progress !== 'number') return;
    const said = typeof message === 'string' ? { message } : {};
    hear({ progress, ...(typeof total === 'number' ? { total } : {}), ...said });
  }
}
