import type { AbortSignalLike, Clock, JsonObject, MaybePromise, TenonError } from '@tenon/base';
import type { KeepAliveOptions } from '../jsonrpc/keep-alive.js';
import type { Id } from '../jsonrpc/message.js';
import type { MessageObserver } from '../jsonrpc/observe-transport.js';
import type { Transport } from '../jsonrpc/transport.js';
import type { AssumableCapability, ClientCapabilities } from '../protocol/capabilities.js';
import type { Icon, LoggingLevel, Root } from '../protocol/content.js';
import type {
  CreateMessageParams,
  CreateMessageResult,
  ElicitFormParams,
  ElicitResult,
  ElicitUrlParams,
} from '../protocol/input-requests.js';
import type { SuggestedProtocolVersion } from '../protocol/versions/protocol-version.js';
import type { Telemetry } from '../telemetry/telemetry.js';
import type { MemoryOptions } from '../transports/memory.js';
import type { SessionSharing } from './connection/shared-session.js';
import type { VersionCache } from './connection/version-cache.js';

/** Information about a request of the server, in addition to its params. */
export interface ServerRequestInfo {
  /** Signal that is aborted when the server no longer needs the response, or after `answerTimeout`. */
  readonly signal: AbortSignal;
  /** Name of the server in errors. */
  readonly server: string;
  /**
   * Reports progress, which extends the server's timeout. `progress` must increase. Has no effect without a progress
   * token, after the response, and on versions whose servers request input in results.
   * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/progress
   */
  progress(progress: number, total?: number, message?: string): void;
  /** The request on whose stream the server sent this one. Undefined if it is not known. @internal */
  readonly relatedTo?: Id | undefined;
  /** The task that sent the request. Undefined if no task did. @internal */
  readonly task?: string | undefined;
}

/** `ServerRequestInfo` inside the client. Most handlers never read the signal, so its `AbortSignal` is created on access. */
export interface InternalRequestInfo extends Omit<ServerRequestInfo, 'signal'> {
  readonly signal: AbortSignalLike;
}

/** Roots that may change while clients are connected. Each client notifies its server of the changes. */
export interface RootsSource {
  /** Returns the current roots. */
  list(): MaybePromise<readonly Root[]>;
  /** Calls `onChange` after each change of the list. Returns a function that ends the subscription. */
  subscribe(onChange: () => void): () => void;
}

/** Handlers for requests of the server. The client declares a capability for each handler that is present. */
export interface ClientHandlers {
  /**
   * Shows a form to the user and returns the answer. Missing fields of an accepted form get their defaults.
   * @see https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation
   */
  readonly elicit?: ((form: ElicitFormParams, info: ServerRequestInfo) => MaybePromise<ElicitResult>) | undefined;
  /**
   * Lets the user open a URL. Show the domain of the URL, and do not open it without consent.
   * @see https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation
   */
  readonly elicitUrl?: ((params: ElicitUrlParams, info: ServerRequestInfo) => MaybePromise<ElicitResult>) | undefined;
  /**
   * Generates a message with a model. Deprecated in 2026-07-28.
   * @see https://modelcontextprotocol.io/specification/2026-07-28/client/sampling
   */
  readonly sample?:
    | ((request: CreateMessageParams, info: ServerRequestInfo) => MaybePromise<CreateMessageResult>)
    | undefined;
  /**
   * True if `sample` can give tools to the model.
   * @default `false`
   */
  readonly sampleTools?: boolean | undefined;
  /**
   * The folders that servers may use: a list, a function that returns it, or a source that also reports changes
   * (`workspaceRoots` of `tenon/node`). Deprecated in 2026-07-28: configure the folders of a server instead.
   * @see https://modelcontextprotocol.io/specification/2025-11-25/client/roots
   */
  readonly roots?: readonly Root[] | (() => MaybePromise<readonly Root[]>) | RootsSource | undefined;
  /** Returns input requests to the caller instead of answering them. @internal */
  readonly forwarder?: RequestForwarder | undefined;
}

/** Handles requests of a server instead of the client's handlers. It has its own capabilities. */
export interface RequestForwarder {
  readonly capabilities: ClientCapabilities;
  /** Returns the unchanged result, decoded to the newest version. */
  forward(method: string, params: JsonObject, info: ServerRequestInfo): Promise<JsonObject>;
}

/** Options of `client.complete`, for a user who types. */
export interface CompletionOptions {
  /**
   * Time between two requests for one argument, in milliseconds. The first call is sent at once. Of the calls that
   * follow within this time of each other, only the last one is sent, and all of them get its result.
   * @default 100
   */
  readonly debounceDelay?: number | undefined;
  /**
   * Lifetime of a result in the cache, in milliseconds. A change of a list of the server clears the cache.
   * @default 10,000
   */
  readonly ttl?: number | undefined;
}

/** Options of a client. */
export interface ClientOptions extends ClientHandlers, MemoryOptions {
  /**
   * Name of the client, which servers see.
   * @default `tenon`
   */
  readonly name?: string | undefined;
  /**
   * Version of the client.
   * @default the version of this library
   */
  readonly version?: string | undefined;
  /**
   * Name of the client for people.
   * @default `name`
   */
  readonly title?: string | undefined;
  /**
   * Images of the client for user interfaces.
   * @default none
   */
  readonly icons?: Icon[] | undefined;
  /**
   * The only protocol version to use.
   * @default the newest that client and server support
   */
  readonly protocolVersion?: SuggestedProtocolVersion | undefined;
  /**
   * Refuses each deviation of the server from the protocol, also one that does not change the meaning of a message:
   * `null` for an optional member, a missing list, a malformed entry of a result. A call then rejects with
   * `peer/invalid-result`. Otherwise the deviation is tolerated, and the event `error` reports it as `peer/deviation`,
   * once per connection.
   * @default `false`
   */
  readonly strict?: boolean | undefined;
  /**
   * Capabilities to use although the server does not declare them, for a server that has them all the same. The
   * specification forbids requests for a capability that was not declared: the server may not be prepared for them, so
   * a server that you do not know could run code that its author did not mean to publish. Set it for one server only.
   * @default none
   */
  readonly assumeCapabilities?: readonly AssumableCapability[] | undefined;
  /**
   * Starts with this protocol version, and accepts the version that the server prefers. Over HTTP, a version with a
   * handshake is only used if the server then grants a session, or supports no stateless version.
   * @internal
   */
  readonly preferredVersion?: string | undefined;
  /**
   * Called before each connection attempt. Aborting the signal ends the attempt with the reason of the signal, and no
   * other timeout does. `hasProgress` tells if the process of the server has worked since its last call.
   * @internal
   */
  readonly getOpenSignal?: ((hasProgress: () => boolean) => AbortSignal) | undefined;
  /**
   * Maximum time for which a connection attempt waits for a server that refuses it for now, in milliseconds.
   * @default `idleTimeout` or `totalTimeout`, whichever is shorter
   * @internal
   */
  readonly openTimeout?: number | undefined;
  /** The session at the server, if several processes use it. @internal */
  readonly sharedSession?: SessionSharing | undefined;
  /**
   * Extensions that the client supports, by ID: `com.example/thing`.
   * @default settings: `{}`
   */
  readonly extensions?: readonly { readonly id: string; readonly settings?: JsonObject | undefined }[] | undefined;
  /**
   * Lets servers turn tool calls into tasks, which the client waits for.
   * @default `true`
   */
  readonly tasks?: boolean | undefined;
  /**
   * Experimental capabilities, declared to servers.
   * @default none
   */
  readonly experimental?: { readonly [name: string]: JsonObject } | undefined;
  /**
   * Maximum time of a call without a progress notification, in milliseconds. After it the call fails.
   * @default 60,000
   */
  readonly idleTimeout?: number | undefined;
  /**
   * Maximum total time of one call, in milliseconds. The time that the user needs to answer does not count.
   * @default no limit
   */
  readonly totalTimeout?: number | undefined;
  /**
   * Maximum time for the response to the first `server/discover`, in milliseconds. After it the client tries the
   * handshake. For a process it counts from the first byte that the process writes. A process that writes nothing gets
   * three times as long. With `protocolVersion: '2026-07-28'`, which has no handshake, the default is `idleTimeout`.
   * @default 2,000
   */
  readonly probeTimeout?: number | undefined;
  /**
   * Pings the server after `interval` ms without a message. If no response arrives within `timeout` ms, the
   * connection fails with `connection/unresponsive`, and the client opens a new one. `false` sends no pings.
   *
   * On stdio and HTTP+SSE, the default is to ping only after a call has timed out.
   *
   * @default over HTTP: `{ interval: 30_000, timeout: 5_000 }` while a stream for messages of the server is open
   * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/ping
   */
  readonly keepAlive?: KeepAliveOptions | false | undefined;
  /**
   * Maximum number of times that a server may request input within one call or one task.
   * @default 10
   */
  readonly maxRounds?: number | undefined;
  /**
   * Maximum time for one of the client's handlers to answer a request of the server, in milliseconds.
   * @default 1,800,000 (30 minutes)
   */
  readonly answerTimeout?: number | undefined;
  /**
   * Handling of a result that does not match the tool's `outputSchema`.
   * @default `error`
   */
  readonly validate?: 'error' | 'warn' | 'off' | undefined;
  /**
   * Minimum level of the log messages to request, also on later connections. A server that refuses it is used anyway, and
   * the refusal is an event `error`. Deprecated in 2026-07-28.
   * @default the server decides
   */
  readonly logLevel?: LoggingLevel | undefined;
  /**
   * Maximum number of responses in the cache. Each is kept for the lifetime that the server declares. 0 disables the
   * cache.
   * @default 200
   */
  readonly cacheSize?: number | undefined;
  /**
   * Delay and cache of `client.complete`. `false`: each call is sent at once.
   * @default `{ debounceDelay: 100, ttl: 10_000 }`
   */
  readonly completion?: CompletionOptions | false | undefined;
  /**
   * Cache of negotiated protocol versions, so that only the first connection needs a probe.
   * @default a cache of this process
   */
  readonly versionCache?: VersionCache | undefined;
  /**
   * Traces and measures requests: what `createTelemetry` of `tenon/telemetry` returns.
   * @default none
   */
  readonly telemetry?: Telemetry | undefined;
  /**
   * Called with each message that the client sends or receives, in the form of the protocol version. Messages may contain
   * secrets.
   * @default nothing is called
   */
  readonly onMessage?: MessageObserver | undefined;
  /**
   * Wraps the transport of each connection, to inject faults in a test: `transport => withFaults(transport, …)` of
   * `@tenon/testing`. `onMessage` reports the messages below it, as they are on the wire.
   * @default the transport itself
   */
  readonly wrapTransport?: ((transport: Transport) => Transport) | undefined;
  /**
   * Source of time, for tests.
   * @default the clock of the system
   */
  readonly clock?: Clock | undefined;
}

/** State of a connection, as `client.state` and the event `state` report it. */
export type ConnectionState = 'connecting' | 'signing-in' | 'connected' | 'reconnecting' | 'closed' | 'failed';

/** Events of a client. */
export interface ClientEvents {
  /** The state of the connection changed. */
  state: ConnectionState;
  /** The server sent a log message. */
  log: { readonly level: LoggingLevel; readonly logger?: string; readonly data: unknown };
  /** A list or a resource changed on the server. */
  change: { readonly list: 'tools' | 'prompts' | 'resources' } | { readonly uri: string };
  /** The server reported that the user has finished a URL elicitation. */
  elicitationComplete: { readonly elicitationId: string };
  /** An error occurred that no call reported. */
  error: TenonError;
  /** The server sent another notification. */
  notification: { readonly method: string; readonly params: JsonObject; readonly subscription?: Id };
}
