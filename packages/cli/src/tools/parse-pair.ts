import { createUsageError } from '../usage-error.js';

/** Parses an argument with a name and a text: `NAME=VALUE`. */
export function parsePair(word: string): { readonly name: string; readonly value: string } {
  const [, name, value] = /^([^=]+)=([\s\S]*)$/.exec(word) ?? [];
  if (name === undefined || value === undefined)
    throw createUsageError(`argument without a name: ${word}`, 'write NAME=VALUE');
  return { name, value };
}
