import {
  INVALID_PARAMS,
  type JsonObject,
  type MaybePromise,
  rpcError,
  runWithTimeout,
  stringifyJson,
  TenonError,
} from '@tenon/base';
import type { Tool } from 'tenon';
import type { RequestContext } from 'tenon/proxy';
import { type CodeMode, createRunTool } from '../../code-mode/run-tool.js';
import type { UpstreamConnection } from '../../connections/upstream-connection.js';
import type { GatewayContext } from '../../proxy/gateway-context.js';
import type { ProxiedTool } from '../../proxy/proxied-tool.js';
import { selectVisibleEntries } from '../../proxy/visible-entries.js';
import type { HostGuard } from '../../security/guard/host-guard.js';
import type { HostCatalog } from '../host-catalog.js';
import { findHiddenFromModel, selectForModel } from '../page-meta.js';
import { type CatalogEntry, type CatalogSearch, createCatalogSearch, type SearchHit } from './catalog-search.js';
import {
  type CollapsedTools,
  type CollapseOptions,
  chooseMetaToolNames,
  collapseTools,
  createMetaTools,
  type ToolBudget,
} from './collapse-tools.js';
import { createMeaningSearch, type MeaningSearch } from './meaning-search.js';
import {
  type ArgumentIssue,
  createDescribeResult,
  createSearchResult,
  parseCallArguments,
  parseDescribeArguments,
  parseSearchArguments,
} from './meta-tool-arguments.js';
import { VectorCache } from './vector-cache.js';

/** Finds the tool that a call names, after its arguments were parsed. */
export type FindTool = (name: string) => MaybePromise<ProxiedTool>;

/** Collapsed lists, by the way in which the host collapses them. */
const collapsedLists = new WeakMap<readonly Tool[], Map<CollapseSettings['codeMode'], CollapsedTools>>();

/** Settings of a host that replace tools by those that search, describe, call and run. */
export interface CollapseSettings {
  readonly budget: ToolBudget | undefined;
  readonly codeMode?: CodeMode | undefined;
}

/** Returns the tools to list within the budget, or in code mode. `undefined` without both. */
export function collapseToBudget(tools: readonly Tool[], settings: CollapseSettings): CollapsedTools | undefined {
  const { budget, codeMode } = settings;
  if (budget === undefined && codeMode === undefined) return undefined;
  const lists = collapsedLists.get(tools) ?? new Map<CollapseSettings['codeMode'], CollapsedTools>();
  collapsedLists.set(tools, lists);
  const known = lists.get(codeMode);
  if (known) return known;
  const forModel = selectForModel(tools);
  const collapsed = codeMode
    ? collapseForPrograms(forModel, budget, codeMode)
    : collapseTools(forModel, toOptions(budget));
  // The model does not see tools of pages, and does not search for them. The host of a page needs their definitions.
  const forPages = tools.filter((_, index) => findHiddenFromModel(tools).has(index));
  const listed = { ...collapsed, tools: collapsed.meta === undefined ? tools : [...collapsed.tools, ...forPages] };
  lists.set(codeMode, listed);
  return listed;
}

const toOptions = (budget: ToolBudget | undefined): CollapseOptions =>
  typeof budget === 'object' ? budget : { budget: budget ?? Number.POSITIVE_INFINITY };

/** Lists the tool that runs programs, and those that find its tools, beside the others or in their place. */
function collapseForPrograms(
  tools: readonly Tool[],
  budget: ToolBudget | undefined,
  { policy }: CodeMode,
): CollapsedTools {
  const options = toOptions(budget);
  const collapsed = collapseTools(tools, policy === 'offer' ? options : { ...options, budget: -1 });
  const meta = collapsed.meta ?? chooseMetaToolNames(tools.map(({ name }) => name));
  const offersCall = policy === 'offer' && collapsed.meta !== undefined;
  const [search, describe, call] = createMetaTools(meta, collapsed.hidden.length, offersCall ? meta.call : meta.run);
  const others = collapsed.tools.filter(({ name }) => ![search.name, describe.name, call.name].includes(name));
  const calling = offersCall ? [call] : [];
  return { ...collapsed, meta, tools: [...others, search, describe, ...calling, createRunTool(meta)] };
}

/**
 * Returns the search, describe or call tool with this name. `undefined` when the name belongs to none of them, or all
 * tools are listed.
 */
export function resolveMetaTool(
  gateway: GatewayContext,
  name: string,
  requestContext: RequestContext,
  find: FindTool,
): MaybePromise<ProxiedTool | undefined> {
  if (!/^(search|describe)_tools|^call_tool|^run_program/.test(name)) return undefined;
  return createMetaTool(gateway, name, requestContext, find);
}

async function createMetaTool(
  gateway: GatewayContext,
  name: string,
  requestContext: RequestContext,
  find: FindTool,
): Promise<ProxiedTool | undefined> {
  const { budget, codeMode } = gateway;
  const catalog = gateway.getCatalog(gateway.getScope(requestContext));
  const { items: all } = await catalog.listEntries('tools');
  const visible = selectVisibleEntries(gateway, catalog, 'tools', all, requestContext);
  const items = selectForModel(visible);
  const { meta, hidden } = collapseToBudget(items, gateway) ?? {};
  if (meta === undefined || hidden === undefined) return undefined;
  if (name === meta.search) {
    const options = typeof budget === 'object' ? budget : {};
    return createLookupTool(args => searchTools(gateway, getSearches(items, gateway, catalog, options), args, options));
  }
  if (name === meta.describe) return createLookupTool(args => describeTools(items, args));
  if (codeMode && name === meta.run) {
    const findForProgram: FindTool = own => {
      if (own !== meta.search && own !== meta.describe && own !== meta.run) return find(own);
      throw rpcError(INVALID_PARAMS, `A program cannot call ${own}. Call it outside of the program`);
    };
    return {
      taskSupport: 'optional',
      run: (params, call) => codeMode.run(params, call, findForProgram),
    };
  }
  if (name !== meta.call || codeMode?.policy === 'only') return undefined;
  return {
    taskSupport: 'optional',
    async run(params, call) {
      const inner = parseCallArguments(params.arguments);
      if ('issue' in inner) return createErrorResult(inner);
      const tool = await find(inner.name);
      // Policy, approval and audit apply to the inner call.
      return tool.run({ ...params, ...inner }, call);
    },
  };
}

function createLookupTool(lookUp: (args: unknown) => MaybePromise<JsonObject | ArgumentIssue>): ProxiedTool {
  return {
    taskSupport: undefined,
    async run({ arguments: args }) {
      const answer = await lookUp(args);
      if ('issue' in answer) return createErrorResult(answer as ArgumentIssue);
      return { content: [{ type: 'text', text: stringifyJson(answer) }], structuredContent: answer };
    },
  };
}

/** Searches of one list of tools. */
interface Searches {
  readonly byWords: CatalogSearch;
  readonly byMeaning: MeaningSearch | undefined;
}

async function searchTools(
  { guard, registry: { clock } }: GatewayContext,
  { byWords, byMeaning }: Searches,
  args: unknown,
  { embedTimeout = EMBED_TIMEOUT }: SearchOptions,
): Promise<JsonObject | ArgumentIssue> {
  const wanted = parseSearchArguments(args);
  if ('issue' in wanted) return wanted;
  const { query, limit } = wanted;
  const searchByMeaning = async (): Promise<readonly SearchHit[] | undefined> => byMeaning?.search(query, { limit });
  const onTimeout = () => {
    throw new Error(`embed: returned no vectors in ${embedTimeout} ms. The search has found by words alone.`);
  };
  const hits = await runWithTimeout(searchByMeaning, { clock, timeout: embedTimeout, onTimeout }).catch(error => {
    guard.reportError(TenonError.from(error));
    return undefined;
  });
  return createSearchResult(hits ?? byWords.search(query, { limit }));
}

type SearchOptions = Pick<CollapseOptions, 'embed' | 'embedTimeout'>;

/** Default of `embedTimeout`. */
const EMBED_TIMEOUT = 5_000;

const searchesByList = new WeakMap<readonly Tool[], Searches>();
/** Vectors of one host, which all of its sessions use. */
const vectorCaches = new WeakMap<HostGuard, VectorCache>();

function getSearches(
  tools: readonly Tool[],
  { registry, guard }: GatewayContext,
  catalog: HostCatalog,
  { embed }: SearchOptions,
): Searches {
  const known = searchesByList.get(tools);
  if (known) return known;
  const serverTexts = new Map(
    registry.servers.map(server => [server, describeServer(registry.getConnection(server, catalog.scope))]),
  );
  const entries = tools.map((tool): CatalogEntry => {
    const { server = '', name: serverName } = catalog.findTool(tool.name) ?? {};
    return { name: tool.name, server, serverName, tool, serverText: serverTexts.get(server) };
  });
  const byWords = createCatalogSearch(entries);
  const vectorCache = embed && (vectorCaches.get(guard) ?? new VectorCache(embed, registry.clock));
  if (vectorCache) vectorCaches.set(guard, vectorCache);
  const searches = { byWords, byMeaning: vectorCache && createMeaningSearch(entries, byWords, vectorCache) };
  searchesByList.set(tools, searches);
  return searches;
}

/** Returns the texts of a connected server about itself. */
function describeServer({ serverInfo }: UpstreamConnection): string {
  const { info, instructions } = serverInfo ?? {};
  return [info?.title, info?.description, instructions].filter(text => text !== undefined).join('\n');
}

function describeTools(tools: readonly Tool[], args: unknown): JsonObject | ArgumentIssue {
  const wanted = parseDescribeArguments(args);
  if ('issue' in wanted) return wanted;
  const found = tools.filter(({ name }) => wanted.names.includes(name));
  const known = new Set(found.map(({ name }) => name));
  return createDescribeResult(
    found,
    wanted.names.filter(name => !known.has(name)),
  );
}

function createErrorResult({ issue }: ArgumentIssue): JsonObject {
  return { content: [{ type: 'text', text: issue }], isError: true };
}
