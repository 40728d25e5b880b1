import { versions } from '../conversation/opening/per-request.js';
import type { JsonObject } from '../jsonrpc/message.js';
import { type Blueprint, capabilitiesOf } from './blueprint.js';
import type { Operation } from './middleware.js';
import { cacheable } from './results.js';

/** `server/discover`. https://modelcontextprotocol.io/specification/2026-07-28/server/discover */
export function discover(blueprint: Blueprint, _operation: Operation): JsonObject {
  const { served, instructions, options } = blueprint;
  const result = {
    supportedVersions: versions(served),
    capabilities: capabilitiesOf(blueprint),
    ...(instructions === undefined ? {} : { instructions }),
  };
  return cacheable(blueprint, result, options.cache);
}
