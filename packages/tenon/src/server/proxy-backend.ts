import type { JsonObject } from '../jsonrpc/message.js';
import type { ServerCapabilities } from '../protocol/capabilities.js';
import type { HeaderParam } from '../protocol/header-params.js';
import type { Context } from './context/context.js';
import type { ResolvedTaskOptions } from './definitions/task-options.js';
import type { ExtensionHooks } from './extension.js';
import type { ClientSession, RequestContext } from './request-context.js';

/** Replaces the registries of a server by the servers behind it. Its operations may be those of any method. */
export interface ProxyBackend extends ExtensionHooks {
  /** Capabilities that are declared to everybody. */
  readonly baseCapabilities: ServerCapabilities;
  /** A tool of another. Rejects with what the client is to be told when there is none. */
  getTool(name: string, requestContext: RequestContext): Promise<ProxiedTool>;
  /** Returns the output schema of a tool, if known. Nothing when nobody knows. */
  getOutputSchema(name: string, requestContext: RequestContext): Promise<JsonObject | undefined>;
  getInstructions(requester: RequesterInfo): Promise<string | undefined>;
  /** The roots of this session's client have changed. */
  handleRootsChange(session: ClientSession): void;
}

/** Client that initializes or discovers. */
export type RequesterInfo = Pick<RequestContext, 'caller' | 'dialect' | 'originSession'> & {
  readonly session?: ClientSession | undefined;
};

/** A tool of another. */
export interface ProxiedTool {
  readonly headerParams: readonly HeaderParam[];
  readonly taskOptions: ResolvedTaskOptions | undefined;
  run(params: JsonObject, context: Context, requestContext: RequestContext): Promise<JsonObject>;
}
