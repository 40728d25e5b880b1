import type { Asking } from '../conversation/asking/asking.js';
import { byRetry } from '../conversation/asking/by-retry.js';
import { lacking, missingCapability } from '../conversation/capability.js';
import { factsOf } from '../conversation/opening/per-request.js';
import type { Loan } from '../conversation/service.js';
import type { Dialect } from '../dialects/dialect.js';
import { getCallerKey } from '../jsonrpc/caller-key.js';
import type { RequestHeaders } from '../jsonrpc/channel.js';
import { isForPeer, TenonError, toErrorObject } from '../jsonrpc/error.js';
import { isPromise, rescue } from '../jsonrpc/follow.js';
import {
  failure,
  type Id,
  type JsonObject,
  notification,
  type Request,
  type Response,
  success,
} from '../jsonrpc/message.js';
import { Running } from '../jsonrpc/running.js';
import type { LoggingLevel } from '../model/content.js';
import { notifications } from '../model/methods.js';
import type { Inputs } from '../model/shapes.js';
import { type Blueprint, mergingOf } from './blueprint.js';
import type { Caller } from './caller.js';
import { dispatch } from './dispatch.js';
import type { Merging } from './notification-merger.js';
import type { Turn } from './turn.js';

/** Answers a request by what it says itself, for transports that bring each request alone. Never rejects. */
export async function answer(blueprint: Blueprint, request: Request, dialect: Dialect, loan: Loan): Promise<Response> {
  const running = new Running();
  loan.whenGone(() => running.cancel('the client closed the connection'));
  try {
    const result = answerAlone(blueprint, request, dialect, running, loan);
    return success(request.id, isPromise(result) ? await result : result);
  } catch (error) {
    if (!isForPeer(error) && !running.cancelled) {
      blueprint.problem(TenonError.from(error, 'handler/threw', { method: request.method }));
    }
    return failure(request.id, toErrorObject(error));
  } finally {
    running.done();
  }
}

type LoanOfOne = Pick<Loan, 'auth' | 'address' | 'fleeting' | 'header' | 'request' | 'send' | 'whenEnding'>;

/** Serves one request that carries all its facts. Throws what the peer is to be told. */
export function answerAlone(
  blueprint: Blueprint,
  request: Request,
  dialect: Dialect,
  running: Running,
  loan: LoanOfOne,
): JsonObject | Promise<JsonObject> {
  return dispatch(blueprint, request, new TurnAlone(blueprint, request, dialect, running, loan));
}

/** A request that belongs to no session: all that is known of its client it says itself. */
class TurnAlone implements Turn {
  readonly id: Id;
  readonly dialect: Dialect;
  readonly caller: Caller;
  readonly logLevel: LoggingLevel | undefined;
  readonly subscriptions = undefined;
  readonly #blueprint: Blueprint;
  readonly #running: Running;
  readonly #loan: LoanOfOne;

  constructor(blueprint: Blueprint, request: Request, dialect: Dialect, running: Running, loan: LoanOfOne) {
    const { capabilities, client, logLevel } = factsOf(request);
    this.id = request.id;
    this.dialect = dialect;
    this.caller = { client, capabilities, auth: loan.auth, address: loan.address };
    this.logLevel = blueprint.options.logging === false ? undefined : logLevel;
    this.#blueprint = blueprint;
    this.#running = running;
    this.#loan = loan;
  }

  get signal(): AbortSignal {
    return this.#running.signal;
  }

  get header(): Turn['header'] {
    const loan = this.#loan;
    return loan.header === undefined ? undefined : name => loan.header?.(name);
  }

  get request(): RequestHeaders | undefined {
    return this.#loan.request;
  }

  get merging(): Merging | undefined {
    return mergingOf(this.#blueprint, this.#running);
  }

  whenEnding(ending: () => void): void {
    this.#loan.whenEnding?.(ending);
  }

  report(error: TenonError): void {
    this.#blueprint.problem(error);
  }

  notify(method: string, params: JsonObject): void {
    const { vocabulary, speak } = this.dialect;
    if (method in notifications && !vocabulary.server.has(method)) return;
    if (this.#running.over) return;
    const words = notification(method, speak.down.params(method)?.(params, {}) ?? params);
    // What can not be delivered, or not be written, is no reason for the call to fail.
    void rescue(
      () => this.#loan.send(words),
      error => this.#blueprint.problem(TenonError.from(error, 'connection/send', { method })),
    );
  }

  asking(inputs: Inputs, boundTo: () => string): Asking {
    return byRetry({
      states: this.#blueprint.states,
      boundTo,
      inputs,
      caller: getCallerKey(this.caller.auth, this.caller.address),
      holds: !this.#loan.fleeting,
      check: (method, params) => check(method, params, this.caller, this.dialect),
    });
  }
}

function check(method: string, params: JsonObject, { capabilities }: Caller, dialect: Dialect): void {
  const lacks = lacking(method, params, capabilities);
  if (lacks) throw missingCapability(dialect, lacks);
}
