import type { JsonObject } from '../jsonrpc/message.js';
import type { ServerCapabilities } from '../protocol/capabilities.js';
import type { Dialect } from '../protocol/versions/dialect.js';
import type { CallerInfo } from './caller-info.js';
import { isUriTemplate } from './definitions/compiled-resource.js';
import type { ServerExtension } from './extension.js';
import type { ServerRuntime } from './server-runtime.js';

const capabilityCache = new WeakMap<
  ServerRuntime,
  { readonly version: number; readonly capabilities: ServerCapabilities }
>();

/**
 * What the server declares, in the words of the newest revision: what is there, and nothing else. Each request asks for
 * it, so it is put together only when a catalog has changed.
 */
export function getServerCapabilities(runtime: ServerRuntime): ServerCapabilities {
  const version = runtime.tools.version + runtime.prompts.version + runtime.resources.version;
  const cached = capabilityCache.get(runtime);
  if (cached?.version === version) return cached.capabilities;
  const capabilities = Object.freeze(composeCapabilities(runtime));
  capabilityCache.set(runtime, { version, capabilities });
  return capabilities;
}

function composeCapabilities({ tools, prompts, resources, options }: ServerRuntime): ServerCapabilities {
  const hasCompletion = hasCompletions(prompts, resources);
  const { extensions = [] } = options;
  return {
    ...options.proxy?.baseCapabilities,
    ...(tools.isOffered ? { tools: { listChanged: true } } : {}),
    ...(prompts.isOffered ? { prompts: { listChanged: true } } : {}),
    ...(resources.isOffered ? { resources: { subscribe: true, listChanged: true } } : {}),
    ...(hasCompletion ? { completions: {} } : {}),
    ...(options.logging === false ? {} : { logging: {} }),
    ...(extensions.length > 0 ? { extensions: collectExtensionSettings(extensions) } : {}),
    ...(options.experimental ? { experimental: { ...options.experimental } } : {}),
  };
}

function hasCompletions(prompts: ServerRuntime['prompts'], resources: ServerRuntime['resources']): boolean {
  return (
    prompts.isOffered || resources.listNames().some(isUriTemplate) || (resources.isOffered && resources.size === 0)
  );
}

function collectExtensionSettings(extensions: readonly ServerExtension[]): { [id: string]: JsonObject } {
  return Object.fromEntries(extensions.map(({ id, settings = {} }) => [id, settings]));
}

/** What the server declares to this caller. */
export function getCapabilitiesFor(runtime: ServerRuntime, dialect: Dialect, caller: CallerInfo): ServerCapabilities {
  const fromExtensions = runtime.extensionHooks
    .map(each => each.getCapabilities?.(dialect, caller))
    .filter(each => each !== undefined);
  return fromExtensions.length === 0
    ? getServerCapabilities(runtime)
    : Object.assign({}, getServerCapabilities(runtime), ...fromExtensions);
}
