import type { Clock, JsonObject, Stores, TenonError } from '@tenon/base';
import type { HandlerRun } from '../execution/handler-run.js';
import type { LazyStateStore } from '../execution/lazy-run.js';
import type { MaybeAsyncResult, MethodOperation } from '../handler/operation.js';
import type { TolerantConnection } from '../jsonrpc/tolerance.js';
import type { RequestHeaders } from '../jsonrpc/transport.js';
import type { ServerCapabilities } from '../protocol/capabilities.js';
import type { Implementation } from '../protocol/content.js';
import type { ListName } from '../protocol/lists.js';
import type { MethodName, ParamsOf } from '../protocol/method-types.js';
import type { RetryInputs } from '../protocol/params-and-results.js';
import type {
  AnswerRetry,
  LoadRetryForwarding,
  SessionChange,
  SessionState,
  SharedStores,
} from '../protocol/request-handler.js';
import type { Dialect } from '../protocol/versions/dialect.js';
import type { HandlerContext } from './context/handler-context.js';
import type { RateLimits } from './default-rate-limits.js';
import type { MatchedResource } from './definitions/compiled-resource.js';
import type { PromptDefinition } from './definitions/prompt.js';
import type { ResourceDefinition } from './definitions/resource.js';
import type { ServerOptions } from './definitions/server-definition.js';
import type { ToolDefinition } from './definitions/tool.js';
import type { ExtensionHooks } from './extension.js';
import type { HasScopes, HasVisibility, Registry } from './registry.js';
import type { ClientSession, RequestContext } from './request-context.js';
import type { PendingElicitations } from './session/pending-elicitations.js';
import type { SessionPings } from './session/session-ping.js';
import type { Subscriber, SubscriptionManager } from './session/subscription-manager.js';

/** State and functions of a server that all its connections and requests share. */
export interface ServerRuntime extends TolerantConnection {
  readonly info: Implementation;
  readonly instructions: string | undefined;
  readonly options: ServerOptions;
  readonly pageSize: number;
  readonly servedDialects: readonly Dialect[];
  readonly tools: Registry<ToolDefinition>;
  readonly prompts: Registry<PromptDefinition>;
  readonly resources: Registry<ResourceDefinition<never>>;
  readonly subscriptions: SubscriptionManager;
  readonly pendingElicitations: PendingElicitations;
  readonly sessionPings: SessionPings;
  /** Functions that close open `subscriptions/listen` requests when the server closes. */
  readonly closeListeners: Set<() => void>;
  readonly stores: Stores;
  /** The stores, if other processes use them too. Otherwise undefined. */
  readonly sharedStores: SharedStores | undefined;
  readonly requestStates: LazyStateStore;
  /** Begins to pass retries to the process in which their handler waits. `answer` handles those of other processes. */
  readonly forwardRetries: (load: LoadRetryForwarding, answer: AnswerRetry) => void;
  /** Hooks of the extensions. */
  readonly extensionHooks: readonly ExtensionHooks[];
  readonly backend: ServerBackend;
  readonly methodHandlers: MethodHandlers;
  readonly clock: Clock;
  readonly rateLimits: RateLimits;
  readonly onError: (error: TenonError) => void;
}

/** Definitions that calls refer to, as they were found for the scopes that they require. */
export interface FoundDefinitions {
  readonly 'tools/call': { readonly definition: ToolDefinition };
  readonly 'prompts/get': { readonly definition: PromptDefinition };
  readonly 'resources/read': MatchedResource;
  readonly 'resources/subscribe': MatchedResource;
  readonly 'completion/complete': { readonly definition: PromptDefinition | ResourceDefinition<never> };
  readonly 'subscriptions/listen': { readonly definition: HasScopes & { readonly exposeErrors?: undefined } };
}

/** Undefined if there is no such definition, and for methods that refer to none. */
export type FoundOf<M extends MethodName> = M extends keyof FoundDefinitions
  ? FoundDefinitions[M] | undefined
  : undefined;

/** One request of a client for a method, with checked params. It is made once and passed to each step. */
export interface MethodRequest<M extends MethodName = MethodName> {
  readonly server: ServerRuntime;
  /** The caller, its protocol version, and the way to reach the client. */
  readonly requestContext: RequestContext;
  readonly method: M;
  readonly params: ParamsOf<M>;
  readonly found: FoundOf<M>;
}

/** A request whose handler runs. If the handler runs again for the request, it gets another call. */
export interface MethodCall<M extends MethodName = MethodName> extends MethodRequest<M>, MethodOperation<M> {
  readonly method: M;
  readonly params: ParamsOf<M>;
  readonly context: HandlerContext;
  readonly run: HandlerRun;
}

/** Handles a method, after the params are checked and the caller is authorized. */
export type ServerMethodHandler<M extends MethodName> = (call: MethodCall<M>) => MaybeAsyncResult;

export type MethodHandlers = { readonly [M in MethodName]?: ServerMethodHandler<M> };

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
