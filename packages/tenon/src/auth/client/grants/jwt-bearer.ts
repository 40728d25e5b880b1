import * as oauth from 'oauth4webapi';
import { type AuthTarget, createTokenRequestOptions, fetchTokens, getResourceParams } from '../auth-target.js';
import type { ClientIdentity } from '../client-identity.js';
import type { Tokens } from '../token-store.js';

const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

/**
 * Requests tokens with a JWT assertion of another issuer.
 *
 * @see https://www.rfc-editor.org/rfc/rfc7523#section-2.1
 */
export function requestTokensWithAssertion(
  target: AuthTarget,
  { client, auth }: ClientIdentity,
  assertion: string,
  scopes: readonly string[],
  signal: AbortSignal,
): Promise<Tokens> {
  const { metadata } = target.authorizationServer;
  const scope = scopes.length > 0 ? { scope: scopes.join(' ') } : {};
  const params = { assertion, ...getResourceParams(target), ...scope };
  const options = createTokenRequestOptions(target, signal);
  return fetchTokens(
    target,
    scopes,
    () => oauth.genericTokenEndpointRequest(metadata, client, auth, JWT_BEARER, params, options),
    response => oauth.processGenericTokenEndpointResponse(metadata, client, response),
  );
}
