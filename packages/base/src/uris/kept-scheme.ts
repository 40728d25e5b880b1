/** Schemes that programs know, so that a public address keeps them. */
const KEPT = /^(ui|skill):\/\//i;

/** Returns the scheme of an address that keeps it, in lower case. `undefined` for all others. */
export function getKeptScheme(uri: string): 'ui' | 'skill' | undefined {
  return KEPT.exec(uri)?.[1]?.toLowerCase() as 'ui' | 'skill' | undefined;
}

/** Puts the label of a server before the first segment: `ui://page.html` becomes `ui://LABEL/page.html`. */
export function addLabel(label: string, uri: string): string {
  return uri.replace(KEPT, (_, scheme: string) => `${scheme.toLowerCase()}://${label}/`);
}
