import type { Ask, Asking } from '../conversation/asking/asking.js';
import type { PingOptions } from '../conversation/service.js';
import type { Dialect } from '../dialects/dialect.js';
import type { RequestHeaders } from '../jsonrpc/channel.js';
import type { TenonError } from '../jsonrpc/error.js';
import type { Id, JsonObject } from '../jsonrpc/message.js';
import type { LoggingLevel } from '../model/content.js';
import type { Inputs } from '../model/shapes.js';
import type { Caller } from './caller.js';
import type { Merging } from './notification-merger.js';

/** One request of one client, and all that can be done about it. */
export interface Turn {
  readonly id: Id;
  readonly dialect: Dialect;
  readonly caller: Caller;
  /** The least severe level that the client wants to hear; none: no log messages at all. */
  readonly logLevel: LoggingLevel | undefined;
  /** Aborted when the client gives the request up. */
  readonly signal: AbortSignal;
  /** Looks up an envelope field, where the transport has some that mirror the body. */
  readonly header: ((name: string) => string | undefined) | undefined;
  /** The HTTP request that brought this one, where the transport has headers. */
  readonly request: RequestHeaders | undefined;
  /** The URIs that this client subscribed to, where it does so by request. */
  readonly subscriptions: Subscriptions | undefined;
  /** Reports a problem of which the client is told nothing. */
  report(error: TenonError): void;
  /** Sends a notification on the stream of this request, unless that is answered or given up. */
  notify(method: string, params: JsonObject): void;
  /** The manner of asking this client, for a request with these inputs. */
  asking(inputs: Inputs, boundTo: () => string): Asking;
  /** Set where progress and log messages that come too fast are merged. */
  readonly merging?: Merging | undefined;
  /** Calls `ending` once when the transport is going down, where it tells. */
  readonly whenEnding?: ((ending: () => void) => void) | undefined;
  /** Pings the client of the session on the stream of this request. Absent where the request belongs to no session. */
  readonly ping?: ((options?: PingOptions) => Promise<void>) | undefined;
  /** Ends the connection that waits for the answer, where the client can come back for it. */
  readonly hangUp?: (() => boolean) | undefined;
  /** Remembers that the client was sent to a URL, where it is to be told when the visit is done. */
  readonly elicits?: ((elicitationId: string) => void) | undefined;
  /** Where there is a session: tells its client something that belongs to no request. */
  readonly session?: Session | undefined;
  /** The session in which a task was begun that is worked on here, while that session is there. */
  readonly begunIn?: Session | undefined;
  /** Asks the client on the stream of this request, where that is a request of its own. */
  readonly ask?: Ask | undefined;
  /** Sets the level of the session, where there is one. */
  readonly setLogLevel?: ((level: LoggingLevel) => void) | undefined;
}

export interface Session {
  tell(method: string, params: JsonObject): void;
  /** Asks its client for the sake of no request, where that is asked by requests. */
  ask(...question: Parameters<Ask>): Promise<JsonObject>;
  /** Pings its client, on the stream of the request `relatedTo` where that is given. */
  ping(options?: PingOptions, relatedTo?: Id): Promise<void>;
  /** Calls `ended` once when the session is over. */
  whenOver(ended: () => void): void;
}

export interface Subscriptions {
  add(uri: string): void;
  remove(uri: string): void;
}
