import { shorten } from './shorten.js';

/** Maximum number of characters of a key in a pointer. */
const MAX_KEY = 60;

/**
 * Converts a path to a JSON Pointer. `''` is the root. Long keys are shortened.
 * @see https://www.rfc-editor.org/rfc/rfc6901
 */
export function toJsonPointer(path: readonly (string | number)[]): string {
  return path.map(key => `/${escapePointerKey(shorten(String(key), MAX_KEY))}`).join('');
}

/** Encodes a key as a step of a JSON Pointer. */
export const escapePointerKey = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1');

const unescapeKey = (step: string): string => step.replaceAll('~1', '/').replaceAll('~0', '~');

/** Splits a JSON Pointer into keys. `''` has none. */
export const parseJsonPointer = (pointer: string): string[] => pointer.split('/').slice(1).map(unescapeKey);

/** Decodes one step of a JSON Pointer in a URL fragment. Returns `undefined` if it is not well encoded, such as `50%`. */
export function decodePointerToken(token: string): string | undefined {
  try {
    return unescapeKey(decodeURIComponent(token));
  } catch {
    return undefined;
  }
}
