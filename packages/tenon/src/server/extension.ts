import type { Clock } from '../cancellation/clock.js';
import type { HandlerRun } from '../execution/handler-run.js';
import type { TenonError } from '../jsonrpc/error.js';
import type { JsonObject } from '../jsonrpc/message.js';
import type { ServerCapabilities } from '../protocol/capabilities.js';
import type { MethodName } from '../protocol/method-types.js';
import type { RetryInputs, SubscriptionFilter } from '../protocol/params-and-results.js';
import type { Dialect } from '../protocol/versions/dialect.js';
import type { Stores } from '../stores/stores.js';
import type { CallerInfo } from './caller-info.js';
import type { ResolvedTaskOptions } from './definitions/task-options.js';
import type { MaybeAsyncResult, MethodOperation } from './method-handler.js';
import type { RequestContext } from './request-context.js';

/** Adds to a server. With an identifier and settings alone it is declared to every client, and no more. */
export interface ServerExtension {
  /** A prefix and a name: `com.example/thing`. */
  readonly id: string;
  /** Declared to the client. Default `{}`. */
  readonly settings?: JsonObject | undefined;
  /** Called once, when the server is made. */
  readonly setup?: ((host: ExtensionHost) => ExtensionHooks) | undefined;
}

/** Members of a server that its extensions may use. */
export interface ExtensionHost {
  readonly stores: Stores;
  readonly clock: Clock;
  readonly onError: (error: TenonError) => void;
  /** Runs a tool's handler, and gives its result: also when it fails. The middleware is not passed. */
  runTool(
    params: JsonObject,
    requestContext: RequestContext,
    run: HandlerRun,
    inputs: RetryInputs,
  ): JsonObject | Promise<JsonObject>;
  /** Returns the reason why this process cannot run a tool's handler of this version, or `undefined` if it can. */
  findObstacle(
    params: JsonObject,
    requestContext: RequestContext,
    version: string | undefined,
  ): Promise<string | undefined>;
  /**
   * Returns if a caller sees a tool, and the scopes that the tool requires. An unknown tool is visible and requires
   * none.
   */
  getToolAccess(name: string, caller: CallerInfo): ToolAccess;
  /** Marks a result as final. */
  finalizeResult(result: JsonObject): JsonObject;
  /** Marks a result as that of a tool, though it answers another method. */
  markToolResult(name: string, result: JsonObject): JsonObject;
}

export interface ToolAccess {
  readonly visible: boolean;
  readonly scopes: readonly string[];
}

export interface ExtensionHooks {
  /** Handlers of protocol methods that belong to the extension. */
  readonly methodHandlers?: { readonly [M in MethodName]?: MethodHandler<M> } | undefined;
  /** Returns further capabilities to declare to this caller, beside the settings. */
  readonly getCapabilities?: ((dialect: Dialect, caller: CallerInfo) => ServerCapabilities) | undefined;
  /** Serves a call of a tool in its own way; undefined leaves it to the server. */
  readonly callTool?: ((callTool: ToolCall) => Promise<JsonObject> | undefined) | undefined;
  /** Returns the notifications that a listener gets, out of those that it requests. */
  readonly subscribe?:
    | ((
        requested: SubscriptionFilter,
        requestContext: RequestContext,
      ) => Promise<ExtensionSubscription | undefined> | undefined)
    | undefined;
  /** The server closes. */
  readonly close?: (() => void) | undefined;
}

export type MethodHandler<M extends MethodName> = (
  operation: MethodOperation<M>,
  requestContext: RequestContext,
) => MaybeAsyncResult;

/** A call of a tool that may begin. */
export interface ToolCall {
  /** Task options of the tool; undefined if its calls never become tasks. */
  readonly taskOptions: ResolvedTaskOptions | undefined;
  readonly operation: MethodOperation<'tools/call'>;
  readonly requestContext: RequestContext;
  readonly run: HandlerRun;
  /** Runs the handler for this request. */
  invoke(): JsonObject | Promise<JsonObject>;
  /** Continues the handler without a request. `context` replaces the context of the original request. */
  rebind(requestContext: RequestContext, params: JsonObject): void;
}

export interface ExtensionSubscription {
  readonly filter: SubscriptionFilter;
  /** Starts to notify. Returns a function that stops it. */
  start(deliver: (method: string, params: JsonObject) => void): () => void;
}
