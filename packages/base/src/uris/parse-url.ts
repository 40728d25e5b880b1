/** Parses a URL. Returns `undefined` for a text that is none, because not every runtime has `URL.parse`. */
export function parseUrl(text: string | URL, base?: string | URL): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}

/** Parses an `http:` or `https:` URL. Returns `undefined` for any other text. */
export function parseWebUrl(text: string | URL, base?: string | URL): URL | undefined {
  const url = parseUrl(text, base);
  return url?.protocol === 'http:' || url?.protocol === 'https:' ? url : undefined;
}

/** Tells if a text has the form of an absolute URL with an authority, such as `https://…`. A path of Windows has not. */
export const isUrlText = (text: string): boolean => /^[a-z][a-z\d+.-]+:\/\//i.test(text);
