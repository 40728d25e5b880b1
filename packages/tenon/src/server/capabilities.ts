import type { Dialect } from '../dialects/dialect.js';
import type { JsonObject } from '../jsonrpc/message.js';
import type { ServerCapabilities } from '../model/capabilities.js';
import type { Blueprint } from './blueprint.js';
import type { Caller } from './caller.js';
import { isTemplate } from './compiled-resource.js';
import type { ServerExtension } from './extension.js';

const declared = new WeakMap<Blueprint, { readonly version: number; readonly capabilities: ServerCapabilities }>();

/**
 * What the server declares, in the words of the newest revision: what is there, and nothing else. Each request asks for
 * it, so it is put together only when a catalog has changed.
 */
export function capabilitiesOf(blueprint: Blueprint): ServerCapabilities {
  const version = blueprint.tools.version + blueprint.prompts.version + blueprint.resources.version;
  const before = declared.get(blueprint);
  if (before?.version === version) return before.capabilities;
  const capabilities = Object.freeze(declare(blueprint));
  declared.set(blueprint, { version, capabilities });
  return capabilities;
}

function declare({ tools, prompts, resources, options }: Blueprint): ServerCapabilities {
  const completes = completesAnything(prompts, resources);
  const { extensions = [] } = options;
  return {
    ...options.front?.offers,
    ...(tools.offered ? { tools: { listChanged: true } } : {}),
    ...(prompts.offered ? { prompts: { listChanged: true } } : {}),
    ...(resources.offered ? { resources: { subscribe: true, listChanged: true } } : {}),
    ...(completes ? { completions: {} } : {}),
    ...(options.logging === false ? {} : { logging: {} }),
    ...(extensions.length > 0 ? { extensions: settingsOf(extensions) } : {}),
    ...(options.experimental ? { experimental: { ...options.experimental } } : {}),
  };
}

function completesAnything(prompts: Blueprint['prompts'], resources: Blueprint['resources']): boolean {
  return prompts.offered || resources.names().some(isTemplate) || (resources.offered && resources.size === 0);
}

function settingsOf(extensions: readonly ServerExtension[]): { [id: string]: JsonObject } {
  return Object.fromEntries(extensions.map(({ id, settings = {} }) => [id, settings]));
}

/** What the server declares to this caller. */
export function capabilitiesFor(blueprint: Blueprint, dialect: Dialect, caller: Caller): ServerCapabilities {
  const more = blueprint.installed.map(each => each.capabilities?.(dialect, caller)).filter(each => each !== undefined);
  return more.length === 0 ? capabilitiesOf(blueprint) : Object.assign({}, capabilitiesOf(blueprint), ...more);
}
