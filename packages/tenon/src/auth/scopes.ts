const OFFLINE = 'offline_access';
/** A server may name many scopes; a URL is not to grow without end. */
const MAX_SCOPES = 200;

/** The scopes of a `scope` parameter. https://www.rfc-editor.org/rfc/rfc6749#section-3.3 */
export function splitScopes(text: string): string[] {
  const scopes = text.split(' ').filter(scope => /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope));
  return [...new Set(scopes)].slice(0, MAX_SCOPES);
}

export function union(...lists: (readonly string[] | undefined)[]): string[] {
  return [...new Set(lists.flatMap(list => list ?? []))].slice(0, MAX_SCOPES);
}

export interface ScopeFacts {
  /** What the challenge of the server says. */
  readonly challenged: readonly string[] | undefined;
  /** What the application wants in any case. */
  readonly wanted: readonly string[] | undefined;
  /** `scopes_supported` of the resource. */
  readonly ofResource: readonly string[] | undefined;
  /** `scopes_supported` of the authorization server. */
  readonly ofIssuer: readonly string[] | undefined;
  /** What has been asked for before, when this is a step up. */
  readonly before: readonly string[] | undefined;
  /** Whether tokens that outlive the presence of the user are wanted. */
  readonly offline: boolean;
}

/**
 * Which scopes to ask for; none means that the parameter is left out. The challenge decides, else what the resource
 * supports; nothing is supposed about how the two are related.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization#scope-selection-strategy
 */
export function scopesToAsk({ challenged, wanted, ofResource, ofIssuer, before, offline }: ScopeFacts): string[] {
  const basis = challenged ?? (wanted ? [] : ofResource);
  const scopes = union(before, wanted, basis).filter(scope => scope !== OFFLINE);
  const mayStay = ofIssuer?.includes(OFFLINE) === true;
  const staysAnyway = [before, wanted, basis].some(list => list?.includes(OFFLINE));
  return mayStay && (staysAnyway || (offline && scopes.length > 0)) ? [...scopes, OFFLINE] : scopes;
}
