import { withoutAsking } from '../conversation/asking/without-asking.js';
import { INVALID_PARAMS, METHOD_NOT_FOUND } from '../jsonrpc/codes.js';
import { rpcError, TenonError } from '../jsonrpc/error.js';
import { isObject, type JsonObject, type Notification, type Request } from '../jsonrpc/message.js';
import { MISSING_CLIENT_CAPABILITY } from '../model/codes.js';
import { checkMeta } from '../model/meta-keys.js';
import { insufficientScope } from '../model/scopes.js';
import { describeIssues } from '../schemas/issues.js';
import type { Schema } from '../schemas/standard.js';
import { compile } from '../schemas/validate.js';
import type { Blueprint } from './blueprint.js';
import type { Caller } from './caller.js';
import { Context } from './context.js';
import type { CustomMethod, CustomNotification } from './custom.js';
import { requireJson } from './json-text.js';
import { layersOn, onion } from './middleware.js';
import { complete } from './results.js';
import { mayUse } from './scopes.js';
import type { Turn } from './turn.js';

/** Runs a method that the author added. Throws -32601 where there is none. */
export async function runCustom(
  blueprint: Blueprint,
  { method, params = {} }: Request,
  turn: Turn,
): Promise<JsonObject> {
  const custom = own(blueprint, method);
  if (custom === undefined || !('run' in custom))
    throw rpcError(METHOD_NOT_FOUND, `Method not found: ${method.slice(0, 128)}`);
  requireExtension(custom, turn);
  if (!mayUse(turn.caller, custom)) throw insufficientScope(custom.scopes ?? []);
  const input = await checked(custom.params, params);
  const context = new Context(turn, withoutAsking(method), params, blueprint.options.state);
  const layers = layersOn(blueprint.options.use, method);
  const run = onion(layers, async operation => custom.run(input as never, operation.context));
  const result = await run({ method, name: undefined, params, context });
  if (!isObject(result)) {
    const got = Array.isArray(result) ? 'a list' : result === null ? 'null' : `a value of type ${typeof result}`;
    throw new TenonError('handler/result', `method "${method}": the result is no object`, {
      expected: 'an object',
      got,
    });
  }
  requireJson(`method "${method}"`, result);
  checkMeta(`the result of ${method}`, result._meta);
  return turn.dialect.opening === 'per-request' ? complete(blueprint, result) : result;
}

/** Hands a notification that the author listens for to its handler. Others are ignored. */
export async function hearCustom(
  blueprint: Blueprint,
  { method, params = {} }: Notification,
  caller: Caller,
): Promise<void> {
  const custom = own(blueprint, method);
  if (custom === undefined || !('hear' in custom)) return;
  if (!mayUse(caller, custom)) throw insufficientScope(custom.scopes ?? []);
  const input = await checked(custom.params, params);
  await custom.hear(input as never, {
    auth: caller.auth,
    client: { info: caller.client, capabilities: caller.capabilities },
  });
}

function own({ options }: Blueprint, method: string): CustomMethod | CustomNotification | undefined {
  return options.methods && Object.hasOwn(options.methods, method) ? options.methods[method] : undefined;
}

function requireExtension({ extension }: CustomMethod, { caller }: Turn): void {
  if (extension === undefined || caller.capabilities.extensions?.[extension] !== undefined) return;
  throw rpcError(MISSING_CLIENT_CAPABILITY, `Missing required client capability: ${extension}`, {
    requiredCapabilities: { extensions: { [extension]: {} } },
  });
}

async function checked(schema: Schema | undefined, params: JsonObject): Promise<unknown> {
  if (schema === undefined) return params;
  const result = await compile(schema, 'input').check(params);
  if (result.ok) return result.value;
  throw rpcError(INVALID_PARAMS, `Invalid params: ${describeIssues(result.issues)}`);
}
