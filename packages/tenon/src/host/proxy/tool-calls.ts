import type { Context } from '../../handler/context.js';
import type { MethodOperation } from '../../handler/operation.js';
import { catchMaybe, type MaybePromise, thenMaybe } from '../../jsonrpc/maybe-promise.js';
import { isObject, type JsonObject } from '../../jsonrpc/message.js';
import type { Tool } from '../../protocol/content.js';
import { type HeaderParam, readHeaderParams } from '../../protocol/header-params.js';
import { describeUnknownName } from '../../protocol/unknown-name.js';
import { HandlerContext } from '../../server/context/handler-context.js';
import type { ResolvedTaskOptions } from '../../server/definitions/tool.js';
import { runTool as runServerTool } from '../../server/methods/tools/call-tool.js';
import { checkHeaderParams } from '../../server/methods/tools/check-header-params.js';
import type { RequestContext } from '../../server/request-context.js';
import type { DetachedToolCall } from '../../server/server-backend.js';
import type { ServerRuntime } from '../../server/server-runtime.js';
import { resolveMetaTool } from '../catalog/budget/resolve-meta-tool.js';
import type { ResolvedTool } from '../catalog/host-catalog.js';
import { getTaskSupport } from '../catalog/task-support.js';
import type { ActionRequest } from '../security/policy/action-request.js';
import { createToolRequest } from './action-requests.js';
import { forward, type ProxiedRequest } from './forward.js';
import { forwardResolved } from './forward-resolved.js';
import type { GatewayContext } from './gateway-context.js';
import type { ProxiedTool } from './proxied-tool.js';
import { withPublicUris } from './public-uris.js';
import { resolveName } from './resolve-target.js';
import { findSignedIn } from './sign-in-tools.js';

const headerParams = new WeakMap<Tool, readonly HeaderParam[]>();

/** Calls a tool at its server, which validates the arguments. */
export function callUpstreamTool(
  gateway: GatewayContext,
  operation: MethodOperation<'tools/call'>,
  requestContext: RequestContext,
  runtime: ServerRuntime,
): MaybePromise<JsonObject> {
  const { params, context } = operation;
  return thenMaybe(resolveTool(gateway, params.name, requestContext), tool => {
    if (tool.headerParams.length > 0) checkHeaderParams(tool.headerParams, params.arguments, requestContext);
    return runServerTool(operation, requestContext, runtime, tool.taskOptions, () =>
      tool.run(params, context, requestContext),
    );
  });
}

/** Runs a tool call of a task. */
export async function runUpstreamTool(
  gateway: GatewayContext,
  { params, requestContext, run, inputs }: DetachedToolCall,
): Promise<JsonObject> {
  const tool = await resolveTool(gateway, String(params.name), requestContext);
  return tool.run(params, new HandlerContext(requestContext, run, params, undefined, inputs), requestContext);
}

/**
 * Returns the reason why a task cannot run. Only a missing tool is one, because the server handles versions of a tool.
 */
export async function findObstacle(
  gateway: GatewayContext,
  name: string,
  requestContext: RequestContext,
): Promise<string | undefined> {
  const resolving = catchMaybe<ProxiedTool | undefined>(
    () => resolveTool(gateway, name, requestContext),
    () => undefined,
  );
  const tool = await resolving;
  return tool === undefined ? describeUnknownName('tool', name, []) : undefined;
}

/** Returns a tool for a caller: a tool of a server, or one of the search, describe and call tools. */
function resolveTool(gateway: GatewayContext, name: string, requestContext: RequestContext): MaybePromise<ProxiedTool> {
  let moveToTask: (() => void) | undefined;
  const setMoveToTask = (callback: () => void) => {
    moveToTask = callback;
  };
  const find = (own: string) => resolveServerTool(gateway, own, requestContext, setMoveToTask, () => moveToTask?.());
  return findSignedIn(gateway, name, requestContext, () =>
    thenMaybe(resolveMetaTool(gateway, name, requestContext, find, setMoveToTask), tool => tool ?? find(name)),
  );
}

function resolveServerTool(
  gateway: GatewayContext,
  name: string,
  requestContext: RequestContext,
  setMoveToTask: (moveToTask: () => void) => void,
  moveToTask: () => void,
): MaybePromise<ProxiedTool> {
  return thenMaybe(resolveName(gateway, 'tools', name, requestContext, 'tools/call'), route => ({
    headerParams: getHeaderParams(route.entry),
    taskOptions: requestContext.dialect.tasks === undefined ? undefined : createTaskOptions(route, setMoveToTask),
    run: (params, context, now) =>
      forwardResolved(
        route,
        'tools/call',
        () => resolveName(gateway, 'tools', name, requestContext, 'tools/call'),
        open => forwardToolCall(gateway, open, params, context, now, moveToTask),
      ),
  }));
}

function getHeaderParams(tool: Tool): readonly HeaderParam[] {
  const known = headerParams.get(tool);
  if (known) return known;
  const found = readHeaderParams(tool.inputSchema as JsonObject);
  const sound = typeof found === 'string' ? [] : found;
  headerParams.set(tool, sound);
  return sound;
}

/** Creates the task options of a call. The server decides which calls become tasks. */
function createTaskOptions(
  { connection, entry }: ResolvedTool<'tools'>,
  setMoveToTask: (depart: () => void) => void,
): ResolvedTaskOptions | undefined {
  const support = getTaskSupport(connection, entry);
  return support === undefined ? undefined : { support, setMoveToTask };
}

function forwardToolCall(
  gateway: GatewayContext,
  { connection, name, entry }: ResolvedTool<'tools'>,
  params: JsonObject,
  context: Context,
  requestContext: RequestContext,
  moveToTask: () => void,
): Promise<JsonObject> {
  const args = isObject(params.arguments) ? params.arguments : {};
  const proxiedRequest = {
    connection,
    method: 'tools/call',
    params: { ...params, name },
    context,
    requestContext,
    allowQuestions: true,
    moveToTask,
  };
  return forwardGuarded(
    gateway,
    createToolRequest(connection, entry, args, requestContext.caller.auth),
    proxiedRequest,
    entry,
  );
}

/** Authorizes an action, executes it, and processes its result. */
export async function forwardGuarded(
  gateway: GatewayContext,
  actionRequest: ActionRequest,
  proxiedRequest: Omit<ProxiedRequest, 'questions'>,
  tool?: Tool,
): Promise<JsonObject> {
  const { guard } = gateway;
  const { connection, context, requestContext } = proxiedRequest;
  const denied = await guard.authorizeCall(actionRequest, context, connection, tool);
  if (denied) return denied;
  let result: JsonObject;
  try {
    result = await forward({ ...proxiedRequest, questions: guard.createQuestionHandler(connection) });
  } catch (error) {
    guard.recordFailure(actionRequest, error);
    throw error;
  }
  if (result.resultType === 'input_required') return result;
  return guard.processResult(
    actionRequest,
    toPublicUris(gateway, connection.server, requestContext, result),
    tool?.outputSchema !== undefined,
  );
}

function toPublicUris(
  gateway: GatewayContext,
  server: string,
  requestContext: RequestContext,
  result: JsonObject,
): JsonObject {
  if (gateway.registry.servers.length === 1) return result;
  const catalog = gateway.getCatalog(gateway.getScope(requestContext));
  return withPublicUris(result, uri => catalog.toPublicUri(server, uri));
}
