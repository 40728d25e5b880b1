import { byRetry } from '../conversation/asking/by-retry.js';
import { lacking, missingCapability } from '../conversation/capability.js';
import { factsOf } from '../conversation/opening/per-request.js';
import type { Loan } from '../conversation/service.js';
import type { Dialect } from '../dialects/dialect.js';
import { isForPeer, TenonError, toErrorObject } from '../jsonrpc/error.js';
import {
  failure,
  type JsonObject,
  type Notification,
  notification,
  type Request,
  type Response,
  success,
} from '../jsonrpc/message.js';
import { Running } from '../jsonrpc/running.js';
import { notifications } from '../model/methods.js';
import type { Blueprint } from './blueprint.js';
import type { Caller } from './caller.js';
import { dispatch } from './dispatch.js';
import type { Turn } from './turn.js';

/** Answers a request by what it says itself, for transports that bring each request alone. Never rejects. */
export async function answer(blueprint: Blueprint, request: Request, dialect: Dialect, loan: Loan): Promise<Response> {
  const running = new Running();
  loan.whenGone(() => running.cancel('the client closed the connection'));
  try {
    return success(request.id, await answerAlone(blueprint, request, dialect, running, loan));
  } catch (error) {
    if (!isForPeer(error) && !running.cancelled) {
      blueprint.problem(TenonError.from(error, 'handler/threw', { method: request.method }));
    }
    return failure(request.id, toErrorObject(error));
  } finally {
    running.done();
  }
}

/** What can not be delivered, or not be written, is no reason for the call to fail. */
async function told(loan: Pick<Loan, 'send'>, words: Notification): Promise<void> {
  await loan.send(words);
}

type LoanOfOne = Pick<Loan, 'auth' | 'fleeting' | 'header' | 'send' | 'whenEnding'>;

/** Serves one request that carries all its facts. Throws what the peer is to be told. */
export function answerAlone(
  blueprint: Blueprint,
  request: Request,
  dialect: Dialect,
  running: Running,
  loan: LoanOfOne,
): Promise<JsonObject> {
  return dispatch(blueprint, request, turnOf(blueprint, request, dialect, running, loan));
}

function turnOf(blueprint: Blueprint, request: Request, dialect: Dialect, running: Running, loan: LoanOfOne): Turn {
  const { capabilities, client, logLevel } = factsOf(request);
  const caller: Caller = { client, capabilities, auth: loan.auth };
  return {
    id: request.id,
    dialect,
    caller,
    logLevel: blueprint.options.logging === false ? undefined : logLevel,
    get signal() {
      return running.signal;
    },
    header: loan.header,
    subscriptions: undefined,
    whenEnding: ending => loan.whenEnding?.(ending),
    notify(method, params) {
      if (method in notifications && !dialect.vocabulary.server.has(method)) return;
      if (running.over) return;
      const words = notification(method, dialect.speak.down.params(method)?.(params, {}) ?? params);
      void told(loan, words).catch(error => blueprint.problem(TenonError.from(error, 'connection/send', { method })));
    },
    asking: (inputs, boundTo) =>
      byRetry({
        states: blueprint.states,
        boundTo,
        inputs,
        holds: !loan.fleeting,
        check: (method, params) => check(method, params, caller, dialect),
      }),
  };
}

function check(method: string, params: JsonObject, { capabilities }: Caller, dialect: Dialect): void {
  const lacks = lacking(method, params, capabilities);
  if (lacks) throw missingCapability(dialect, lacks);
}
