import { TenonError } from '../../jsonrpc/error.js';
import type { KeptRun, Run } from './asking.js';
import { LateRun, type Works } from './late-run.js';

/** For what can not be answered by a question: it is entered once. */
export function withoutAsking(method: string): Run {
  return new Alone(method);
}

class Alone extends LateRun {
  readonly #method: string;

  constructor(method: string) {
    super();
    this.#method = method;
  }

  protected make({ Entered, Journal }: Works): KeptRun {
    return new Entered(new Journal(), {
      check: () => {
        throw new TenonError('handler/cannot-ask', `the client can not be asked in ${this.#method}`, {
          next: 'ask in a tool, a prompt or a resource read',
        });
      },
      put: () => new Promise(() => {}),
      work: run => run(),
    });
  }
}
