/** Decodes one step of a JSON Pointer in a fragment. Undefined when it is not well encoded. */
export function decodeToken(token: string): string | undefined {
  try {
    return decodeURIComponent(token).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return undefined;
  }
}
