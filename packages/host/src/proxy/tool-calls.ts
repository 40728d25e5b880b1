import {
  catchMaybe,
  describeUnknownName,
  getKeptScheme,
  INTERNAL_ERROR,
  INVALID_PARAMS,
  type JsonObject,
  rpcError,
  toJsonObject,
  withPublicUris,
} from '@tenon/base';
import type { Tool } from 'tenon';
import { HandlerContext, runProxiedTool } from 'tenon/host-internals';
import type { ProxyBackend, ProxyCall, RequestContext } from 'tenon/proxy';
import { resolveMetaTool } from '../catalog/budget/resolve-meta-tool.js';
import { isMarkedForApps } from '../catalog/page-meta.js';
import { getTaskSupport } from '../catalog/task-support.js';
import { lacksTaskExtension } from '../connections/connection-scope.js';
import type { ActionRequest } from '../security/policy/action-request.js';
import { createToolRequest } from './action-requests.js';
import { forward, type ProxiedRequest } from './forward.js';
import { forwardResolved } from './forward-resolved.js';
import type { GatewayContext } from './gateway-context.js';
import type { ProxiedCall, ProxiedTool } from './proxied-tool.js';
import { resolveName } from './resolve-target.js';
import { findOrSignIn } from './sign-in-tools.js';

/** Calls a tool at its server, which validates the arguments. */
export async function callUpstreamTool(gateway: GatewayContext, call: ProxyCall<'tools/call'>): Promise<JsonObject> {
  const { params, context, run, requestContext } = call;
  const tool = await resolveTool(gateway, params.name, requestContext);
  const proxiedCall: ProxiedCall = { context, run, requestContext };
  const setMoveToTask = (moveToTask: () => void) => {
    proxiedCall.moveToTask = moveToTask;
  };
  const taskOptions = tool.taskSupport && { support: tool.taskSupport, setMoveToTask };
  const { inputSchema } = tool;
  return runProxiedTool(call, { inputSchema, taskOptions, handler: () => tool.run(params, proxiedCall) });
}

/** Runs a tool call of a task. */
export async function runUpstreamTool(
  gateway: GatewayContext,
  { params, requestContext, run, inputs }: Parameters<NonNullable<ProxyBackend['runTool']>>[0],
): Promise<JsonObject> {
  const tool = await resolveTool(gateway, String(params.name), requestContext);
  const context = new HandlerContext(requestContext, run, params, undefined, inputs);
  return tool.run(params, { context, run, requestContext });
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

/** Returns a tool for a caller: a tool of a server, or one of the search, describe, call and sign-in tools. */
async function resolveTool(
  gateway: GatewayContext,
  name: string,
  requestContext: RequestContext,
): Promise<ProxiedTool> {
  const { budget, codeMode, callerSignIn } = gateway;
  const find = (own: string) => resolveServerTool(gateway, own, requestContext);
  const resolve = async (): Promise<ProxiedTool> => {
    const own = await resolveMetaTool(gateway, name, requestContext, find);
    if (own) return own;
    const tool = await find(name);
    // Pages of apps may call their tools. Programs alone may call the others.
    if (codeMode?.policy !== 'only' || tool.isForPages?.()) return tool;
    throw rpcError(
      INVALID_PARAMS,
      `Unknown tool: ${name}. This gateway offers its tools to programs only. Call it in a program of run_program`,
    );
  };
  const hasMetaTools = budget !== undefined || codeMode !== undefined;
  if (callerSignIn === undefined) return hasMetaTools ? resolve() : find(name);
  return findOrSignIn(gateway, name, requestContext, hasMetaTools ? resolve : () => find(name));
}

async function resolveServerTool(
  gateway: GatewayContext,
  name: string,
  requestContext: RequestContext,
): Promise<ProxiedTool> {
  const resolve = () => resolveName(gateway, 'tools', name, requestContext, 'tools/call');
  const route = await resolve();
  const { caller, dialect } = requestContext;
  // A caller without the extension never gets a task.
  const canGetTasks = dialect.tasks !== undefined && !lacksTaskExtension(caller.capabilities, dialect);
  return {
    inputSchema: route.entry.inputSchema as JsonObject,
    isForPages: () => isMarkedForApps(route.entry),
    taskSupport: canGetTasks ? getTaskSupport(route.connection, route.entry) : undefined,
    run: (params, call) =>
      forwardResolved(route, 'tools/call', resolve, ({ connection, name: ownName, entry }) => {
        const given = toJsonObject(params.arguments);
        const args = gateway.guard.getToolNames(connection.server)?.changeArguments(ownName, given) ?? given;
        const isSame = ownName === params.name && args === given;
        const own = isSame ? params : { ...params, name: ownName, ...(args === given ? {} : { arguments: args }) };
        return forwardGuarded(gateway, {
          connection,
          method: 'tools/call',
          params: own,
          call,
          actionRequest: createToolRequest(connection, entry, args, call.requestContext.caller.auth),
          tool: entry,
        });
      }),
  };
}

/** Request that is authorized before it is sent. */
interface GuardedRequest extends Pick<ProxiedRequest, 'connection' | 'method' | 'params' | 'call'> {
  readonly actionRequest: ActionRequest;
  /**
   * Definition of the called tool.
   * @default the request calls no tool
   */
  readonly tool?: Tool | undefined;
}

/** Authorizes an action, executes it, and processes its result. The audit log gets the end of each executed action. */
export async function forwardGuarded(gateway: GatewayContext, request: GuardedRequest): Promise<JsonObject> {
  const { guard, registry } = gateway;
  const { connection, method, params, call, actionRequest, tool } = request;
  try {
    const denied = await guard.authorizeCall(actionRequest, call.context, connection, tool);
    if (denied) return denied;
    const onInputRequested = () => guard.recordInputRequest(actionRequest);
    const result = await forward({ guard, connection, method, params, call, onInputRequested });
    if (result.resultType === 'input_required') return result;
    const uri = actionRequest.kind === 'resource' ? String(params.uri) : undefined;
    const scheme = uri === undefined ? undefined : getKeptScheme(uri);
    if (scheme === 'ui' && (await guard.isPageBlocked(connection, String(uri), result)))
      await guard.authorizePassive(actionRequest, connection, method);
    const shown =
      registry.servers.length === 1 ? result : toPublicUris(gateway, connection.server, call.requestContext, result);
    const processed = await guard.processResult(actionRequest, shown, tool?.outputSchema !== undefined);
    if (scheme === 'skill') requireSameContents(String(uri), shown, processed);
    guard.recordAnswer(actionRequest, result);
    return processed;
  } catch (error) {
    guard.recordFailure(actionRequest, error, HandlerContext.getSignal(call.context).aborted);
    throw error;
  }
}

/** Refuses a changed file of a skill, because its digest would no longer match. */
function requireSameContents(uri: string, { contents }: JsonObject, processed: JsonObject): void {
  if (contents === processed.contents || JSON.stringify(contents) === JSON.stringify(processed.contents)) return;
  throw rpcError(
    INTERNAL_ERROR,
    `${uri.slice(0, 256)}: the screening of the gateway would change this file of a skill, so it is refused`,
    { uri },
  );
}

function toPublicUris(
  gateway: GatewayContext,
  server: string,
  requestContext: RequestContext,
  result: JsonObject,
): JsonObject {
  const catalog = gateway.getCatalog(gateway.getScope(requestContext));
  return withPublicUris(result, uri => catalog.toPublicUri(server, uri));
}
