import type { JsonObject } from '../jsonrpc/message.js';
import type { ServerCapabilities } from '../protocol/capabilities.js';
import type { HeaderParam } from '../protocol/header-params.js';
import type { Context } from './context/context.js';
import type { ResolvedTaskOptions } from './definitions/task-options.js';
import type { ExtensionHooks } from './extension.js';
import type { ClientSession, RequestContext } from './request-context.js';

/** What stands in the place of a server's catalogs: it offers what others offer. Its operations may be those of any method. */
export interface ProxyBackend extends ExtensionHooks {
  /** What it declares to everybody. */
  readonly baseCapabilities: ServerCapabilities;
  /** A tool of another. Rejects with what the client is to be told when there is none. */
  getTool(name: string, requestContext: RequestContext): Promise<ProxiedTool>;
  /** What the structured content of a tool is. Nothing when nobody knows. */
  getOutputSchema(name: string, requestContext: RequestContext): Promise<JsonObject | undefined>;
  getInstructions(requester: RequesterInfo): Promise<string | undefined>;
  /** The roots of this session's client have changed. */
  handleRootsChange(session: ClientSession): void;
}

/** Who opens a conversation, or asks what there is. */
export type RequesterInfo = Pick<RequestContext, 'caller' | 'dialect' | 'originSession'> & {
  readonly session?: ClientSession | undefined;
};

/** A tool of another. */
export interface ProxiedTool {
  readonly headerParams: readonly HeaderParam[];
  readonly taskOptions: ResolvedTaskOptions | undefined;
  run(params: JsonObject, context: Context, requestContext: RequestContext): Promise<JsonObject>;
}
