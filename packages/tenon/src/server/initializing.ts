import type { Dialect } from '../dialects/dialect.js';
import type { JsonObject } from '../jsonrpc/message.js';
import type { Blueprint } from './blueprint.js';
import type { Caller } from './caller.js';
import { capabilitiesFor } from './capabilities.js';
import type { Session } from './turn.js';

/** The answer to a handshake. https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle */
export function initialize(
  blueprint: Blueprint,
  dialect: Dialect,
  caller: Caller,
  session: Session | undefined,
): JsonObject | Promise<JsonObject> {
  const { front } = blueprint.options;
  if (front === undefined) return answered(blueprint, dialect, caller, blueprint.instructions);
  return front.instructions({ caller, dialect, session }).then(theirs => answered(blueprint, dialect, caller, theirs));
}

function answered(blueprint: Blueprint, dialect: Dialect, caller: Caller, instructions?: string): JsonObject {
  const { info } = blueprint;
  const result = {
    protocolVersion: dialect.revision,
    capabilities: capabilitiesFor(blueprint, dialect, caller) as JsonObject,
    serverInfo: info as unknown as JsonObject,
    ...(instructions === undefined ? {} : { instructions }),
  };
  return dialect.speak.down.result('initialize')?.(result, {}) ?? result;
}
