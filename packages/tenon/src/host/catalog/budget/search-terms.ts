import { isObject } from '../../../jsonrpc/message.js';
import type { Tool } from '../../../protocol/content.js';

/** Terms of one tool that are indexed; the rest of a description that goes on is not searched. */
const MAX_TERMS = 500;
/** Characters of a text that are read for terms. */
const MAX_TEXT = 8_000;
const MAX_PROPERTIES = 100;

/** Weight of a term by its place. */
const WEIGHTS = { name: 4, title: 3, server: 2, property: 1, description: 1 } as const;

const WORD = /[\p{L}\p{N}]+/gu;
/** Scripts without spaces between words: pairs of characters are used as words. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;
const HUMPS = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u;

/** Splits a text into words for comparison: lower case, `camelCase` and `snake_case` split, plural `s` removed. */
export function splitTerms(text: string): string[] {
  const words = text.slice(0, MAX_TEXT).normalize('NFKC').match(WORD) ?? [];
  return words
    .flatMap(word => word.split(HUMPS))
    .flatMap(word => (UNSPACED.test(word) ? splitPairs(word) : [stemWord(word.toLowerCase())]));
}

/** Counts the terms of a tool, weighted by their place. */
export function weighTerms(tool: Tool, server: string): ReadonlyMap<string, number> {
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
  return weights;
}

function stemWord(word: string): string {
  return word.length > 3 && /[^su]s$/.test(word) ? word.slice(0, -1) : word;
}

function splitPairs(word: string): string[] {
  const characters = [...word.toLowerCase()];
  return characters.length === 1 ? characters : characters.slice(1).map((each, at) => `${characters[at]}${each}`);
}
