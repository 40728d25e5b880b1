import type { JsonObject } from '../../../jsonrpc/message.js';
import type { Tool } from '../../../protocol/content.js';
import { DEFAULT_RESULTS, MAX_RESULTS } from './catalog-search.js';
import { MAX_DESCRIBED } from './meta-tool-arguments.js';
import { type CountTokens, countToolTokens, estimateTokens } from './token-report.js';

/** The names of the tools that stand for all others. */
export interface MetaToolNames {
  readonly search: string;
  readonly describe: string;
  readonly call: string;
}

/** Options of `collapseTools`. */
export interface CollapseOptions {
  /** Tokens that the definitions may take. */
  readonly budget: number;
  /** Names of tools that are always offered themselves. */
  readonly pinned?: readonly string[] | undefined;
  /** Counts the tokens of a text. Default: an estimate by characters. */
  readonly countTokens?: CountTokens | undefined;
}

/** Tools to offer to a model. */
export interface CollapsedTools {
  readonly tools: readonly Tool[];
  /** The tools that are reached by searching, in their order. Empty when all are offered. */
  readonly hidden: readonly Tool[];
  /** Absent when all are offered. */
  readonly meta: MetaToolNames | undefined;
  /**
   * Tokens of all the definitions, and of those that are offered. With many pinned these can still be above the budget.
   */
  readonly tokenCounts: { readonly all: number; readonly offered: number };
}

/**
 * Offers all tools while they are within the budget. Beyond it, offers the pinned tools and three others that search,
 * describe and call the rest. The caller of this function must check, limit and record the tool inside `call_tool` as a
 * direct call.
 */
export function collapseTools(
  tools: readonly Tool[],
  { budget, pinned = [], countTokens = estimateTokens }: CollapseOptions,
): CollapsedTools {
  const all = sumTokens(tools, countTokens);
  if (all <= budget) return { tools, hidden: [], meta: undefined, tokenCounts: { all, offered: all } };
  const hidden = tools.filter(({ name }) => !pinned.includes(name));
  if (hidden.length === 0) return { tools, hidden, meta: undefined, tokenCounts: { all, offered: all } };
  const meta = chooseMetaToolNames(tools.map(({ name }) => name));
  const offered = [...tools.filter(({ name }) => pinned.includes(name)), ...createMetaTools(meta, hidden.length)];
  return { tools: offered, hidden, meta, tokenCounts: { all, offered: sumTokens(offered, countTokens) } };
}

/** Names for the three that no tool has. */
export function chooseMetaToolNames(taken: readonly string[]): MetaToolNames {
  const names = new Set(taken);
  const findFreeName = (name: string): string => {
    for (let n = 1; ; n++) {
      const tried = n === 1 ? name : `${name}_${n}`;
      if (!names.has(tried)) return tried;
    }
  };
  return {
    search: findFreeName('search_tools'),
    describe: findFreeName('describe_tools'),
    call: findFreeName('call_tool'),
  };
}

/** The definitions of the three. `hidden` is how many tools they stand for. */
export function createMetaTools(
  names: MetaToolNames,
  hidden: number,
): readonly [search: Tool, describe: Tool, call: Tool] {
  const readOnlyHints = { readOnlyHint: true, openWorldHint: false } as const;
  return [
    {
      name: names.search,
      title: 'Search tools',
      description: `Finds tools by words: what is to be done, and with what. ${hidden} tools are not listed here and can only be found so. Then get the input schema with ${names.describe}, and call with ${names.call}.`,
      inputSchema: createObjectSchema(
        {
          query: { type: 'string', description: 'Words that a fitting tool would have in its name or description.' },
          limit: {
            type: 'integer',
            minimum: 1,
            maximum: MAX_RESULTS,
            description: `How many to give. Default: ${DEFAULT_RESULTS}.`,
          },
        },
        ['query'],
      ),
      annotations: readOnlyHints,
    },
    {
      name: names.describe,
      title: 'Describe tools',
      description: `Gives the full description and input schema of tools found with ${names.search}.`,
      inputSchema: createObjectSchema(
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
      annotations: readOnlyHints,
    },
    {
      name: names.call,
      title: 'Call a tool',
      description: `Calls a tool found with ${names.search}, with arguments that fit its input schema.`,
      inputSchema: createObjectSchema(
        {
          name: { type: 'string', description: 'Its exact name.' },
          arguments: { type: 'object', description: 'Its arguments, by its input schema.', additionalProperties: true },
        },
        ['name'],
      ),
    },
  ];
}

function createObjectSchema(properties: JsonObject, required: readonly string[]): Tool['inputSchema'] {
  return { type: 'object', properties, required, additionalProperties: false };
}

function sumTokens(tools: readonly Tool[], count: CountTokens): number {
  return tools.reduce((total, tool) => total + countToolTokens(tool, count), 0);
}
