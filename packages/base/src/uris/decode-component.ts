/** Decodes a component of a URI. Returns the text unchanged if its escapes are invalid. */
export function decodeComponent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
