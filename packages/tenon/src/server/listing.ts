import { lasting } from '../jsonrpc/lasting.js';
import type { JsonObject } from '../jsonrpc/message.js';
import type { Resource, ResourceTemplate, Tool } from '../model/content.js';
import { checkNestedMeta } from '../model/meta-keys.js';
import type { Blueprint } from './blueprint.js';
import type { Visible } from './caller.js';
import type { Catalog } from './catalog.js';
import { compilePrompt } from './compiled-prompt.js';
import { compileResource, isTemplate } from './compiled-resource.js';
import { compileTool } from './compiled-tool.js';
import type { Context } from './context.js';
import type { Operation } from './middleware.js';
import { page } from './paging.js';
import type { ResourceDefinition } from './resource.js';
import { cacheable } from './results.js';
import { mayUse, type Scoped } from './scopes.js';
import { hasTasks, taskRulesOf } from './task-rules.js';
import type { ToolDefinition } from './tool.js';
import type { Turn } from './turn.js';

/** The four lists. https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/pagination */

export function listTools(blueprint: Blueprint, { params }: Operation, turn: Turn): JsonObject {
  const { tools } = blueprint;
  const asTasks = turn.dialect.tasks === 'by-parameter' && hasTasks(blueprint.options.extensions);
  const all = kept(blueprint, tools, asTasks ? 'tools as tasks' : 'tools', () =>
    listedOf(blueprint, tools, turn).map(([name, tool]) => {
      const { wire } = compileTool(name, tool);
      return asTasks ? withExecution(wire, tool) : wire;
    }),
  );
  return paged(blueprint, 'tools', all, ({ name }) => name, params, isSame(blueprint, tools));
}

function withExecution(wire: Tool, definition: ToolDefinition): Tool {
  const taskSupport = taskRulesOf(definition)?.support;
  return taskSupport === undefined ? wire : { ...wire, execution: { taskSupport } };
}

export function listPrompts(blueprint: Blueprint, { params }: Operation, turn: Turn): JsonObject {
  const { prompts } = blueprint;
  const all = kept(blueprint, prompts, 'prompts', () =>
    listedOf(blueprint, prompts, turn).map(([name, prompt]) => compilePrompt(name, prompt).wire),
  );
  return paged(blueprint, 'prompts', all, ({ name }) => name, params, isSame(blueprint, prompts));
}

export function listTemplates(blueprint: Blueprint, { params }: Operation, turn: Turn): JsonObject {
  const { resources } = blueprint;
  const templates = () => listedOf(blueprint, resources, turn).filter(([key]) => isTemplate(key));
  const all = kept(blueprint, resources, 'templates', () =>
    templates().map(([key, resource]) => compileResource(key, resource).wire),
  );
  return paged(
    blueprint,
    'resourceTemplates',
    all,
    wire => (wire as ResourceTemplate).uriTemplate,
    params,
    isSame(blueprint, resources),
  );
}

export async function listResources(
  blueprint: Blueprint,
  { params, context }: Operation,
  turn: Turn,
): Promise<JsonObject> {
  const { resources } = blueprint;
  const lists = listedOf(blueprint, resources, turn).map(([key, resource]) => {
    const { template, wire } = compileResource(key, resource);
    return template ? listed(key, resource, context) : [wire as Resource];
  });
  const all = (await Promise.all(lists)).flat();
  return paged(blueprint, 'resources', all, ({ uri }) => uri, params, false);
}

async function listed(key: string, definition: ResourceDefinition<never>, context: Context): Promise<Resource[]> {
  const { template, wire } = compileResource(key, definition);
  const { title: _title, size: _size, ...common } = wire as Resource & { uriTemplate?: string };
  delete common.uriTemplate;
  const entries = (await definition.list?.(context)) ?? [];
  return entries.map(entry => {
    checkNestedMeta(`an entry of the list of "${key}"`, entry);
    const variables = template?.variables ?? [];
    const facts = Object.entries(entry as JsonObject).filter(([name]) => !variables.includes(name) || FACTS.has(name));
    const uri = template?.expand(entry as never) ?? key;
    const name = (entry as { name?: string }).name ?? uri;
    return { ...common, ...Object.fromEntries(facts), name, uri } as Resource;
  });
}

/** Members of an entry that say something of the resource even where a variable has the same name. */
const FACTS = new Set(['title', 'description', 'mimeType', 'size', 'annotations', 'icons', '_meta']);

const lists = new WeakMap<object, Map<string, { version: number; all: readonly unknown[] }>>();

/** What of a catalog stands in this caller's lists. */
function listedOf<D extends Visible & Scoped>(
  { options }: Blueprint,
  catalog: Catalog<D>,
  { caller }: Turn,
): [string, D][] {
  const all = catalog.all(caller);
  return options.listed === 'callable' ? all.filter(([, item]) => mayUse(caller, item)) : all;
}

function isSame({ options }: Blueprint, { same }: Pick<Catalog<Visible>, 'same'>): boolean {
  return same && options.listed !== 'callable';
}

/** A list that is the same for all is made once and kept until the catalog changes. */
function kept<T>(
  blueprint: Blueprint,
  catalog: Pick<Catalog<Visible>, 'same' | 'version'>,
  kind: string,
  make: () => T[],
): readonly T[] {
  if (!isSame(blueprint, catalog)) return make();
  const kinds = lists.get(catalog) ?? new Map<string, { version: number; all: readonly unknown[] }>();
  const before = kinds.get(kind);
  if (before?.version === catalog.version) return before.all as readonly T[];
  const all = make();
  lists.set(catalog, kinds.set(kind, { version: catalog.version, all }));
  return all;
}

/** How many pages of one list are kept. Clients may ask for one from any place on. */
const MOST_PAGES = 100;
const pages = new WeakMap<readonly unknown[], Map<string, JsonObject>>();

/** A page of a list. One that is the same for all is said in the same words until the list changes. */
function paged<T>(
  blueprint: Blueprint,
  key: string,
  all: readonly T[],
  keyOf: (item: T) => string,
  { cursor }: JsonObject,
  same: boolean,
): JsonObject {
  const from = typeof cursor === 'string' ? cursor : '';
  const known = same ? pages.get(all)?.get(from) : undefined;
  if (known) return known;
  const { items, nextCursor } = page(all, keyOf, from, blueprint.pageSize);
  const result = nextCursor === undefined ? { [key]: items } : { [key]: items, nextCursor };
  const { cache, use = [] } = blueprint.options;
  // What differs between callers must not be shared between them, whatever the author says.
  if (!same) return cacheable(blueprint, result, { ...cache, cacheScope: 'private' });
  const made = cacheable(blueprint, result, cache);
  // A middleware may write into what it is given.
  return use.length > 0 ? made : remembered(all, from, made);
}

function remembered(all: readonly unknown[], from: string, made: JsonObject): JsonObject {
  const known = pages.get(all) ?? new Map<string, JsonObject>();
  if (known.size >= MOST_PAGES) return made;
  const result = lasting(made);
  pages.set(all, known.set(from, result));
  return result;
}
