/** Decodes one step of a JSON Pointer in a URL fragment. Returns `undefined` if it is not well encoded, such as `50%`. */
export function decodePointerToken(token: string): string | undefined {
  try {
    return decodeURIComponent(token).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return undefined;
  }
}
