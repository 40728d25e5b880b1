import type { Dialect } from '../dialects/dialect.js';
import type { JsonObject } from '../jsonrpc/message.js';
import type { Blueprint } from './blueprint.js';
import type { Caller } from './caller.js';
import { capabilitiesFor } from './capabilities.js';

/** The answer to a handshake. https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle */
export function initialize(blueprint: Blueprint, dialect: Dialect, caller: Caller): JsonObject {
  const { info, instructions } = blueprint;
  const result = {
    protocolVersion: dialect.revision,
    capabilities: capabilitiesFor(blueprint, dialect, caller) as JsonObject,
    serverInfo: info as unknown as JsonObject,
    ...(instructions === undefined ? {} : { instructions }),
  };
  return dialect.speak.down.result('initialize')?.(result, {}) ?? result;
}
