import { isObject } from '../../../jsonrpc/message.js';
import type { Tool } from '../../../protocol/content.js';

/** Maximum number of indexed terms per tool. Further terms are not searched. */
const MAX_TERMS = 500;
/** Maximum number of characters of a text that are indexed. */
const MAX_TEXT = 8_000;
const MAX_PROPERTIES = 100;

/** Maximum number of characters of the text about a server that are indexed. */
const MAX_SERVER_TEXT = 1_000;

/** Weight of a term, by the field that contains it. */
const WEIGHTS = { name: 4, title: 3, server: 2, property: 1, description: 1, serverText: 0.5 } as const;

const WORD = /[\p{L}\p{N}]+/gu;
/** Scripts without spaces between words. Pairs of their characters are used as terms. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;
const HUMPS = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u;

/**
 * Splits a text into terms: converts it to lower case, splits `camelCase` and `snake_case`, and removes the plural `s`.
 */
export function splitTerms(text: string): string[] {
  const words = text.slice(0, MAX_TEXT).normalize('NFKC').match(WORD) ?? [];
  return words
    .flatMap(word => word.split(HUMPS))
    .flatMap(word => (UNSPACED.test(word) ? splitPairs(word) : [stemWord(word.toLowerCase())]));
}

/** Counts the terms of a tool, weighted by field. */
export function weighTerms(tool: Tool, server: string, serverText?: string): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  const add = (text: unknown, weight: number) => {
    if (typeof text !== 'string') return;
    for (const term of splitTerms(text)) {
      if (weights.size >= MAX_TERMS && !weights.has(term)) return;
      weights.set(term, (weights.get(term) ?? 0) + weight);
    }
  };
  const properties =
    isObject(tool.inputSchema) && isObject(tool.inputSchema.properties) ? tool.inputSchema.properties : {};
  add(tool.name, WEIGHTS.name);
  add(tool.title ?? tool.annotations?.title, WEIGHTS.title);
  add(server, WEIGHTS.server);
  for (const key of Object.keys(properties).slice(0, MAX_PROPERTIES)) add(key, WEIGHTS.property);
  add(tool.description, WEIGHTS.description);
  add(serverText?.slice(0, MAX_SERVER_TEXT), WEIGHTS.serverText);
  return weights;
}

function stemWord(word: string): string {
  return word.length > 3 && /[^su]s$/.test(word) ? word.slice(0, -1) : word;
}

function splitPairs(word: string): string[] {
  const characters = [...word.toLowerCase()];
  return characters.length === 1 ? characters : characters.slice(1).map((each, at) => `${characters[at]}${each}`);
}
