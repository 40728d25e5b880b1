import type { JsonObject } from '../jsonrpc/message.js';
import { resolveTaskOptions } from './definitions/task-options.js';
import type { ExtensionHooks, ExtensionHost, MethodHandler } from './extension.js';
import { finalizeResult } from './methods/finalize-result.js';
import { runToolHandler } from './methods/tools/call-tool.js';
import type { RequestContext } from './request-context.js';
import type { ServerRuntime } from './server-runtime.js';

/** Makes the extensions ready, those that do something. */
export function setupExtensions(runtime: ServerRuntime): ExtensionHooks[] {
  const { stores, clock, onError, options } = runtime;
  const host: ExtensionHost = {
    stores,
    clock,
    onError,
    runTool: (params, requestContext, run, inputs) => runToolHandler(runtime, params, requestContext, run, inputs),
    findObstacle: (params, requestContext, version) => findObstacle(runtime, params, requestContext, version),
    getToolAccess(name, caller) {
      const { tools } = runtime;
      const tool = tools.find(name, caller);
      return { visible: tool !== undefined || !tools.has(name), scopes: tool?.scopes ?? [] };
    },
    finalizeResult: result => finalizeResult(runtime, result),
    tagToolResult(name, result) {
      toolNames.set(result, name);
      return result;
    },
  };
  const hooks = (options.extensions ?? []).map(extension => extension.setup?.(host));
  return [...hooks, options.proxy].filter(extension => extension !== undefined);
}

async function findObstacle(
  { tools, options: { proxy } }: ServerRuntime,
  params: JsonObject,
  requestContext: RequestContext,
  version: string | undefined,
): Promise<string | undefined> {
  const name = String(params.name);
  const unknownTool = `Unknown tool: ${name.slice(0, 128)}`;
  if (proxy) {
    const tool = await proxy.getTool(name, requestContext).catch(() => undefined);
    return tool === undefined ? unknownTool : undefined;
  }
  const tool = tools.find(name, requestContext.caller);
  if (tool === undefined) return unknownTool;
  const ownVersion = resolveTaskOptions(tool)?.version;
  return ownVersion === version
    ? undefined
    : `Tool ${name} has another version: expected ${version ?? 'none'}, got ${ownVersion ?? 'none'}`;
}

/** Tool names of results, for requests that do not name the tool. */
export const toolNames = new WeakMap<JsonObject, string>();

/** Returns the handler of a method that belongs to an extension. */
export function findExtensionMethod({ extensionHooks }: ServerRuntime, method: string): MethodHandler | undefined {
  for (const { methodHandlers } of extensionHooks) {
    if (methodHandlers && Object.hasOwn(methodHandlers, method)) return methodHandlers[method];
  }
  return undefined;
}
