/** Scope of a refresh token, which no request to a resource needs. */
export const OFFLINE_ACCESS = 'offline_access';

/** Maximum number of scopes in a request. It bounds the length of the URL when a server lists many. */
const MAX_SCOPES = 200;

/**
 * Tells if a text is the name of one scope.
 *
 * @see https://www.rfc-editor.org/rfc/rfc6749#section-3.3
 */
export const isScope = (text: string): boolean => /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(text);

/**
 * Splits the value of a `scope` parameter, and drops invalid scopes.
 *
 * @see https://www.rfc-editor.org/rfc/rfc6749#section-3.3
 */
export function splitScopes(text: string): string[] {
  const scopes = text.split(' ').filter(isScope);
  return [...new Set(scopes)].slice(0, MAX_SCOPES);
}

export function mergeScopes(...lists: (readonly string[] | undefined)[]): string[] {
  return [...new Set(lists.flatMap(list => list ?? []))].slice(0, MAX_SCOPES);
}
