import type { Ask, Asking } from '../conversation/asking/asking.js';
import { byRequest } from '../conversation/asking/by-request.js';
import type { PingOptions } from '../conversation/service.js';
import type { Dialect } from '../dialects/dialect.js';
import type { RequestHeaders } from '../jsonrpc/channel.js';
import type { TenonError } from '../jsonrpc/error.js';
import type { Id, JsonObject } from '../jsonrpc/message.js';
import type { Running } from '../jsonrpc/running.js';
import type { LoggingLevel } from '../model/content.js';
import { type Blueprint, mergingOf } from './blueprint.js';
import type { Caller } from './caller.js';
import type { Merging } from './notification-merger.js';
import type { Questions } from './questions.js';
import { noPingError } from './session-ping.js';
import type { Session, Subscriptions, Turn } from './turn.js';

/** What a session does for the sake of one of its requests. */
export interface Surroundings extends Session, Subscriptions {
  tell(method: string, params: JsonObject, relatedTo?: Id): void;
  questions(about: Pick<Questions, 'relatedTo' | 'running'>): Ask;
  hangUp(relatedTo: Id): boolean;
  sent(elicitationId: string): void;
  problem(error: TenonError): void;
  setLogLevel(level: LoggingLevel): void;
}

/** A request in a session: what is known of its client was said when that was opened. */
export class TurnInSession implements Turn {
  readonly id: Id;
  readonly dialect: Dialect;
  readonly caller: Caller;
  readonly logLevel: LoggingLevel | undefined;
  readonly header = undefined;
  readonly request: RequestHeaders | undefined;
  readonly #blueprint: Blueprint;
  readonly #running: Running;
  readonly #session: Surroundings;

  constructor(
    id: Id,
    running: Running,
    session: Surroundings,
    {
      blueprint,
      dialect,
      caller,
      logLevel,
      request,
    }: Pick<Turn, 'dialect' | 'caller' | 'logLevel' | 'request'> & {
      readonly blueprint: Blueprint;
    },
  ) {
    this.#blueprint = blueprint;
    this.id = id;
    this.dialect = dialect;
    this.caller = caller;
    this.logLevel = logLevel;
    this.request = request;
    this.#running = running;
    this.#session = session;
  }

  get signal(): AbortSignal {
    return this.#running.signal;
  }

  get merging(): Merging | undefined {
    return mergingOf(this.#blueprint, this.#running);
  }

  get session(): Session | undefined {
    return this.dialect.needsSession === undefined ? this.#session : undefined;
  }

  get subscriptions(): Subscriptions {
    return this.#session;
  }

  report(error: TenonError): void {
    this.#session.problem(error);
  }

  notify(method: string, params: JsonObject): void {
    if (!this.#running.over) this.#session.tell(method, params, this.id);
  }

  asking(): Asking {
    return byRequest((...question) => this.ask(...question));
  }

  ask(...question: Parameters<Ask>): Promise<JsonObject> {
    return this.#session.questions({ relatedTo: this.id, running: this.#running })(...question);
  }

  ping(options: PingOptions = {}): Promise<void> {
    const { session, signal } = this;
    if (session === undefined) return Promise.reject(noPingError(this.dialect));
    // The stream of a request that is given up carries no ping, and one that stays unanswered would end the session.
    return session.ping({ signal, ...options }, this.#running.over ? undefined : this.id);
  }

  hangUp(): boolean {
    return this.#session.hangUp(this.id);
  }

  elicits(elicitationId: string): void {
    this.#session.sent(elicitationId);
  }

  setLogLevel(level: LoggingLevel): void {
    this.#session.setLogLevel(level);
  }
}
