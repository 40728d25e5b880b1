import type { AbortSignalLike } from '../cancellation/lazy-abort-signal.js';
import type { InputStrategy, RequestInput } from '../execution/handler-run.js';
import type { TenonError } from '../jsonrpc/error.js';
import type { Id, JsonObject } from '../jsonrpc/message.js';
import type { RequestHeaders } from '../jsonrpc/transport.js';
import type { LoggingLevel } from '../protocol/content.js';
import type { RetryInputs } from '../protocol/params-and-results.js';
import type { PingOptions } from '../protocol/request-handler.js';
import type { Dialect } from '../protocol/versions/dialect.js';
import type { CallerInfo } from './caller-info.js';
import type { MergeOptions } from './context/notification-merger.js';

/** One request of one client, and all that can be done about it. */
export interface RequestContext {
  readonly id: Id;
  readonly dialect: Dialect;
  readonly caller: CallerInfo;
  /** The lowest level of log messages that the client requested. Undefined: it gets no log messages. */
  readonly logLevel: LoggingLevel | undefined;
  /** Aborted when the client gives the request up. */
  readonly signal: AbortSignalLike;
  /** Calls one listener when the client gives the request up, or at once if it has. Takes less memory than a signal. */
  onCancel(listener: () => void): void;
  /** Looks up an envelope field, where the transport has some that mirror the body. */
  readonly header: ((name: string) => string | undefined) | undefined;
  /** The HTTP request that brought this one, where the transport has headers. */
  readonly request: RequestHeaders | undefined;
  /** The URIs that this client subscribed to, where it does so by request. */
  readonly subscriptions: Subscriptions | undefined;
  /** Reports an error that the client does not get. */
  reportError(error: TenonError): void;
  /** Sends a notification on the stream of this request, unless that is answered or given up. */
  notify(method: string, params: JsonObject): void;
  /** Creates the input strategy for this client and a request with these inputs. */
  createInputStrategy(inputs: RetryInputs, getBinding: () => string): InputStrategy;
  /** Set where progress and log messages that come too fast are merged. */
  readonly mergeOptions?: MergeOptions | undefined;
  /** Calls `ending` once when the transport is about to close, if the transport reports that. */
  readonly onShutdown?: ((listener: () => void) => void) | undefined;
  /** Pings the client of the session on the stream of this request. Absent where the request belongs to no session. */
  readonly ping?: ((options?: PingOptions) => Promise<void>) | undefined;
  /** Ends the connection that waits for the answer, where the client can come back for it. */
  readonly closeStream?: (() => boolean) | undefined;
  /** Records that the client was sent to a URL, if it must be notified when the visit is complete. */
  readonly trackElicitation?: ((elicitationId: string) => void) | undefined;
  /** Session of the request, if any: for messages to the client that belong to no request. */
  readonly session?: ClientSession | undefined;
  /** The session in which a task was begun that is worked on here, while that session is there. */
  readonly originSession?: ClientSession | undefined;
  /** Sends an input request to the client on the stream of this request, on versions with requests of the server. */
  readonly requestInput?: RequestInput | undefined;
  /** Sets the level of the session, where there is one. */
  readonly setLogLevel?: ((level: LoggingLevel) => void) | undefined;
}

export interface ClientSession {
  notify(method: string, params: JsonObject): void;
  /** Sends an input request that belongs to no request of the client, on versions with requests of the server. */
  requestInput(...request: Parameters<RequestInput>): Promise<JsonObject>;
  /** Pings its client, on the stream of the request `relatedTo` where that is given. */
  ping(options?: PingOptions, relatedTo?: Id): Promise<void>;
  /** Calls `ended` once when the session is over. */
  onEnd(listener: () => void): void;
}

export interface Subscriptions {
  add(uri: string): void;
  remove(uri: string): void;
}
