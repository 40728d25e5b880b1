import { TenonError } from '../../jsonrpc/error.js';
import type { Run } from './asking.js';
import { Entered } from './entered.js';
import { Journal } from './journal.js';

/** For what can not be answered by a question: it is entered once. */
export function withoutAsking(method: string): Run {
  return new Entered(new Journal(), {
    check() {
      throw new TenonError('handler/cannot-ask', `the client can not be asked in ${method}`, {
        next: 'ask in a tool, a prompt or a resource read',
      });
    },
    put: () => new Promise(() => {}),
    work: run => run(),
  });
}
