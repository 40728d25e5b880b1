import { type JsonObject, type LazyAbortSignal, toAbortSignal } from '@tenon/base';
import type { InputStrategy, RequestInput } from '../../execution/handler-run.js';
import { createRequestStrategy } from '../../execution/lazy-run.js';
import type { CallerInfo } from '../../handler/context.js';
import type { Id, JsonRpcRequest } from '../../jsonrpc/message.js';
import type { RequestScope } from '../../jsonrpc/request-scope.js';
import type { TolerantConnection } from '../../jsonrpc/tolerance.js';
import type { RequestHeaders } from '../../jsonrpc/transport.js';
import type { LoggingLevel } from '../../protocol/content.js';
import type { PingOptions } from '../../protocol/request-handler.js';
import type { Dialect } from '../../protocol/versions/dialect.js';
import { getMergeOptions, type MergeOptions } from '../context/notification-merger.js';
import { reportRequestError } from '../report-request-error.js';
import type { ClientSession, RequestContext, Subscriptions } from '../request-context.js';
import type { ServerRuntime } from '../server-runtime.js';
import type { RequestInputOptions } from './request-input.js';
import { createNoPingError } from './session-ping.js';

/** Log level of sessions whose clients have not set one. */
const DEFAULT_LOG_LEVEL = 'info';

/** Functions of a session that its requests use. */
export interface RequestSession extends ClientSession, TolerantConnection {
  readonly subscriptions: Subscriptions;
  notify(method: string, params: JsonObject, relatedTo?: Id): void;
  createRequestInput(requestInfo: Pick<RequestInputOptions, 'relatedTo' | 'scope'>): RequestInput;
  closeStream(relatedTo: Id): boolean;
  trackElicitation(elicitationId: string): void;
  setLogLevel(level: LoggingLevel): void;
}

/** Context of a request in a session. The information about the client comes from the opening of the session. */
export class SessionRequestContext implements RequestContext {
  readonly id: Id;
  readonly dialect: Dialect;
  readonly caller: CallerInfo;
  readonly logLevel: LoggingLevel | undefined;
  readonly request: RequestHeaders | undefined;
  readonly #method: string;
  readonly #runtime: ServerRuntime;
  readonly #scope: RequestScope;
  readonly #session: RequestSession;

  constructor(
    { id, method }: Pick<JsonRpcRequest, 'id' | 'method'>,
    scope: RequestScope,
    session: RequestSession,
    {
      runtime,
      dialect,
      caller,
      request,
    }: Pick<RequestContext, 'dialect' | 'caller' | 'request'> & {
      readonly runtime: ServerRuntime;
    },
  ) {
    this.#runtime = runtime;
    this.id = id;
    this.#method = method;
    this.dialect = dialect;
    this.caller = caller;
    this.logLevel = runtime.options.logging === false ? undefined : (session.requestedLogLevel ?? DEFAULT_LOG_LEVEL);
    this.request = request;
    this.#scope = scope;
    this.#session = session;
  }

  get signal(): LazyAbortSignal {
    return this.#scope.signal;
  }

  onCancel(listener: () => void): void {
    this.#scope.onCancel(listener);
  }

  get mergeOptions(): MergeOptions | undefined {
    return getMergeOptions(this.#runtime, this.#scope);
  }

  get session(): ClientSession | undefined {
    return this.dialect.sessionMethods === undefined ? this.#session : undefined;
  }

  get connection(): TolerantConnection {
    return this.#session;
  }

  get subscriptions(): Subscriptions {
    return this.#session.subscriptions;
  }

  reportError(error: unknown, code = 'handler/threw', method = this.#method): void {
    reportRequestError(this.#runtime, error, code, { method, caller: this.caller, dialect: this.dialect });
  }

  notify(method: string, params: JsonObject): void {
    if (!this.#scope.isDone) this.#session.notify(method, params, this.id);
  }

  createInputStrategy(): InputStrategy {
    return createRequestStrategy((...request) => this.requestInput(...request));
  }

  requestInput(...request: Parameters<RequestInput>): Promise<JsonObject> {
    return this.#session.createRequestInput({ relatedTo: this.id, scope: this.#scope })(...request);
  }

  ping(options: PingOptions = {}): Promise<void> {
    const { session, signal } = this;
    if (session === undefined) return Promise.reject(createNoPingError(this.dialect));
    // A cancelled request has no stream for a ping, and a ping without a response would end the session.
    return session.ping({ signal: toAbortSignal(signal), ...options }, this.#scope.isDone ? undefined : this.id);
  }

  closeStream(): boolean {
    return this.#session.closeStream(this.id);
  }

  trackElicitation(elicitationId: string): void {
    this.#session.trackElicitation(elicitationId);
  }

  setLogLevel(level: LoggingLevel): void {
    this.#session.setLogLevel(level);
  }
}
