import { toJsonObject } from '@tenon/base';
import type { Tool } from 'tenon';

/** Maximum number of indexed terms per tool. Further terms are not searched. */
const MAX_TERMS = 500;
/** Maximum number of characters of a text that are indexed. */
const MAX_TEXT = 8_000;
const MAX_PROPERTIES = 100;

/** Maximum number of characters of the text about a server that are indexed. */
const MAX_SERVER_TEXT = 1_000;

/** Weight of a term, by the field that contains it. */
const WEIGHTS = { name: 4, title: 3, server: 2, property: 1, description: 1, serverText: 0.5 } as const;

const WORD = /[\p{L}\p{N}\p{M}]+/gu;
/**
 * Scripts without spaces between words, and Hangul, whose words have endings. Pairs of their characters are used as
 * terms.
 */
const UNSPACED_SCRIPTS = ['Han', 'Hiragana', 'Katakana', 'Hangul', 'Thai', 'Lao', 'Khmer', 'Myanmar']
  .map(name => `\\p{Script_Extensions=${name}}`)
  .join('');
const UNSPACED = new RegExp(`[${UNSPACED_SCRIPTS}]`, 'u');
/** Parts of a word, each of scripts with or without spaces. */
const SCRIPT_RUN = new RegExp(`[${UNSPACED_SCRIPTS}]+|[^${UNSPACED_SCRIPTS}]+`, 'gu');
const ASCII = /^[\u0000-\u007f]*$/;
/** Accents of Latin, Greek and Cyrillic letters. Marks of other scripts are parts of their letters. */
const ACCENTS = /[\u0300-\u036f]/g;
/** Letters that no normalization changes, and their usual spelling without accents. */
const LETTERS: Readonly<Record<string, string>> = {
  ...{ ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', đ: 'd', ð: 'd', ł: 'l', þ: 'th', ı: 'i' },
  ...{ ẞ: 'SS', Æ: 'AE', Œ: 'OE', Ø: 'O', Đ: 'D', Ð: 'D', Ł: 'L', Þ: 'TH' },
};
const SPECIAL_LETTER = new RegExp(`[${Object.keys(LETTERS).join('')}]`, 'g');
const HUMPS = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u;

/**
 * Splits a text into terms: converts it to lower case, splits `camelCase` and `snake_case`, and removes accents and the
 * plural `s`.
 */
export function splitTerms(text: string): string[] {
  const words = removeAccents(text.slice(0, MAX_TEXT)).match(WORD) ?? [];
  return words.flatMap(word => word.split(HUMPS)).flatMap(splitWord);
}

/** Tells if a term is of a script without spaces, so that one character may be a word. */
export const isUnspaced = (term: string): boolean => UNSPACED.test(term);

function removeAccents(text: string): string {
  if (ASCII.test(text)) return text;
  const plain = text.normalize('NFKD').replace(ACCENTS, '').normalize('NFC');
  return plain.replace(SPECIAL_LETTER, letter => LETTERS[letter] ?? letter);
}

function splitWord(word: string): string[] {
  if (!UNSPACED.test(word)) return [stemWord(word.toLowerCase())];
  return (word.match(SCRIPT_RUN) ?? []).flatMap(part =>
    UNSPACED.test(part) ? splitPairs(part) : [stemWord(part.toLowerCase())],
  );
}

/** Texts that the index has for a tool, besides its definition. */
export interface ToolTexts {
  readonly server: string;
  /** Name of the tool at its server. Its public name may be an abbreviation without its words. */
  readonly serverName?: string | undefined;
  readonly serverText?: string | undefined;
}

/** Counts the terms of a tool, weighted by field. */
export function weighTerms(tool: Tool, { server, serverName, serverText }: ToolTexts): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  const add = (text: unknown, weight: number) => {
    if (typeof text === 'string') addTerms(splitTerms(text), weight);
  };
  const addTerms = (terms: readonly string[], weight: number) => {
    for (const term of terms) {
      if (weights.size >= MAX_TERMS && !weights.has(term)) return;
      weights.set(term, (weights.get(term) ?? 0) + weight);
    }
  };
  const properties = toJsonObject(toJsonObject(tool.inputSchema).properties);
  add(tool.name, WEIGHTS.name);
  // The public name has most of these terms.
  if (serverName !== undefined)
    addTerms(
      splitTerms(serverName).filter(term => !weights.has(term)),
      WEIGHTS.name,
    );
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
