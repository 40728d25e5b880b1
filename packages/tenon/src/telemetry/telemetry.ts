import type { AbortSignalLike, Clock, JsonObject, MaybePromise } from '@tenon/base';
import type { Id } from '../jsonrpc/message.js';
import type { Peer } from '../jsonrpc/peer.js';
import type { PeerHandler } from '../jsonrpc/peer-handler.js';
import type { MessageContext, Transport } from '../jsonrpc/transport.js';

/** Network properties of a connection, in the words of OpenTelemetry. */
export interface NetworkInfo {
  /** `pipe` for stdio, `tcp` for HTTP. Absent in memory. */
  readonly transport?: 'pipe' | 'tcp' | undefined;
  /** `http`, where HTTP is used. */
  readonly protocol?: string | undefined;
  /** Version of that protocol, such as `1.1`. */
  readonly protocolVersion?: string | undefined;
  /** Host name or address of the server. Known to its clients. */
  readonly serverAddress?: string | undefined;
  /** Port of the server. */
  readonly serverPort?: number | undefined;
  /** Address of the client. Known to its server. */
  readonly clientAddress?: string | undefined;
  /** Port of the client. Known to its server, unless a proxy is between them. */
  readonly clientPort?: number | undefined;
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
  /** Name of the server in a host that sends it requests. */
  readonly upstream?: string | undefined;
  /**
   * True for connections of a gateway. Its messages may contain the trace context of another sender. The context of
   * the gateway replaces it, if the gateway has one.
   */
  readonly forwards?: boolean | undefined;
}

/** Returns the properties of a connection, with those of the message that came, if there is one. */
export type DescribeConnection = (context?: MessageContext) => Omit<TracedConnection, 'role'> & {
  /** Versions that a server accepts in messages that name their own. */
  readonly servedDialects?: readonly { readonly protocolVersion: string }[] | undefined;
};

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
  /** The call of which the request is a round. Absent for requests without rounds. */
  readonly call?: TracedCall | undefined;
  /** Aborted when the request is cancelled. */
  readonly signal?: AbortSignalLike | undefined;
}

/** A call of one or more rounds, each of which is a request. */
export interface TracedCall {
  /** Number of the current round, from 1. */
  readonly round: number;
  /** Context of the first round, in which the later ones are traced too. The telemetry sets it. */
  context?: unknown;
}

/** Details of a request that are known while it is served. Few different values exist. */
export interface RequestDetails {
  /** Number of the round of the call, from 1. */
  readonly round?: number | undefined;
  /** Name of the server in the host to which the request goes. */
  readonly upstream?: string | undefined;
  /** Decision of a host: that of its policy, `limited` by a quota, or `blocked` by the lock or the configuration. */
  readonly decision?: 'allow' | 'ask' | 'deny' | 'limited' | 'blocked' | undefined;
  /** `hit` if a list was in the cache of a host. */
  readonly cache?: 'hit' | 'miss' | undefined;
}

/** State of a host, which is measured again and again. */
export interface HostMeasurement {
  /** Number of connections to each server by state, and of running calls. */
  readonly upstreams: readonly UpstreamMeasurement[];
  /** Number of calls that wait for an approval. */
  readonly pendingApprovals: number;
  /** Number of servers whose start waits until another process may be stopped. */
  readonly waitingStarts: number;
}

/** State of one server of a host. */
export interface UpstreamMeasurement {
  /** Name of the server in the host. */
  readonly name: string;
  /** Number of connections in each state. */
  readonly states: Readonly<Record<string, number>>;
  /** Number of running calls. */
  readonly calls: number;
}

/** A request that is being sent. */
export interface OutgoingTrace {
  /** Members to add to `_meta`. Those that the sender has set have precedence, except on connections of a gateway. */
  readonly meta: JsonObject;
  /** Records the id and the params of the request, right before it is sent. */
  setRequest(id: Id, params: JsonObject | undefined): void;
}

/** Format of stored records, and the kind of these records. */
export interface StoredFormat {
  /** Kind of the records, such as `session`. */
  readonly kind: string;
  /** Format version that the records have. */
  readonly format: string;
}

/**
 * Observes requests and sessions. `createTelemetry` of `tenon/telemetry` creates one for OpenTelemetry. Its functions
 * never throw.
 */
export interface Telemetry {
  /**
   * Creates the peer of a connection. It traces its messages, and measures its session.
   *
   * @param tracer Telemetry that the peer uses. Default: this one.
   */
  createPeer(
    transport: Transport,
    handler: PeerHandler,
    clock: Clock,
    describe: DescribeConnection,
    tracer?: Telemetry,
  ): Peer;
  /** Traces a request that this process sends: `send` sends it. */
  traceOutgoing(request: TracedRequest, send: (trace: OutgoingTrace) => Promise<JsonObject>): Promise<JsonObject>;
  /** Traces a request that this process serves: `serve` runs inside the trace. */
  traceIncoming(request: TracedRequest, serve: () => MaybePromise<JsonObject>): MaybePromise<JsonObject>;
  /** Measures a session until the returned function is called, with the error that ended it. */
  measureSession(session: TracedConnection): (error?: unknown) => void;
  /**
   * Traces a notification that this process sends, if notifications are traced. `send` gets members of `_meta`, and the
   * function that adds them to params.
   */
  traceOutgoingNotification<T>(
    notification: TracedRequest,
    send: (meta: JsonObject, addTo: (params: JsonObject, meta: JsonObject) => JsonObject) => T,
  ): T;
  /** Traces a notification that this process receives, if notifications are traced. */
  traceIncomingNotification(notification: TracedRequest, handle: () => void): void;
  /** Adds details about the request that is currently served to its span and its measurement. */
  addDetails(details: RequestDetails): void;
  /** Counts a sign-in of a caller at a server of a host. */
  countSignIn(upstream: string, outcome: string): void;
  /** Counts an attempt of a host to renew the access token for a server. */
  countTokenRefresh(upstream: string, outcome: 'refreshed' | 'failed'): void;
  /** Measures a host until the returned function is called. */
  observeHost(measure: () => Promise<HostMeasurement>): () => void;
  /** Measures the formats of stored records that this process cannot read, until the returned function is called. */
  observeUnknownFormats(list: () => readonly StoredFormat[]): () => void;
}
