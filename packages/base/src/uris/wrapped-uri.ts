/** Parts of a wrapped URI. */
export interface WrappedResource {
  readonly server: string;
  readonly uri: string;
}

const SCHEME = 'tenon:';
/** Follows the label when the brackets of an IP address are percent-encoded. */
const BRACKETED = ';ip';

/** IP address in the authority. Only there a URI may have brackets, which a path must not contain. */
const ADDRESS = /^([a-z][a-z0-9+.-]*:\/\/(?:[^/?#[\]{}]*@)?)\[([^/?#[\]{}%@]*)\]/i;
const WRITTEN_ADDRESS = /^([a-z][a-z0-9+.-]*:\/\/(?:[^/?#[\]{}]*@)?)%5B([^/?#[\]{}%@]*)%5D/i;

/**
 * Wraps a URI or template so that it names its server: `tenon:LABEL/URI`. The result is a valid URI (RFC 3986) if the
 * original is one. A wrapped template expands like the original.
 */
export function wrapUri(label: string, uri: string): string {
  const flat = uri.replace(ADDRESS, '$1%5B$2%5D');
  return flat === uri ? `${SCHEME}${label}/${uri}` : `${SCHEME}${label}${BRACKETED}/${flat}`;
}

/**
 * Unwraps a URI. Returns `undefined` when it is not wrapped, or names no server of the host. The scheme is
 * case-insensitive.
 */
export function unwrapUri(text: string, servers: ReadonlyMap<string, string>): WrappedResource | undefined {
  if (text.slice(0, SCHEME.length).toLowerCase() !== SCHEME) return undefined;
  const slash = text.indexOf('/');
  if (slash < 0) return undefined;
  const head = text.slice(SCHEME.length, slash);
  const isBracketed = head.endsWith(BRACKETED);
  const server = servers.get(isBracketed ? head.slice(0, -BRACKETED.length) : head);
  if (server === undefined) return undefined;
  const uri = text.slice(slash + 1);
  return { server, uri: isBracketed ? uri.replace(WRITTEN_ADDRESS, '$1[$2]') : uri };
}
