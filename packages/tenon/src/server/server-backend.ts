import type { JsonObject } from '@tenon/base';
import type { HandlerRun } from '../execution/handler-run.js';
import type { RequestHeaders } from '../jsonrpc/transport.js';
import type { ServerCapabilities } from '../protocol/capabilities.js';
import type { RetryInputs } from '../protocol/params-and-results.js';
import type { SessionChange, SessionState } from '../protocol/request-handler.js';
import type { Dialect } from '../protocol/versions/dialect.js';
import type { ExtensionHooks } from './extension.js';
import type { HasVisibility } from './registry.js';
import type { ClientSession, RequestContext } from './request-context.js';
import type { MethodHandlers, ServerRuntime } from './server-runtime.js';
import type { ListName, Subscriber } from './session/subscription-manager.js';

/** Source of a server's tools, prompts and resources: its own registries, or other servers. */
export interface ServerBackend extends Pick<ExtensionHooks, 'subscribe' | 'close'> {
  readonly methodHandlers: MethodHandlers;
  /** True if another process can continue a session from its stored state alone. */
  readonly canShareSessions?: boolean | undefined;
  /** Capabilities declared to every client, in addition to those of the registries. */
  readonly capabilities?: ServerCapabilities | undefined;
  /**
   * Returns capabilities that depend on the caller. They replace those that are declared to every client. Called after
   * `getInstructions`.
   */
  readonly getCapabilities?: ((requester: RequesterInfo) => ServerCapabilities) | undefined;
  /**
   * True if the server's own registries contain everything that it offers. Only such a server can be mounted in
   * another one.
   */
  readonly usesRegistries?: boolean | undefined;
  /** True if the method handlers run middleware, which may request input. */
  readonly hasMiddleware?: boolean | undefined;
  /** Adds entries to the registries of the server. `announce` reports a change of the added entries. */
  readonly extendRegistries?:
    | ((own: Registries, announce: (list: ListName, items: readonly HasVisibility[]) => void) => Registries)
    | undefined;
  /**
   * Called when a URI gets its first subscriber. Returns a function that ends the watch, or `undefined` to leave the URI
   * to the registries.
   */
  readonly watchResource?: ((uri: string, runtime: ServerRuntime) => (() => void) | undefined) | undefined;
  getInstructions(requester: RequesterInfo, runtime: ServerRuntime): string | undefined | Promise<string | undefined>;
  /** Returns the schema of the structured content of a tool, or `undefined` if it is not known. */
  getOutputSchema(
    name: string,
    requestContext: RequestContext,
    runtime: ServerRuntime,
  ): JsonObject | undefined | Promise<JsonObject | undefined>;
  /** Handles a method that the protocol does not define. Returns `undefined` to leave it to the server. */
  readonly runCustomMethod?: ((request: CustomMethodRequest) => Promise<JsonObject> | undefined) | undefined;
  /** Runs a tool outside the request that called it, without middleware. */
  runTool(call: DetachedToolCall, runtime: ServerRuntime): JsonObject | Promise<JsonObject>;
  /** Returns the reason why this process cannot run this version of a tool, or `undefined` if it can. */
  findObstacle(
    name: string,
    version: string | undefined,
    requestContext: RequestContext,
    runtime: ServerRuntime,
  ): string | undefined | Promise<string | undefined>;
  /** Watches the resources to which sessions subscribe. Absent: the server notifies about its own resources. */
  readonly resourceWatcher?: ResourceWatcher | undefined;
  /** Called when the client of a session notifies that its roots have changed. */
  readonly handleRootsChange?:
    | ((session: ClientSession, onStateChange: ((change: SessionChange) => void) | undefined) => void)
    | undefined;
  /** Called with the state of a session that another process may have changed. */
  readonly applySessionState?: ((session: ClientSession, state: SessionState) => void) | undefined;
}

/** Registries of a server. */
export type Registries = Pick<ServerRuntime, ListName>;

/** A client that opens a session or requests `server/discover`. */
export type RequesterInfo = Pick<RequestContext, 'caller' | 'dialect' | 'originSession'> & {
  readonly session?: ClientSession | undefined;
  /** The HTTP request. Absent on transports without headers. */
  readonly request?: RequestHeaders | undefined;
};

/** A session that subscribes to resources. */
export interface ResourceSession extends ClientSession, Subscriber {
  /** Data of the protocol version of the session. Undefined before the handshake. */
  readonly dialect: Dialect | undefined;
}

/** Watches resources of a backend for sessions. Of the processes with a session, one at a time watches. */
export interface ResourceWatcher {
  /** Begins the watch of a resource for a session. */
  subscribe(session: ResourceSession, uri: string): void;
  /** Ends the watch of a resource. If another process takes over, `isHandedOver` is true. */
  unsubscribe(session: ResourceSession, uri: string, isHandedOver: boolean): void;
}

/** A tool call of a task, without an open request. */
export interface DetachedToolCall {
  readonly params: JsonObject;
  readonly requestContext: RequestContext;
  readonly run: HandlerRun;
  readonly inputs: RetryInputs;
}

/** Request for a method that the protocol does not define. */
export interface CustomMethodRequest {
  readonly method: string;
  readonly params: JsonObject;
  readonly requestContext: RequestContext;
}
