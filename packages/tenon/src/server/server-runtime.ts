import type { Clock, Stores, TenonError } from '@tenon/base';
import type { HandlerRun } from '../execution/handler-run.js';
import type { LazyStateStore } from '../execution/lazy-run.js';
import type { MaybeAsyncResult, MethodOperation } from '../handler/operation.js';
import type { TolerantConnection } from '../jsonrpc/tolerance.js';
import type { Implementation } from '../protocol/content.js';
import type { MethodName, ParamsOf } from '../protocol/method-types.js';
import type { AnswerRetry, LoadRetryForwarding, SharedStores } from '../protocol/request-handler.js';
import type { Dialect } from '../protocol/versions/dialect.js';
import type { HandlerContext } from './context/handler-context.js';
import type { RateLimits } from './default-rate-limits.js';
import type { MatchedResource } from './definitions/compiled-resource.js';
import type { PromptDefinition } from './definitions/prompt.js';
import type { ResourceDefinition } from './definitions/resource.js';
import type { ServerOptions } from './definitions/server-definition.js';
import type { ToolDefinition } from './definitions/tool.js';
import type { ExtensionHooks } from './extension.js';
import type { HasScopes, Registry } from './registry.js';
import type { RequestContext } from './request-context.js';
import type { ServerBackend } from './server-backend.js';
import type { PendingElicitations } from './session/pending-elicitations.js';
import type { SessionPings } from './session/session-ping.js';
import type { SubscriptionManager } from './session/subscription-manager.js';

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
