import * as oauth from 'oauth4webapi';
import type { Identity } from '../client-auth.js';
import type { Tokens } from '../credentials.js';
import { type Place, tokenOptions, tokensBy } from '../place.js';

const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

/** Gets tokens by an assertion that somebody else has made. https://www.rfc-editor.org/rfc/rfc7523#section-2.1 */
export function byAssertion(
  place: Place,
  { client, auth }: Identity,
  assertion: string,
  scopes: readonly string[],
  signal: AbortSignal,
): Promise<Tokens> {
  const { metadata } = place.as;
  const scope = scopes.length > 0 ? { scope: scopes.join(' ') } : {};
  const params = { assertion, resource: place.resource, ...scope };
  return tokensBy(place, scopes, async () => {
    const options = tokenOptions(place, signal);
    const response = await oauth.genericTokenEndpointRequest(metadata, client, auth, JWT_BEARER, params, options);
    return oauth.processGenericTokenEndpointResponse(metadata, client, response);
  });
}
