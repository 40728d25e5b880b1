import {
  checkAnything,
  checkObject,
  checkOptional,
  checkString,
  createGuardedFetch,
  createUrlGuard,
  type OptionChecks,
  requireArgument,
  requireOptions,
  TenonError,
} from '@tenon/base';
import { getEndpointFailure, requestTokenResponse, toAuthError } from '@tenon/base/oauth';
import * as oauth from 'oauth4webapi';
import { type AuthorizationServerInfo, fetchIssuerMetadata } from '../../oauth/authorization-server.js';
import { type AuthTarget, createRequestOptions } from '../auth-target.js';
import type { Authorizer } from '../authorizer.js';
import { type ClientCredentials, createClientIdentity } from '../client-identity.js';
import {
  AUTHORIZER_OPTION_CHECKS,
  type AuthorizerOptions,
  type AuthorizerSettings,
  parseScopeOption,
  resolveSettings,
} from '../settings.js';
import { createGrantAuthorizer } from './grant-authorizer.js';
import { requestTokensWithAssertion } from './jwt-bearer.js';

const EXTENSION_ID = 'io.modelcontextprotocol/enterprise-managed-authorization';
const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
const TOKEN_TYPE = 'urn:ietf:params:oauth:token-type:';

/** Token from the user's sign-in at the enterprise. */
export interface SubjectToken {
  /** Value of the token. */
  readonly token: string;
  /**
   * Type of the token.
   * @default `id_token`
   */
  readonly type?: 'id_token' | 'saml2' | 'refresh_token' | undefined;
}

/** Options of `enterpriseManaged`. */
export interface EnterpriseManagedOptions extends AuthorizerOptions {
  /** Identity provider of the enterprise, as its administrator configured it. */
  readonly idp: {
    readonly issuer: string;
    /**
     * URL of the token endpoint.
     * @default from the metadata of `issuer`
     */
    readonly tokenEndpoint?: string | undefined;
    /** Client with which the user signed in at the identity provider. */
    readonly client: Omit<ClientCredentials, 'method'>;
  };
  /** Token from the user's sign-in. A string is an ID token. A function is called for each exchange. */
  readonly subject: string | SubjectToken | (() => string | SubjectToken | Promise<string | SubjectToken>);
  /** Client at the authorization server of the MCP server. */
  readonly client: Omit<ClientCredentials, 'method'>;
  /**
   * Issuer of the authorization server. The credentials are sent to no other issuer.
   * @default the first issuer in the metadata
   */
  readonly issuer?: string | undefined;
}

/**
 * Signs a user in through the identity provider of an enterprise, which decides who may use which server. Calls reject
 * with `auth/not-granted` when it denies access. On Node `fetch` is `fetchWithAddressCheck` by default.
 *
 * @see https://modelcontextprotocol.io/extensions/auth/enterprise-managed-authorization
 */
export function enterpriseManaged(options: EnterpriseManagedOptions): Authorizer {
  const checks: OptionChecks<EnterpriseManagedOptions> = {
    // Checked below, or when it is used.
    idp: checkAnything,
    subject: checkAnything,
    client: checkAnything,
    issuer: checkOptional(checkString),
    ...AUTHORIZER_OPTION_CHECKS,
  };
  requireOptions('enterpriseManaged', options, checks, 'options/invalid');
  requireArgument('`client` of enterpriseManaged', options.client, checkObject({ id: checkString }));
  requireArgument('`idp` of enterpriseManaged', options.idp, checkObject());
  const settings = resolveSettings(options);
  return createGrantAuthorizer(
    {
      clientKey: options.client.id,
      issuer: options.issuer,
      preregistered: true,
      scopes: parseScopeOption(options.scopes),
      offline: false,
      interactive: false,
      identifyClient: target => createClientIdentity(target.authorizationServer, options.client),
      async requestToken(target, scopes, signal) {
        const assertion = await exchangeForGrant(target, options, settings, scopes, signal);
        try {
          return await requestTokensWithAssertion(
            target,
            await createClientIdentity(target.authorizationServer, options.client),
            assertion,
            scopes,
            signal,
          );
        } catch (error) {
          throw toAuthError(error, target.issuer, 'the enterprise-managed sign-in');
        }
      },
    },
    settings,
    [EXTENSION_ID],
  );
}

/** Exchanges the user's token for a grant (ID-JAG) for one authorization server and one resource. */
async function exchangeForGrant(
  target: AuthTarget,
  { idp, subject }: EnterpriseManagedOptions,
  settings: AuthorizerSettings,
  scopes: readonly string[],
  signal: AbortSignal,
): Promise<string> {
  const guard = createUrlGuard(idp.tokenEndpoint ?? idp.issuer, settings.guard);
  const connection = { guard, fetch: createGuardedFetch({ fetch: settings.fetch, clock: settings.clock, guard }) };
  const subjectToken = typeof subject === 'function' ? await subject() : subject;
  const { token, type = 'id_token' } = typeof subjectToken === 'string' ? { token: subjectToken } : subjectToken;
  const params = {
    requested_token_type: `${TOKEN_TYPE}id-jag`,
    audience: target.issuer,
    resource: target.resource,
    subject_token: token,
    subject_token_type: TOKEN_TYPE + type,
    ...(scopes.length > 0 ? { scope: scopes.join(' ') } : {}),
  };
  const { issuer, tokenEndpoint } = idp;
  try {
    const authorizationServer: AuthorizationServerInfo =
      tokenEndpoint === undefined
        ? await fetchIssuerMetadata(issuer, connection.fetch, signal)
        : { id: issuer, metadata: { issuer, token_endpoint: tokenEndpoint } };
    const { client, auth } = await createClientIdentity(authorizationServer, idp.client);
    const options = createRequestOptions(connection, signal);
    const { metadata } = authorizationServer;
    const response = await requestTokenResponse(
      () => oauth.genericTokenEndpointRequest(metadata, client, auth, TOKEN_EXCHANGE, params, options),
      received =>
        oauth.processGenericTokenEndpointResponse(metadata, client, received, {
          recognizedTokenTypes: RECOGNIZED_TYPES,
        }),
    );
    if (response.issued_token_type === `${TOKEN_TYPE}id-jag`) return response.access_token;
    throw new TenonError('auth/bad-answer', 'the identity provider did not return an ID-JAG grant', {
      peer: issuer.slice(0, 200),
      expected: `issued_token_type ${TOKEN_TYPE}id-jag`,
    });
  } catch (error) {
    const authError = toAuthError(error, issuer, 'the token exchange');
    const isDenied = authError.code === 'auth/refused' && getEndpointFailure(error)?.verdict !== 'temporary';
    if (!isDenied) throw authError;
    throw new TenonError('auth/not-granted', 'the enterprise does not allow access to this server', {
      peer: authError.peer,
      received: authError.received,
      hint: 'sign in to the enterprise again, or ask its administrator for access',
    });
  }
}

/** Token type of the response, because an ID-JAG is not an access token. */
const RECOGNIZED_TYPES: oauth.RecognizedTokenTypes = { n_a: () => {} };
