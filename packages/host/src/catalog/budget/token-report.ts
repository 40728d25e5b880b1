import { checkArray, checkString, requireArgument, requireKnownOptions } from '@tenon/base';
import type { Tool } from 'tenon';
import { checkToolInventory, type ServerInventory } from '../server-inventory.js';

/** Counts the tokens of a text, for example with a tokenizer. */
export type CountTokens = (text: string) => number;

/** Number of tokens that the tool definitions of a host take in a model's context. */
export interface TokenReport {
  /** Number of tokens of all definitions. */
  readonly total: number;
  /** Number of tokens per server, in the order of the input. */
  readonly servers: readonly {
    readonly server: string;
    readonly total: number;
    readonly tools: readonly { readonly name: string; readonly tokens: number }[];
  }[];
}

/** Options of `createTokenReport`. */
export interface TokenReportOptions {
  /**
   * Counts the tokens of a text.
   * @default `estimateTokens`
   */
  readonly countTokens?: CountTokens | undefined;
  /**
   * Returns the public name of a tool.
   * @default its own name
   */
  readonly name?: ((server: string, tool: string) => string) | undefined;
}

/** Reports the tokens of all definitions, by server and tool. */
export function createTokenReport(
  offered: readonly Pick<ServerInventory, 'server' | 'tools'>[],
  options: TokenReportOptions = {},
): TokenReport {
  requireKnownOptions('createTokenReport', options, { countTokens: true, name: true });
  requireArgument('`offered` of createTokenReport', offered, checkArray(checkToolInventory));
  const { countTokens = estimateTokens, name = (_, tool) => tool } = options;
  const servers = offered.map(({ server, tools }) => {
    const costs = tools.map(tool => {
      return { name: tool.name, tokens: countToolTokens({ ...tool, name: name(server, tool.name) }, countTokens) };
    });
    return { server, total: sum(costs.map(({ tokens }) => tokens)), tools: costs };
  });
  return { total: sum(servers.map(({ total }) => total)), servers };
}

/** Counts the tokens of one definition: the name, description and input schema as JSON. */
export function countToolTokens({ name, description, inputSchema }: Tool, count: CountTokens = estimateTokens): number {
  return count(JSON.stringify({ name, description, inputSchema }));
}

/**
 * Estimates the number of tokens from the characters: four per token in ASCII, two in other alphabets, one for
 * ideographs.
 *
 * For 36 tools of official servers, the total is 17 % above the o200k encoding of OpenAI. For a single tool, the
 * deviation is between −4 % and +32 %. Pass `countTokens` if you need an exact limit.
 */
export function estimateTokens(text: string): number {
  requireArgument('`text` of estimateTokens', text, checkString);
  let quarters = 0;
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    quarters += code < 0x80 ? 1 : code < 0x2e80 ? 2 : 4;
  }
  return Math.ceil(quarters / 4);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
