import type { JsonObject } from '@tenon/base';
import type { Tool } from 'tenon';
import { DEFAULT_RESULTS, MAX_RESULTS } from './catalog-search.js';
import { MAX_DESCRIBED } from './meta-tool-arguments.js';
import { type CountTokens, countToolTokens, estimateTokens } from './token-report.js';
import type { EmbedTexts } from './vector-cache.js';

/** Names of the tools that search, describe and call the others. */
export interface MetaToolNames {
  readonly search: string;
  readonly describe: string;
  readonly call: string;
  /** Name of the tool that runs programs. Listed in code mode only. */
  readonly run: string;
}

/** Options of `collapseTools`. */
export interface CollapseOptions {
  /** Maximum number of tokens for the definitions. */
  readonly budget: number;
  /**
   * Names of tools that are always listed.
   * @default none
   */
  readonly pinned?: readonly string[] | undefined;
  /**
   * Counts the tokens of a text.
   * @default `estimateTokens`
   */
  readonly countTokens?: CountTokens | undefined;
  /**
   * Returns vectors for texts, so that the search also finds tools by meaning. If it fails, the search finds by words
   * alone, and the host reports the error to `onError`. The host keeps the vectors of 5,000 texts.
   * @default search by words
   */
  readonly embed?: EmbedTexts | undefined;
  /**
   * Time that a search waits for `embed`, in milliseconds. Afterwards it finds by words alone, and the host reports that
   * to `onError`. The next search uses the vectors that have arrived.
   * @default 5,000
   */
  readonly embedTimeout?: number | undefined;
}

/** Maximum number of tokens for tool definitions in a model's context. */
export type ToolBudget = number | CollapseOptions;

/** Tools to offer to a model. */
export interface CollapsedTools {
  readonly tools: readonly Tool[];
  /** Tools that can only be found by search, in their original order. Empty when all tools are listed. */
  readonly hidden: readonly Tool[];
  /** Names of the tools that search, describe and call. `undefined` when all tools are listed. */
  readonly meta: MetaToolNames | undefined;
  /**
   * Number of tokens of all definitions, and of the listed ones. Pinned tools can make the latter exceed the budget.
   */
  readonly tokenCounts: { readonly all: number; readonly offered: number };
}

/**
 * Lists all tools while they are within the budget. Above the budget, it lists the pinned tools and three others that
 * search, describe and call the rest.
 *
 * Check, limit and record the tool inside `call_tool` like a direct call.
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

/** Chooses names for these tools that no other tool has. */
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
    run: findFreeName('run_program'),
  };
}

/**
 * Creates the definitions of the three tools.
 *
 * @param hidden Number of tools that are not listed.
 * @param caller Name of the tool that calls what was found.
 */
export function createMetaTools(
  names: MetaToolNames,
  hidden: number,
  caller = names.call,
): readonly [search: Tool, describe: Tool, call: Tool] {
  const count = hidden === 1 ? '1 tool is' : `${hidden} tools are`;
  const unlisted = hidden === 0 ? '' : `${count} not listed here and can only be found so. `;
  const readOnlyHints = { readOnlyHint: true, openWorldHint: false } as const;
  return [
    {
      name: names.search,
      title: 'Search tools',
      description: `Finds tools by words: what is to be done, and with what. ${unlisted}Then get the input schema with ${names.describe}, and call with ${caller}.`,
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
