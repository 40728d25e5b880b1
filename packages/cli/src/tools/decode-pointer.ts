/** Decodes one step of a JSON Pointer in a URL fragment. Returns it unchanged if it is not well encoded: `50%`. */
export function decodePointer(step: string): string {
  try {
    return decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return step;
  }
}
