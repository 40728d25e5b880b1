import {
  describeIssues,
  INVALID_PARAMS,
  isObject,
  type JsonObject,
  METHOD_NOT_FOUND,
  rpcError,
  TenonError,
} from '@tenon/base';
import { RunWithoutInput } from '../../execution/lazy-run.js';
import type { CallerInfo } from '../../handler/context.js';
import type { JsonRpcNotification } from '../../jsonrpc/message.js';
import { checkMeta } from '../../protocol/check-meta.js';
import { MISSING_CLIENT_CAPABILITY } from '../../protocol/error-codes.js';
import { hasScopes, insufficientScope } from '../../protocol/scopes.js';
import { compileSchema } from '../../schemas/compile-schema.js';
import type { Schema } from '../../schemas/standard.js';
import { HandlerContext } from '../context/handler-context.js';
import { finalizeResult } from '../decode-encode.js';
import type { CustomMethod, CustomNotification } from '../definitions/custom-method.js';
import { composeMiddleware, selectMiddleware } from '../middleware/compose-middleware.js';
import type { RequestContext } from '../request-context.js';
import type { ServerRuntime } from '../server-runtime.js';
import { requireJson } from './json-text.js';

/** Runs a custom method. Throws -32601 if it does not exist. */
export async function runCustomMethod(
  server: ServerRuntime,
  method: string,
  params: JsonObject = {},
  requestContext: RequestContext,
): Promise<JsonObject> {
  const custom = findCustomHandler(server, method, requestContext);
  const forwarded = custom === undefined && server.backend.runCustomMethod?.({ method, params, requestContext });
  if (forwarded) return toFinalResult(server, await forwarded, requestContext);
  if (custom === undefined || !('run' in custom))
    throw rpcError(METHOD_NOT_FOUND, `Method not found: ${method.slice(0, 128)}`);
  const { extension } = custom;
  if (extension !== undefined && requestContext.caller.capabilities.extensions?.[extension] === undefined)
    throw rpcError(MISSING_CLIENT_CAPABILITY, `Missing required client capability: ${extension}`, {
      requiredCapabilities: { extensions: { [extension]: {} } },
    });
  if (!hasScopes(requestContext.caller.auth, custom.scopes)) throw insufficientScope(custom.scopes ?? []);
  const input = await checkParams(custom.params, params);
  const context = new HandlerContext(requestContext, new RunWithoutInput(method), params, server.options.state);
  const { use } = server.options;
  const run = composeMiddleware(use === undefined ? [] : selectMiddleware(use, method), async operation =>
    HandlerContext.runDefinition(
      context,
      () => custom.run(input as never, operation.context),
      value => value,
    ),
  );
  const result = await run({ method, name: undefined, params, context });
  if (!isObject(result)) {
    const received = Array.isArray(result) ? 'a list' : result === null ? 'null' : `a value of type ${typeof result}`;
    throw new TenonError('handler/result', `method "${method}": the result is not an object`, {
      expected: 'an object',
      received,
    });
  }
  requireJson(`method "${method}"`, result);
  checkMeta(`the result of ${method}`, result._meta);
  return toFinalResult(server, result, requestContext);
}

const toFinalResult = (server: ServerRuntime, result: JsonObject, { dialect }: RequestContext): JsonObject =>
  dialect.opening === 'per-request' ? finalizeResult(server, result) : result;

/** Runs the handler of a custom notification. Unknown notifications are ignored. */
export async function handleCustomNotification(
  server: ServerRuntime,
  { method, params = {} }: JsonRpcNotification,
  caller: CallerInfo,
): Promise<void> {
  const custom = findCustomHandler(server, method);
  if (custom === undefined || !('handle' in custom)) return;
  if (!hasScopes(caller.auth, custom.scopes)) throw insufficientScope(custom.scopes ?? []);
  const input = await checkParams(custom.params, params);
  await custom.handle(input as never, {
    auth: caller.auth,
    client: { info: caller.client, capabilities: caller.capabilities },
  });
}

/** Finds a method of the server, or of an extension that exists on the protocol version of the request. */
function findCustomHandler(
  { options: { methods, extensions = [] } }: ServerRuntime,
  method: string,
  requestContext?: RequestContext,
): CustomMethod | CustomNotification | undefined {
  const ofExtensions = extensions.map(extension =>
    requestContext && extension.isDeclaredOn?.(requestContext.dialect) === false ? undefined : extension.methods,
  );
  return [methods, ...ofExtensions].find(table => table && Object.hasOwn(table, method))?.[method];
}

async function checkParams(schema: Schema | undefined, params: JsonObject): Promise<unknown> {
  if (schema === undefined) return params;
  const result = await compileSchema(schema, 'input').check(params);
  if (result.ok) return result.value;
  throw rpcError(INVALID_PARAMS, `Invalid params: ${describeIssues(result.issues)}`);
}
