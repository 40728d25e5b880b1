import type { HandlerRun } from '../execution/handler-run.js';
import type { JsonObject } from '../jsonrpc/message.js';
import type { ServerCapabilities } from '../protocol/capabilities.js';
import type { RetryInputs } from '../protocol/params-and-results.js';
import type { ExtensionHooks } from './extension.js';
import type { MethodHandlers } from './method-handler.js';
import type { ClientSession, RequestContext } from './request-context.js';
import type { ServerRuntime } from './server-runtime.js';

/** Source of a server's tools, prompts and resources: its own registries, or other servers. */
export interface ServerBackend extends Pick<ExtensionHooks, 'subscribe' | 'close'> {
  readonly methodHandlers: MethodHandlers;
  /** True if another process can continue a session from its stored state alone. */
  readonly canShareSessions?: boolean | undefined;
  /** Capabilities declared to every client, in addition to those of the registries. */
  readonly capabilities?: ServerCapabilities | undefined;
  getInstructions(requester: RequesterInfo, runtime: ServerRuntime): string | undefined | Promise<string | undefined>;
  /** Returns the schema of the structured content of a tool, or `undefined` if it is not known. */
  getOutputSchema(
    name: string,
    requestContext: RequestContext,
    runtime: ServerRuntime,
  ): JsonObject | undefined | Promise<JsonObject | undefined>;
  /** Runs a tool outside the request that called it, without middleware. */
  runTool(call: DetachedToolCall, runtime: ServerRuntime): JsonObject | Promise<JsonObject>;
  /** Returns the reason why this process cannot run this version of a tool, or `undefined` if it can. */
  findObstacle(
    name: string,
    version: string | undefined,
    requestContext: RequestContext,
    runtime: ServerRuntime,
  ): string | undefined | Promise<string | undefined>;
  /** Called when the client of a session notifies that its roots have changed. */
  readonly handleRootsChange?: ((session: ClientSession) => void) | undefined;
}

/** A client that opens a session or requests `server/discover`. */
export type RequesterInfo = Pick<RequestContext, 'caller' | 'dialect' | 'originSession'> & {
  readonly session?: ClientSession | undefined;
};

/** A tool call of a task, without an open request. */
export interface DetachedToolCall {
  readonly params: JsonObject;
  readonly requestContext: RequestContext;
  readonly run: HandlerRun;
  readonly inputs: RetryInputs;
}
