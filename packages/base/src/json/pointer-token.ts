/** Maximum number of characters of a key in a pointer. */
const MAX_KEY = 60;

/**
 * Converts a path to a JSON Pointer. `''` is the root. Long keys are shortened.
 * @see https://www.rfc-editor.org/rfc/rfc6901
 */
export function toJsonPointer(path: readonly (string | number)[]): string {
  return path.map(key => `/${escapeKey(String(key))}`).join('');
}

function escapeKey(key: string): string {
  const shortened = key.length > MAX_KEY ? `${key.slice(0, MAX_KEY - 1)}…` : key;
  return shortened.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** Decodes one step of a JSON Pointer in a URL fragment. Returns `undefined` if it is not well encoded, such as `50%`. */
export function decodePointerToken(token: string): string | undefined {
  try {
    return decodeURIComponent(token).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return undefined;
  }
}
