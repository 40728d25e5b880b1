import { checkEither, checkObject, checkOptional, checkString, type OptionChecks, requireOptions } from '@tenon/base';
import { toAuthError } from '@tenon/base/oauth';
import * as oauth from 'oauth4webapi';
import { createTokenRequestOptions, fetchTokens, getResourceParams } from '../auth-target.js';
import type { Authorizer } from '../authorizer.js';
import { type ClientCredentials, createClientIdentity } from '../client-identity.js';
import { AUTHORIZER_OPTION_CHECKS, type AuthorizerOptions, parseScopeOption, resolveSettings } from '../settings.js';
import { createGrantAuthorizer } from './grant-authorizer.js';

const EXTENSION_ID = 'io.modelcontextprotocol/oauth-client-credentials';

/** Options of `clientCredentials`. */
export interface ClientCredentialsOptions extends AuthorizerOptions, Omit<ClientCredentials, 'method'> {
  /**
   * Issuer at which the client is registered. Its credentials are sent to no other issuer.
   * @default the first issuer in the metadata
   */
  readonly issuer?: string | undefined;
}

const text = checkOptional(checkString);
const optionChecks: OptionChecks<ClientCredentialsOptions> = {
  issuer: text,
  ...AUTHORIZER_OPTION_CHECKS,
  id: checkString,
  secret: text,
  key: checkOptional(checkEither(checkString, checkObject())),
  alg: text,
  audience: text,
};

/**
 * Signs a program in with its own credentials: a `secret`, or preferably a private `key`. Calls reject with
 * `auth/refused` when the authorization server rejects them. On Node `fetch` is `fetchWithAddressCheck` by default.
 *
 * @see https://modelcontextprotocol.io/extensions/auth/oauth-client-credentials
 */
export function clientCredentials(options: ClientCredentialsOptions): Authorizer {
  requireOptions<ClientCredentialsOptions>('clientCredentials', options, optionChecks, 'options/invalid');
  return createGrantAuthorizer(
    {
      clientKey: options.id,
      issuer: options.issuer,
      preregistered: true,
      scopes: parseScopeOption(options.scopes),
      offline: false,
      interactive: false,
      identifyClient: target => createClientIdentity(target.authorizationServer, options),
      async requestToken(target, scopes, signal) {
        const { metadata } = target.authorizationServer;
        const { client, auth } = await createClientIdentity(target.authorizationServer, options);
        const params = { ...getResourceParams(target), ...(scopes.length > 0 ? { scope: scopes.join(' ') } : {}) };
        try {
          const requestOptions = createTokenRequestOptions(target, signal);
          return await fetchTokens(
            target,
            scopes,
            () => oauth.clientCredentialsGrantRequest(metadata, client, auth, params, requestOptions),
            response => oauth.processClientCredentialsResponse(metadata, client, response),
          );
        } catch (error) {
          throw toAuthError(error, target.issuer, 'the sign-in with client credentials');
        }
      },
    },
    resolveSettings(options),
    [EXTENSION_ID],
  );
}
