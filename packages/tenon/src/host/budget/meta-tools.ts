import type { JsonObject } from '../../jsonrpc/message.js';
import type { Tool } from '../../model/content.js';
import { DEFAULT_FOUND, MAX_FOUND } from './catalog-search.js';
import { MAX_DESCRIBED } from './reading.js';
import { type Count, estimateTokens, tokensOf } from './report.js';

/** The names of the tools that stand for all others. */
export interface MetaNames {
  readonly search: string;
  readonly describe: string;
  readonly call: string;
}

export interface CompactOptions {
  /** Tokens that the definitions may take. */
  readonly budget: number;
  /** Names of tools that are always offered themselves. */
  readonly pinned?: readonly string[] | undefined;
  /** Default: `estimateTokens`. */
  readonly count?: Count | undefined;
}

/** What is offered to a model. */
export interface Compacted {
  readonly tools: readonly Tool[];
  /** The tools that are reached by searching, in their order. Empty when all are offered. */
  readonly hidden: readonly Tool[];
  /** Absent when all are offered. */
  readonly meta: MetaNames | undefined;
  /** Tokens of all the definitions, and of those that are offered. With many pinned these can still be above the budget. */
  readonly tokens: { readonly all: number; readonly offered: number };
}

/**
 * Offers all tools while they are within the budget; else those that are pinned, and three to search, describe and call the
 * others. Whoever runs `call_tool` judges, limits and records the call that is inside as it would the call itself.
 */
export function compact(
  tools: readonly Tool[],
  { budget, pinned = [], count = estimateTokens }: CompactOptions,
): Compacted {
  const all = cost(tools, count);
  if (all <= budget) return { tools, hidden: [], meta: undefined, tokens: { all, offered: all } };
  const hidden = tools.filter(({ name }) => !pinned.includes(name));
  if (hidden.length === 0) return { tools, hidden, meta: undefined, tokens: { all, offered: all } };
  const meta = metaNames(tools.map(({ name }) => name));
  const offered = [...tools.filter(({ name }) => pinned.includes(name)), ...metaTools(meta, hidden.length)];
  return { tools: offered, hidden, meta, tokens: { all, offered: cost(offered, count) } };
}

/** Names for the three that no tool has. */
export function metaNames(taken: readonly string[]): MetaNames {
  const names = new Set(taken);
  const free = (name: string): string => {
    for (let n = 1; ; n++) {
      const tried = n === 1 ? name : `${name}_${n}`;
      if (!names.has(tried)) return tried;
    }
  };
  return { search: free('search_tools'), describe: free('describe_tools'), call: free('call_tool') };
}

/** The definitions of the three. `hidden` is how many tools they stand for. */
export function metaTools(names: MetaNames, hidden: number): readonly [search: Tool, describe: Tool, call: Tool] {
  const looking = { readOnlyHint: true, openWorldHint: false } as const;
  return [
    {
      name: names.search,
      title: 'Search tools',
      description: `Finds tools by words: what is to be done, and with what. ${hidden} tools are not listed here and can only be found so. Then get the input schema with ${names.describe}, and call with ${names.call}.`,
      inputSchema: object(
        {
          query: { type: 'string', description: 'Words that a fitting tool would have in its name or description.' },
          limit: {
            type: 'integer',
            minimum: 1,
            maximum: MAX_FOUND,
            description: `How many to give. Default: ${DEFAULT_FOUND}.`,
          },
        },
        ['query'],
      ),
      annotations: looking,
    },
    {
      name: names.describe,
      title: 'Describe tools',
      description: `Gives the full description and input schema of tools found with ${names.search}.`,
      inputSchema: object(
        {
          names: {
            type: 'array',
            items: { type: 'string' },
            minItems: 1,
            maxItems: MAX_DESCRIBED,
            description: 'Their exact names.',
          },
        },
        ['names'],
      ),
      annotations: looking,
    },
    {
      name: names.call,
      title: 'Call a tool',
      description: `Calls a tool found with ${names.search}, with arguments that fit its input schema.`,
      inputSchema: object(
        {
          name: { type: 'string', description: 'Its exact name.' },
          arguments: { type: 'object', description: 'Its arguments, by its input schema.', additionalProperties: true },
        },
        ['name'],
      ),
    },
  ];
}

function object(properties: JsonObject, required: readonly string[]): Tool['inputSchema'] {
  return { type: 'object', properties, required, additionalProperties: false };
}

function cost(tools: readonly Tool[], count: Count): number {
  return tools.reduce((total, tool) => total + tokensOf(tool, count), 0);
}
