import type { AbortSignalLike } from '../cancellation/lazy-abort-signal.js';
import type { MaybePromise } from '../jsonrpc/maybe-promise.js';
import type { Id, JsonObject } from '../jsonrpc/message.js';

/** Network properties of a connection, in the words of OpenTelemetry. */
export interface NetworkInfo {
  /** `pipe` for stdio, `tcp` for HTTP. Absent in memory. */
  readonly transport?: 'pipe' | 'tcp' | undefined;
  /** `http`, where HTTP is used. */
  readonly protocol?: string | undefined;
  /** Host name or address of the server. Known to its clients. */
  readonly serverAddress?: string | undefined;
  /** Port of the server. */
  readonly serverPort?: number | undefined;
  /** Address of the client. Known to its server. */
  readonly clientAddress?: string | undefined;
}

/** Properties that all messages of a connection have. */
export interface TracedConnection {
  /** The sender of a request is its client, also when it is an MCP server. */
  readonly role: 'client' | 'server';
  /** Negotiated protocol version. */
  readonly protocolVersion?: string | undefined;
  /** ID of the session of Streamable HTTP. */
  readonly sessionId?: string | undefined;
  /** Network properties. */
  readonly network: NetworkInfo;
}

/** A request that is sent or served. */
export interface TracedRequest extends TracedConnection {
  /** Method of the request. */
  readonly method: string;
  /** ID of the request. Absent before it is sent. */
  readonly id?: Id | undefined;
  /** Params of the request. */
  readonly params?: JsonObject | undefined;
  /** True if the tool or prompt is known to exist, false if it is known not to exist. */
  readonly isKnown?: boolean | undefined;
  /** Aborted when the request is cancelled. */
  readonly signal?: AbortSignalLike | undefined;
}

/** A request that is being sent. */
export interface OutgoingTrace {
  /** Members to add to `_meta`, unless the sender has set them. */
  readonly meta: JsonObject;
  /** Records the id and the params of the request, right before it is sent. */
  setRequest(id: Id, params: JsonObject | undefined): void;
}

/**
 * Observes requests and sessions. `createTelemetry` of `tenon/telemetry` creates one for OpenTelemetry. Its functions
 * never throw.
 */
export interface Telemetry {
  /** Traces a request that this process sends: `send` sends it. */
  traceOutgoing(request: TracedRequest, send: (trace: OutgoingTrace) => Promise<JsonObject>): Promise<JsonObject>;
  /** Traces a request that this process serves: `serve` runs inside the trace. */
  traceIncoming(request: TracedRequest, serve: () => MaybePromise<JsonObject>): MaybePromise<JsonObject>;
  /** Measures a session until the returned function is called, with the error that ended it. */
  measureSession(session: TracedConnection): (error?: unknown) => void;
  /** Returns the members of `_meta` that carry the current trace. */
  getTraceContext(): JsonObject;
}
