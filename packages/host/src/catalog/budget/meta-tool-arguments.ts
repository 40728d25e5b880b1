import { dropUndefined, isObject, type JsonObject, parseJsonText, shorten, toJsonObject } from '@tenon/base';
import type { Tool } from 'tenon';
import { DEFAULT_RESULTS, MAX_RESULTS, type SearchHit } from './catalog-search.js';

/** Maximum number of tools in one description request. */
export const MAX_DESCRIBED = 20;
/** Maximum length of a description in search results, in characters. */
const MAX_SUMMARY = 300;

/** Error in the arguments, described for the model that wrote them. */
export interface ArgumentIssue {
  readonly issue: string;
}

export interface ParsedToolCall {
  readonly name: string;
  readonly arguments: JsonObject;
}

/** Parses the arguments of the search tool. */
export function parseSearchArguments(
  args: unknown,
): { readonly query: string; readonly limit: number } | ArgumentIssue {
  const { query, limit = DEFAULT_RESULTS } = toJsonObject(args);
  if (typeof query !== 'string') return { issue: 'Give "query": words of the tool that is wanted, as one text.' };
  const wanted = Number(limit);
  if (!Number.isInteger(wanted) || wanted < 1)
    return { issue: `Give "limit" as a whole number from 1 to ${MAX_RESULTS}.` };
  return { query, limit: Math.min(wanted, MAX_RESULTS) };
}

/** Parses the arguments of the describe tool. A single name need not be in a list. */
export function parseDescribeArguments(args: unknown): { readonly names: readonly string[] } | ArgumentIssue {
  const names = isObject(args) ? [args.names ?? []].flat() : [];
  if (names.length === 0 || !names.every(name => typeof name === 'string')) {
    return { issue: 'Give "names": a list of exact names of tools.' };
  }
  if (names.length > MAX_DESCRIBED) return { issue: `Give at most ${MAX_DESCRIBED} names at once.` };
  return { names: [...new Set(names)] };
}

/**
 * Parses the arguments of the call tool. The caller must look the name up among the real tools, which excludes the
 * search, describe and call tools. Also accepts arguments as JSON text, because some models send them that way.
 */
export function parseCallArguments(args: unknown): ParsedToolCall | ArgumentIssue {
  const { name, arguments: given, ...others } = toJsonObject(args);
  if (typeof name !== 'string' || name === '') return { issue: 'Give "name": the exact name of the tool.' };
  const unknown = Object.keys(others)[0];
  if (unknown !== undefined) {
    return {
      issue: `Put ${JSON.stringify(unknown.slice(0, 60))} and all other arguments of the tool into "arguments".`,
    };
  }
  const read = typeof given === 'string' ? tryParseJson(given) : (given ?? {});
  if (!isObject(read)) return { issue: 'Give "arguments" as an object that fits the input schema of the tool.' };
  return { name, arguments: read };
}

/** Creates the result of a search, with enough detail to choose a tool. */
export function createSearchResult(found: readonly SearchHit[]): JsonObject {
  return { tools: found.map(({ name, server, tool }) => ({ name, server, ...summarizeTool(tool) })) };
}

/** Creates the result of a description: definitions by public name, and the names that are unknown. */
export function createDescribeResult(tools: readonly Tool[], unknown: readonly string[] = []): JsonObject {
  const described = tools.map(({ name, title, description, inputSchema, outputSchema, annotations }) => {
    return dropUndefined({ name, title, description, inputSchema, outputSchema, annotations });
  });
  return { tools: described, ...(unknown.length > 0 ? { unknown: [...unknown] } : {}) };
}

function summarizeTool({ title, description }: Tool): JsonObject {
  const text = description ?? title;
  return text === undefined ? {} : { description: shorten(text, MAX_SUMMARY) };
}

function tryParseJson(text: string): unknown {
  try {
    return text === '' ? {} : parseJsonText(text);
  } catch {
    return undefined;
  }
}
