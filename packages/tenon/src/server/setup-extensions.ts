import { finalizeResult, markToolResult } from './decode-encode.js';
import type { ExtensionHooks, ExtensionHost } from './extension.js';
import type { ServerRuntime } from './server-runtime.js';

/** Sets up the extensions and returns their hooks. */
export function setupExtensions(runtime: ServerRuntime): ExtensionHooks[] {
  const { stores, clock, onError, options, backend } = runtime;
  const host: ExtensionHost = {
    stores,
    clock,
    onError,
    runTool: (params, requestContext, run, inputs) => backend.runTool({ params, requestContext, run, inputs }, runtime),
    findObstacle: async ({ name }, requestContext, version) =>
      backend.findObstacle(String(name), version, requestContext, runtime),
    getToolAccess(name, caller) {
      const { tools } = runtime;
      const tool = tools.find(name, caller);
      return { visible: tool !== undefined || !tools.has(name), scopes: tool?.scopes ?? [] };
    },
    finalizeResult: result => finalizeResult(runtime, result),
    markToolResult,
  };
  const hooks = (options.extensions ?? []).map(extension => extension.setup?.(host));
  const { subscribe, close } = backend;
  const ofBackend = subscribe || close ? { subscribe, close } : undefined;
  return [...hooks, ofBackend].filter(extension => extension !== undefined);
}
