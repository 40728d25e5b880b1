import type { Context } from '../../handler/context.js';
import type { JsonObject } from '../../jsonrpc/message.js';
import type { HeaderParam } from '../../protocol/header-params.js';
import type { ResolvedTaskOptions } from '../../server/definitions/tool.js';
import type { RequestContext } from '../../server/request-context.js';

/** Tool of a server, or own tool of the host. */
export interface ProxiedTool {
  readonly headerParams: readonly HeaderParam[];
  readonly taskOptions: ResolvedTaskOptions | undefined;
  run(params: JsonObject, context: Context, requestContext: RequestContext): Promise<JsonObject>;
}
