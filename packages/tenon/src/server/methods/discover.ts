import type { MethodOperation } from '../../handler/operation.js';
import type { JsonObject } from '../../jsonrpc/message.js';
import { listVersions } from '../../protocol/negotiation/classify-request.js';
import { getCapabilitiesFor } from '../capabilities.js';
import { finalizeCacheable } from '../decode-encode.js';
import type { RequestContext } from '../request-context.js';
import type { ServerRuntime } from '../server-runtime.js';

/**
 * Handles `server/discover`.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/discover
 */
export async function discover(
  _: MethodOperation<'server/discover'>,
  requestContext: RequestContext,
  runtime: ServerRuntime,
): Promise<JsonObject> {
  const { servedDialects, options } = runtime;
  const instructions = await runtime.backend.getInstructions(requestContext, runtime);
  const result = {
    supportedVersions: listVersions(servedDialects),
    capabilities: getCapabilitiesFor(runtime, requestContext),
    ...(instructions === undefined ? {} : { instructions }),
  };
  return finalizeCacheable(runtime, result, options.cache);
}
