import type { JsonObject } from '../../jsonrpc/message.js';
import type { Tool } from '../../model/content.js';
import type { FrontTool } from '../../server/front.js';
import type { Turn } from '../../server/turn.js';
import { type CatalogSearch, createCatalogSearch } from '../budget/catalog-search.js';
import { type Compacted, type CompactOptions, compact } from '../budget/meta-tools.js';
import { describeAnswer, type Problem, readCall, readDescribe, readSearch, searchAnswer } from '../budget/reading.js';
import type { HostCatalog } from '../catalog.js';
import type { Hub } from '../hub.js';

/** How many tools' definitions may take how much of a model's context. */
export type Budget = number | CompactOptions;

/** A tool that a call names, once its arguments are known. */
export type FindTool = (name: string) => Promise<FrontTool>;

const compacted = new WeakMap<readonly Tool[], Compacted>();

/** What is offered of these tools within the budget. */
export function withinBudget(tools: readonly Tool[], budget: Budget | undefined): Compacted | undefined {
  if (budget === undefined) return undefined;
  const known = compacted.get(tools);
  if (known) return known;
  const made = compact(tools, typeof budget === 'number' ? { budget } : budget);
  compacted.set(tools, made);
  return made;
}

/** One of the three tools that stand for all others, where they do; undefined when the name is none of theirs. */
export async function metaTool(
  hub: Hub,
  name: string,
  turn: Turn,
  find: FindTool,
  departs: (depart: () => void) => void,
): Promise<FrontTool | undefined> {
  if (hub.budget === undefined || !/^(search|describe)_tools|^call_tool/.test(name)) return undefined;
  const catalog = hub.catalog(hub.audience(turn));
  const { items } = await catalog.offering('tools');
  const { meta, hidden } = withinBudget(items, hub.budget) ?? {};
  if (meta === undefined || hidden === undefined) return undefined;
  if (name === meta.search) return looking(args => search(indexOf(items, catalog), args));
  if (name === meta.describe) return looking(args => describe(items, args));
  if (name !== meta.call) return undefined;
  return {
    mirrors: [],
    rules: { support: 'optional', departs },
    async run(params, context, now) {
      const call = readCall(params.arguments);
      if ('problem' in call) return failed(call);
      const tool = await find(call.name);
      // What is judged, asked about and recorded is the call that is inside.
      return tool.run({ ...params, ...call }, context, now);
    },
  };
}

function looking(look: (args: unknown) => JsonObject | Problem): FrontTool {
  return {
    mirrors: [],
    rules: undefined,
    async run({ arguments: args }) {
      const answer = look(args);
      if ('problem' in answer) return failed(answer as Problem);
      return { content: [{ type: 'text', text: JSON.stringify(answer) }], structuredContent: answer };
    },
  };
}

function search(index: CatalogSearch, args: unknown): JsonObject | Problem {
  const wanted = readSearch(args);
  if ('problem' in wanted) return wanted;
  return searchAnswer(index.search(wanted.query, { limit: wanted.limit }));
}

const indices = new WeakMap<readonly Tool[], CatalogSearch>();

function indexOf(tools: readonly Tool[], catalog: HostCatalog): CatalogSearch {
  const known = indices.get(tools);
  if (known) return known;
  const index = createCatalogSearch(
    tools.map(tool => ({ name: tool.name, server: catalog.serverOf(tool.name) ?? '', tool })),
  );
  indices.set(tools, index);
  return index;
}

function describe(tools: readonly Tool[], args: unknown): JsonObject | Problem {
  const wanted = readDescribe(args);
  if ('problem' in wanted) return wanted;
  const found = tools.filter(({ name }) => wanted.names.includes(name));
  const known = new Set(found.map(({ name }) => name));
  return describeAnswer(
    found,
    wanted.names.filter(name => !known.has(name)),
  );
}

function failed({ problem }: Problem): JsonObject {
  return { content: [{ type: 'text', text: problem }], isError: true };
}
