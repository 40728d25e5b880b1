import { unwrapUri, wrapUri } from './wrapped-uri.js';

/** Scheme and authority of a URI or template, unless the host is an IP address in brackets, which no path may contain. */
const HIERARCHICAL = /^([a-z][a-z0-9+.-]*):\/\/(?!\[|[^/?#[\]{}]*@\[)/i;

/**
 * Puts a prefix before the first segment of a URI or template: `note://today` becomes `note://PREFIX/today`. A URI
 * without `//` is wrapped: `urn:a` becomes `tenon:PREFIX/urn:a`.
 */
export function addUriPrefix(prefix: string, uri: string): string {
  const [start, scheme] = HIERARCHICAL.exec(uri) ?? [];
  return start === undefined ? wrapUri(prefix, uri) : `${scheme}://${prefix}/${uri.slice(start.length)}`;
}

/** Returns the URI before `addUriPrefix`. Returns `undefined` if the URI has another prefix or none. */
export function removeUriPrefix(prefix: string, uri: string): string | undefined {
  const [start = '', scheme] = HIERARCHICAL.exec(uri) ?? [];
  if (scheme === undefined) return unwrapUri(uri, new Map([[prefix, prefix]]))?.uri;
  return uri.startsWith(`${prefix}/`, start.length)
    ? `${scheme}://${uri.slice(start.length + prefix.length + 1)}`
    : undefined;
}
