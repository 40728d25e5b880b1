import type { JsonObject } from '@tenon/base';
import { listVersions } from '../../protocol/negotiation/classify-request.js';
import { getCapabilitiesFor } from '../capabilities.js';
import { finalizeCacheable } from '../decode-encode.js';
import type { MethodCall } from '../server-runtime.js';

/**
 * Handles `server/discover`.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/discover
 */
export async function discover({ requestContext, server }: MethodCall<'server/discover'>): Promise<JsonObject> {
  const { servedDialects, options } = server;
  const instructions = await server.backend.getInstructions(requestContext, server);
  const result = {
    supportedVersions: listVersions(servedDialects),
    capabilities: getCapabilitiesFor(server, requestContext),
    ...(instructions === undefined ? {} : { instructions }),
  };
  return finalizeCacheable(server, result, options.cache);
}
