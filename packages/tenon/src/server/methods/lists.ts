import { type JsonObject, type MaybePromise, TenonError } from '@tenon/base';
import type { Context } from '../../handler/context.js';
import { checkNestedMeta } from '../../protocol/check-meta.js';
import type { Resource, ResourceTemplate, Tool } from '../../protocol/content.js';
import { hasScopes } from '../../protocol/scopes.js';
import { compilePrompt } from '../definitions/compiled-prompt.js';
import { compileResource, isUriTemplate } from '../definitions/compiled-resource.js';
import { compileTool } from '../definitions/compiled-tool.js';
import type { ResourceDefinition } from '../definitions/resource.js';
import { hasTasks } from '../definitions/task-options.js';
import type { HasScopes, HasVisibility, Registry } from '../registry.js';
import type { RequestContext } from '../request-context.js';
import type { MethodCall, ServerRuntime } from '../server-runtime.js';
import { createCachedPage, createListPage } from './list-pages.js';

/**
 * Handles `tools/list`.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/pagination
 */

export function listTools({ params, requestContext, server }: MethodCall<'tools/list'>): MaybePromise<JsonObject> {
  const { options } = server;
  // Loaded on first use, because few servers need it.
  return options.portableSchemas
    ? import('../../schemas/portable-schema.js').then(({ toPortableTool }) =>
        createToolList(params, requestContext, server, toPortableTool),
      )
    : createToolList(params, requestContext, server, tool => tool);
}

function createToolList(
  params: JsonObject,
  requestContext: RequestContext,
  server: ServerRuntime,
  toListed: (tool: Tool) => Tool,
): JsonObject {
  const { tools } = server;
  const asTasks = requestContext.dialect.tasks === 'by-parameter' && hasTasks(server.options.extensions);
  const all = getCachedList(server, tools, asTasks ? 'tools as tasks' : 'tools', () =>
    selectListed(server, tools, requestContext).map(([name, tool]) => {
      const { wire, taskOptions } = compileTool(name, tool);
      const listed = toListed(wire);
      return asTasks && taskOptions ? { ...listed, execution: { taskSupport: taskOptions.support } } : listed;
    }),
  );
  return createPageResult(server, 'tools', all, ({ name }) => name, params, isSharedList(server, tools));
}

export function listPrompts({ params, requestContext, server }: MethodCall<'prompts/list'>): JsonObject {
  const { prompts } = server;
  const all = getCachedList(server, prompts, 'prompts', () =>
    selectListed(server, prompts, requestContext).map(([name, prompt]) => compilePrompt(name, prompt).wire),
  );
  return createPageResult(server, 'prompts', all, ({ name }) => name, params, isSharedList(server, prompts));
}

export function listTemplates({ params, requestContext, server }: MethodCall<'resources/templates/list'>): JsonObject {
  const { resources } = server;
  const selectTemplates = () => selectListed(server, resources, requestContext).filter(([key]) => isUriTemplate(key));
  const all = getCachedList(server, resources, 'templates', () =>
    selectTemplates().map(([key, resource]) => compileResource(key, resource).wire),
  );
  return createPageResult(
    server,
    'resourceTemplates',
    all,
    wire => (wire as ResourceTemplate).uriTemplate,
    params,
    isSharedList(server, resources),
  );
}

export async function listResources({
  params,
  context,
  requestContext,
  server,
}: MethodCall<'resources/list'>): Promise<JsonObject> {
  const { resources } = server;
  const lists = selectListed(server, resources, requestContext).map(([key, resource]) => {
    const { template, wire } = compileResource(key, resource);
    return template ? listTemplateResources(key, resource, context, requestContext) : [wire as Resource];
  });
  const all = (await Promise.all(lists)).flat();
  return createPageResult(server, 'resources', all, ({ uri }) => uri, params, false);
}

async function listTemplateResources(
  key: string,
  definition: ResourceDefinition<never>,
  context: Context,
  requestContext: RequestContext,
): Promise<Resource[]> {
  const { template, wire } = compileResource(key, definition);
  const { title: _title, size: _size, ...common } = wire as Resource & { uriTemplate?: string };
  delete common.uriTemplate;
  const entries = (await definition.list?.(context)) ?? [];
  return entries.map(entry => {
    checkNestedMeta(`an entry of the list of "${key}"`, entry);
    const variables = template?.variables ?? [];
    const fields = Object.entries(entry as JsonObject).filter(
      ([name]) => !variables.includes(name) || RESOURCE_FIELDS.has(name),
    );
    const uri = template?.expand(entry as never) ?? key;
    if (!template?.match(uri, { allowUnsafe: definition.allowUnsafe }))
      reportUnreadable(requestContext, key, definition, uri);
    const name = (entry as { name?: string }).name ?? uri;
    return { ...common, ...Object.fromEntries(fields), name, uri } as Resource;
  });
}

/** Definitions of which a listed resource was reported. */
const reported = new WeakSet<ResourceDefinition<never>>();

/** Reports the first listed resource of a template that clients cannot read, because its template refuses its URI. */
function reportUnreadable(
  requestContext: RequestContext,
  key: string,
  definition: ResourceDefinition<never>,
  uri: string,
): void {
  if (reported.has(definition)) return;
  reported.add(definition);
  requestContext.reportError(
    new TenonError('resource/unreadable', `the list of "${key}" has the resource "${uri}", which cannot be read`, {
      method: 'resources/list',
      expected: 'values without "/", "\\\\", ".." and NUL',
      hint: 'change the value, or use `{+variable}` or `{/variable*}` for a path, or set `allowUnsafe` if no value reaches a file system',
    }),
  );
}

/** Members of an entry that describe the resource, even if a variable has the same name. */
const RESOURCE_FIELDS = new Set(['title', 'description', 'mimeType', 'size', 'annotations', 'icons', '_meta']);

const listCache = new WeakMap<object, Map<string, { version: number; all: readonly unknown[] }>>();

/** Selects the entries of a registry for the lists of this caller. */
function selectListed<D extends HasVisibility & HasScopes>(
  { options }: ServerRuntime,
  catalog: Registry<D>,
  { caller }: RequestContext,
): [string, D][] {
  const items = catalog.listFor(caller);
  return options.listFilter === 'authorized' ? items.filter(([, item]) => hasScopes(caller.auth, item.scopes)) : items;
}

function isSharedList({ options }: ServerRuntime, { isShared }: Pick<Registry<HasVisibility>, 'isShared'>): boolean {
  return isShared && options.listFilter !== 'authorized';
}

/** Returns a list that is equal for all callers. It is cached until the registry changes. */
function getCachedList<T>(
  server: ServerRuntime,
  catalog: Pick<Registry<HasVisibility>, 'isShared' | 'version'>,
  kind: string,
  createList: () => T[],
): readonly T[] {
  if (!isSharedList(server, catalog)) return createList();
  const byKind = listCache.get(catalog) ?? new Map<string, { version: number; all: readonly unknown[] }>();
  const cached = byKind.get(kind);
  if (cached?.version === catalog.version) return cached.all as readonly T[];
  const all = createList();
  listCache.set(catalog, byKind.set(kind, { version: catalog.version, all }));
  return all;
}

/** Returns a page of a list. A page that is equal for all callers is serialized once, until the list changes. */
function createPageResult<T>(
  server: ServerRuntime,
  key: string,
  all: readonly T[],
  getKey: (item: T) => string,
  { cursor }: JsonObject,
  isShared: boolean,
): JsonObject {
  const { pageSize, options } = server;
  const page = { key, all, getKey, cursor, pageSize };
  // A list that differs between callers must not be cached publicly, even if the author configured it.
  return isShared
    ? createCachedPage(server, page, options.cache)
    : createListPage(server, page, { ...options.cache, cacheScope: 'private' });
}
