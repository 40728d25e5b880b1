import type { JsonObject } from '@tenon/base';
import type { ServerCapabilities } from '../protocol/capabilities.js';
import { hasCapability } from '../protocol/missing-capabilities.js';
import { isUriTemplate } from './definitions/compiled-resource.js';
import type { ServerExtension } from './extension.js';
import type { RequesterInfo, ServerRuntime } from './server-runtime.js';

interface CachedCapabilities {
  /** Sum of the versions of the registries, when the capabilities were computed. */
  readonly version: number;
  readonly capabilities: ServerCapabilities;
  /** Cached results of `isCapabilityDeclared`, by path. */
  readonly declared: Map<string, boolean>;
}

const capabilityCache = new WeakMap<ServerRuntime, CachedCapabilities>();

/** Tells if the server declares a capability to every client. `path` is dotted: `resources.subscribe`. */
export function isCapabilityDeclared(runtime: ServerRuntime, path: string): boolean {
  const { declared, capabilities } = cacheCapabilities(runtime);
  const cached = declared.get(path);
  if (cached !== undefined) return cached;
  const isDeclared = hasCapability(capabilities, path);
  declared.set(path, isDeclared);
  return isDeclared;
}

/**
 * Computes the capabilities of the server in the form of the newest version. The result is cached until a registry
 * changes, because each request needs it.
 */
function cacheCapabilities(runtime: ServerRuntime): CachedCapabilities {
  const version = runtime.tools.version + runtime.prompts.version + runtime.resources.version;
  const cached = capabilityCache.get(runtime);
  if (cached?.version === version) return cached;
  const created = { version, capabilities: Object.freeze(composeCapabilities(runtime)), declared: new Map() };
  capabilityCache.set(runtime, created);
  return created;
}

function composeCapabilities({ tools, prompts, resources, options, backend }: ServerRuntime): ServerCapabilities {
  const { extensions = [] } = options;
  // An empty registry of resources counts, because templates may be added while clients are connected.
  const hasCompletions =
    prompts.isOffered || resources.listNames().some(isUriTemplate) || (resources.isOffered && resources.size === 0);
  return {
    ...backend.capabilities,
    ...(tools.isOffered ? { tools: { listChanged: true } } : {}),
    ...(prompts.isOffered ? { prompts: { listChanged: true } } : {}),
    ...(resources.isOffered ? { resources: { subscribe: true, listChanged: true } } : {}),
    ...(hasCompletions ? { completions: {} } : {}),
    ...(options.logging === false ? {} : { logging: {} }),
    ...(extensions.length > 0 ? { extensions: collectExtensionSettings(extensions) } : {}),
    ...(options.experimental ? { experimental: { ...options.experimental } } : {}),
  };
}

function collectExtensionSettings(extensions: readonly ServerExtension[]): { [id: string]: JsonObject } {
  return Object.fromEntries(extensions.map(({ id, settings = {} }) => [id, settings]));
}

/** Returns the capabilities that are declared to this caller. */
export function getCapabilitiesFor(runtime: ServerRuntime, requester: RequesterInfo): ServerCapabilities {
  const { dialect, caller } = requester;
  const fromExtensions = runtime.extensionHooks
    .map(each => each.getCapabilities?.(dialect, caller))
    .filter(each => each !== undefined);
  const own = runtime.backend.getCapabilities?.(requester);
  const { extensions = [] } = runtime.options;
  const declared = extensions.filter(each => each.isDeclaredOn?.(dialect) !== false);
  if (fromExtensions.length === 0 && own === undefined && declared.length === extensions.length)
    return cacheCapabilities(runtime).capabilities;
  const { extensions: _, ...others } = Object.assign(
    {},
    cacheCapabilities(runtime).capabilities,
    own,
    ...fromExtensions,
  );
  const settings = { ...own?.extensions, ...collectExtensionSettings(declared) };
  return Object.keys(settings).length > 0 ? { ...others, extensions: settings } : others;
}
