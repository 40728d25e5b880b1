import { TenonError } from '../jsonrpc/error.js';
import type { HandlerRun, JournaledRun } from './handler-run.js';
import { type ExecutionRuntime, LazyRun } from './lazy-run.js';

/** For what can not be answered by a question: it is entered once. */
export function withoutInputRequests(method: string): HandlerRun {
  return new UnjournaledRun(method);
}

class UnjournaledRun extends LazyRun {
  readonly #method: string;

  constructor(method: string) {
    super();
    this.#method = method;
  }

  protected createJournaled({ JournaledExecution, Journal }: ExecutionRuntime): JournaledRun {
    return new JournaledExecution(new Journal(), {
      check: () => {
        throw new TenonError('handler/cannot-ask', `the client can not be asked in ${this.#method}`, {
          hint: 'ask in a tool, a prompt or a resource read',
        });
      },
      deliver: () => new Promise(() => {}),
      runStep: run => run(),
    });
  }
}
