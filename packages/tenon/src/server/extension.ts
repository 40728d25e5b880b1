import type { Clock, JsonObject, Stores, TenonError } from '@tenon/base';
import type { HandlerRun } from '../execution/handler-run.js';
import type { CallerInfo } from '../handler/context.js';
import type { MaybeAsyncResult, MethodOperation } from '../handler/operation.js';
import type { ServerCapabilities } from '../protocol/capabilities.js';
import type { MethodName } from '../protocol/method-types.js';
import type { RetryInputs, SubscriptionFilter } from '../protocol/params-and-results.js';
import type { Dialect } from '../protocol/versions/dialect.js';
import type { CustomMethods } from './definitions/custom-method.js';
import type { Resources } from './definitions/resource.js';
import type { ResolvedTaskOptions } from './definitions/tool.js';
import type { RequestContext } from './request-context.js';

/** An extension of a server. An extension with only an ID and settings is declared to every client. */
export interface ServerExtension {
  /** ID of the extension, with a prefix and a name: `com.example/thing`. */
  readonly id: string;
  /**
   * Settings that are declared to the client.
   * @default `{}`
   */
  readonly settings?: JsonObject | undefined;
  /**
   * Tells if the server declares the extension, and has its methods, on a protocol version. `opening` is `per-request`
   * for versions whose requests need no session.
   * @default on every version
   */
  readonly isDeclaredOn?: ((version: Pick<Dialect, 'opening'>) => boolean) | undefined;
  /** Resources of the extension, by URI or template. Clients list and read them beside those of the server. */
  readonly resources?: Resources | undefined;
  /** Methods of the extension that the protocol does not define, by name. */
  readonly methods?: CustomMethods | undefined;
  /** Called once, when the server is created. */
  readonly setup?: ((host: ExtensionHost) => ExtensionHooks) | undefined;
}

/** Functions of the server that an extension may use. */
export interface ExtensionHost {
  readonly stores: Stores;
  readonly clock: Clock;
  readonly onError: (error: TenonError) => void;
  /** True if each deviation of a client from the protocol is refused. */
  readonly strict?: boolean | undefined;
  /** Runs the handler of a tool without the middleware. Returns its result, also when the handler fails. */
  runTool(
    params: JsonObject,
    requestContext: RequestContext,
    run: HandlerRun,
    inputs: RetryInputs,
  ): JsonObject | Promise<JsonObject>;
  /** Returns the reason why this process cannot run the handler version of a tool, or `undefined` if it can. */
  findObstacle(
    params: JsonObject,
    requestContext: RequestContext,
    version: string | undefined,
  ): Promise<string | undefined>;
  /**
   * Tells if a caller sees a tool, and which scopes the tool requires. An unknown tool is visible and requires none.
   */
  getToolAccess(name: string, caller: CallerInfo): ToolAccess;
  /** Marks a result as final. */
  finalizeResult(result: JsonObject): JsonObject;
  /** Marks a result as the result of a tool, because it is the response to another method than `tools/call`. */
  markToolResult(name: string, result: JsonObject): JsonObject;
}

export interface ToolAccess {
  readonly visible: boolean;
  readonly scopes: readonly string[];
}

export interface ExtensionHooks {
  /** Handlers of the protocol methods that the extension provides. */
  readonly methodHandlers?: { readonly [M in MethodName]?: MethodHandler<M> } | undefined;
  /** Returns further capabilities to declare to this caller, in addition to the settings. */
  readonly getCapabilities?: ((dialect: Dialect, caller: CallerInfo) => ServerCapabilities) | undefined;
  /** Handles a call of a tool instead of the server. Return `undefined` to leave the call to the server. */
  readonly callTool?: ((callTool: ToolCall) => Promise<JsonObject> | undefined) | undefined;
  /**
   * Starts a subscription to the notifications of the extension in the filter. Returns the notifications that the
   * listener gets.
   */
  readonly subscribe?:
    | ((
        requested: SubscriptionFilter,
        requestContext: RequestContext,
      ) => Promise<ExtensionSubscription | undefined> | undefined)
    | undefined;
  /** Called when the server closes. */
  readonly close?: (() => void) | undefined;
}

export type MethodHandler<M extends MethodName> = (call: ExtensionCall<M>) => MaybeAsyncResult;

/** A call of a method that an extension provides. */
export interface ExtensionCall<M extends MethodName> extends MethodOperation<M> {
  readonly requestContext: RequestContext;
}

/** A call of a tool before it starts. */
export interface ToolCall {
  /** Task options of the tool. Undefined if its calls never become tasks. */
  readonly taskOptions: ResolvedTaskOptions | undefined;
  readonly operation: MethodOperation<'tools/call'>;
  readonly requestContext: RequestContext;
  readonly run: HandlerRun;
  /** Runs the handler for this request. */
  invoke(): JsonObject | Promise<JsonObject>;
  /** Continues the handler without a request. `requestContext` replaces the context of the original request. */
  rebind(requestContext: RequestContext, params: JsonObject): void;
}

/** Notifications that one `subscriptions/listen` stream gets. */
export interface ExtensionSubscription {
  /** Lists and resources whose changes the stream gets, of those that the client wants. */
  readonly filter: SubscriptionFilter;
  /** Starts the notifications. Returns a function that stops them. */
  start(deliver: (method: string, params: JsonObject) => void): () => void;
}
