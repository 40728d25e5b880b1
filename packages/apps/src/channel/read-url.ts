/** Parses a URL. Returns `undefined` for a text that is none, because not every runtime has `URL.canParse`. */
export function readUrl(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}
