import type { CallerInfo } from '../handler/caller-info.js';
import { hasScopes, insufficientScope } from '../protocol/scopes.js';

/** An item that requires scopes. */
export interface HasScopes {
  readonly scopes?: readonly string[] | undefined;
}

/** Tells if the caller has all required scopes. Without authorization a caller has no scopes. */
export function hasRequiredScopes({ auth }: CallerInfo, { scopes }: HasScopes): boolean {
  return hasScopes(auth, scopes);
}

/** Throws the error for a 403 when the caller lacks a scope. The error names all scopes that the request needs. */
export function requireItemScopes(item: HasScopes, caller: CallerInfo): void {
  if (!hasRequiredScopes(caller, item)) throw insufficientScope([...new Set(item.scopes)]);
}
