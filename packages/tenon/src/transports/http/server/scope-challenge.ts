import type { ErrorObject } from '@tenon/base';
import type { TokenVerifier } from '../../../auth/resource/request-authorizer.js';
import { getRequiredScopes } from '../../../protocol/scopes.js';
import type { Exchange, HeaderFields } from './exchange.js';

/** Returns a function for the headers that name missing scopes to the client. It returns none for other errors. */
export function createScopeChallenge(auth: TokenVerifier | undefined) {
  return (exchange: Exchange, error: ErrorObject): HeaderFields | undefined => {
    const scopes = getRequiredScopes(error);
    if (scopes === undefined) return undefined;
    if (auth !== undefined) return auth.challenge(exchange, scopes);
    return { 'www-authenticate': `Bearer error="insufficient_scope", scope="${scopes.join(' ')}"` };
  };
}
