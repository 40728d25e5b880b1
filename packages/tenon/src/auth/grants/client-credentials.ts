import * as oauth from 'oauth4webapi';
import type { Authorizer } from '../authorizer.js';
import { byStrategy } from '../by-strategy.js';
import { type ClientCredentials, identify } from '../client-auth.js';
import { authError } from '../judgement.js';
import { tokenOptions, tokensBy } from '../place.js';
import { type AuthorizerOptions, scopesOf, settingOf } from '../setting.js';

const CLIENT_CREDENTIALS = 'io.modelcontextprotocol/oauth-client-credentials';

export interface ClientCredentialsOptions extends AuthorizerOptions, Omit<ClientCredentials, 'method'> {
  /** The authorization server that knows the client; no other is shown its credentials. Default: the first one. */
  readonly issuer?: string | undefined;
}

/**
 * Signs a machine in by its own credentials: `secret`, or better `key`, which stays here. Rejects with `auth/refused`
 * when they are not taken. https://modelcontextprotocol.io/extensions/auth/oauth-client-credentials
 */
export function clientCredentials(options: ClientCredentialsOptions): Authorizer {
  return byStrategy(
    {
      client: options.id,
      issuer: options.issuer,
      given: true,
      scopes: scopesOf(options.scope),
      offline: false,
      interactive: false,
      identify: place => identify(place.as, options),
      async obtain(place, scopes, signal) {
        const { metadata } = place.as;
        const { client, auth } = await identify(place.as, options);
        const params = { resource: place.resource, ...(scopes.length > 0 ? { scope: scopes.join(' ') } : {}) };
        try {
          return await tokensBy(place, scopes, async () => {
            const sent = tokenOptions(place, signal);
            const response = await oauth.clientCredentialsGrantRequest(metadata, client, auth, params, sent);
            return oauth.processClientCredentialsResponse(metadata, client, response);
          });
        } catch (error) {
          throw authError(error, place.issuer, 'the sign-in by client credentials');
        }
      },
    },
    settingOf(options),
    [CLIENT_CREDENTIALS],
  );
}
