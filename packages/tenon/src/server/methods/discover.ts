import type { JsonObject } from '../../jsonrpc/message.js';
import { listVersions } from '../../protocol/negotiation/classify-request.js';
import { getCapabilitiesFor } from '../capabilities.js';
import type { Operation } from '../middleware/compose-middleware.js';
import type { RequestContext } from '../request-context.js';
import type { ServerRuntime } from '../server-runtime.js';
import { finalizeCacheable } from './finalize-result.js';

/** `server/discover`. https://modelcontextprotocol.io/specification/2026-07-28/server/discover */
export async function discover(
  runtime: ServerRuntime,
  _: Operation,
  requestContext: RequestContext,
): Promise<JsonObject> {
  const { servedDialects, options } = runtime;
  const instructions = options.proxy ? await options.proxy.getInstructions(requestContext) : runtime.instructions;
  const result = {
    supportedVersions: listVersions(servedDialects),
    capabilities: getCapabilitiesFor(runtime, requestContext.dialect, requestContext.caller),
    ...(instructions === undefined ? {} : { instructions }),
  };
  return finalizeCacheable(runtime, result, options.cache);
}
