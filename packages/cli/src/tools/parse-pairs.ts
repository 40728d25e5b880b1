import { splitArgumentWords } from './argument-words.js';

/** Parses arguments whose values are texts: `NAME=VALUE`, and the other spellings of `splitArgumentWords`. */
export function parsePairs(words: readonly string[]): { readonly name: string; readonly value: string }[] {
  return splitArgumentWords(words).map(({ name, operator, text }) => ({
    name,
    value: operator === '=@' ? `@${text}` : text,
  }));
}
