import { versions } from '../conversation/opening/per-request.js';
import type { JsonObject } from '../jsonrpc/message.js';
import type { Blueprint } from './blueprint.js';
import { capabilitiesFor } from './capabilities.js';
import type { Operation } from './middleware.js';
import { cacheable } from './results.js';
import type { Turn } from './turn.js';

/** `server/discover`. https://modelcontextprotocol.io/specification/2026-07-28/server/discover */
export async function discover(blueprint: Blueprint, _: Operation, turn: Turn): Promise<JsonObject> {
  const { served, options } = blueprint;
  const instructions = options.front ? await options.front.instructions(turn) : blueprint.instructions;
  const result = {
    supportedVersions: versions(served),
    capabilities: capabilitiesFor(blueprint, turn.dialect, turn.caller),
    ...(instructions === undefined ? {} : { instructions }),
  };
  return cacheable(blueprint, result, options.cache);
}
