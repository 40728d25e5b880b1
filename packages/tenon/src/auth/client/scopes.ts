import { mergeScopes, OFFLINE_ACCESS } from '@tenon/base/oauth';

export interface ScopeSelection {
  /** Scopes in the server's challenge. */
  readonly challenged: readonly string[] | undefined;
  /** Scopes from the option `scopes`. If set, no others are requested. */
  readonly wanted: readonly string[] | undefined;
  /** `scopes_supported` of the resource. */
  readonly resourceScopes: readonly string[] | undefined;
  /** `scopes_supported` of the authorization server. */
  readonly issuerScopes: readonly string[] | undefined;
  /** Scopes of the previous tokens, which a step-up keeps. */
  readonly previous: readonly string[] | undefined;
  /** True to request a refresh token, so that the client can renew tokens without the user. */
  readonly offline: boolean;
}

/**
 * Selects the scopes to request. An empty result omits the parameter.
 *
 * The option `scopes` takes precedence, then the challenge, then the scopes that the resource supports. The challenge
 * need not be a subset of the supported scopes.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization#scope-selection-strategy
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
