const OFFLINE_ACCESS = 'offline_access';
/** A server may name many scopes; a URL is not to grow without end. */
const MAX_SCOPES = 200;

/** The scopes of a `scope` parameter. https://www.rfc-editor.org/rfc/rfc6749#section-3.3 */
export function splitScopes(text: string): string[] {
  const scopes = text.split(' ').filter(scope => /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope));
  return [...new Set(scopes)].slice(0, MAX_SCOPES);
}

export function mergeScopes(...lists: (readonly string[] | undefined)[]): string[] {
  return [...new Set(lists.flatMap(list => list ?? []))].slice(0, MAX_SCOPES);
}

export interface ScopeSelection {
  /** Scopes of the server's challenge. */
  readonly challenged: readonly string[] | undefined;
  /** Scopes of the application; then no others are requested. */
  readonly wanted: readonly string[] | undefined;
  /** `scopes_supported` of the resource. */
  readonly resourceScopes: readonly string[] | undefined;
  /** `scopes_supported` of the authorization server. */
  readonly issuerScopes: readonly string[] | undefined;
  /** Scopes of the previous tokens, for a step up. */
  readonly previous: readonly string[] | undefined;
  /** True to request tokens that can be renewed in the absence of the user. */
  readonly offline: boolean;
}

/**
 * Chooses the scopes to request. Without any, the parameter is omitted. The application's scopes take precedence, then
 * those of the challenge, then those that the resource supports. No relation between the last two is assumed.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization#scope-selection-strategy
 */
export function selectScopes({
  challenged,
  wanted,
  resourceScopes,
  issuerScopes,
  previous,
  offline,
}: ScopeSelection): string[] {
  const all = wanted ?? mergeScopes(previous, challenged ?? resourceScopes);
  const scopes = all.filter(scope => scope !== OFFLINE_ACCESS);
  const supportsOffline = issuerScopes?.includes(OFFLINE_ACCESS) === true;
  return supportsOffline && (all.includes(OFFLINE_ACCESS) || (offline && scopes.length > 0))
    ? [...scopes, OFFLINE_ACCESS]
    : scopes;
}

/** Lists the scopes that are beyond those that the application wants. */
export function findUnwantedScopes(wanted: readonly string[] | undefined, needed: readonly string[]): string[] {
  return wanted ? needed.filter(scope => scope !== OFFLINE_ACCESS && !wanted.includes(scope)) : [];
}
