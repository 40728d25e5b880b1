import * as oauth from 'oauth4webapi';
import { TenonError } from '../../jsonrpc/error.js';
import type { Authorizer } from '../authorizer.js';
import { byStrategy } from '../by-strategy.js';
import { type ClientCredentials, identify } from '../client-auth.js';
import { findIssuer, type Issuer } from '../discovery/authorization-server.js';
import { createGuardedFetch } from '../guarded-fetch.js';
import { authError, withNonce } from '../judgement.js';
import { type Place, requestOptions } from '../place.js';
import { type AuthorizerOptions, type Setting, scopesOf, settingOf } from '../setting.js';
import { createUrlGuard } from '../url-guard.js';
import { byAssertion } from './assertion.js';

const ENTERPRISE = 'io.modelcontextprotocol/enterprise-managed-authorization';
const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
const TOKEN_TYPE = 'urn:ietf:params:oauth:token-type:';

/** What the user's sign-in to the enterprise has left. */
export interface Subject {
  readonly token: string;
  /** Default `id_token`. */
  readonly type?: 'id_token' | 'saml2' | 'refresh_token' | undefined;
}

export interface EnterpriseOptions extends AuthorizerOptions {
  /** The identity provider of the enterprise, as its administrator has set it. */
  readonly idp: {
    readonly issuer: string;
    /** Default: found by `issuer`. */
    readonly tokenEndpoint?: string | undefined;
    /** The client by which the user signed in there. */
    readonly client: Omit<ClientCredentials, 'method'>;
  };
  /** What the user's sign-in has left; a function is asked for each exchange. A string is an ID token. */
  readonly subject: string | Subject | (() => string | Subject | Promise<string | Subject>);
  /** The client at the authorization server of the MCP server. */
  readonly client: Omit<ClientCredentials, 'method'>;
  /** That authorization server; no other is shown the credentials. Default: the first that the server names. */
  readonly issuer?: string | undefined;
}

/**
 * Signs a user in through the enterprise: its identity provider decides who may use which server, and nobody sees a
 * page. Rejects with `auth/not-granted` when it says no.
 * https://modelcontextprotocol.io/extensions/auth/enterprise-managed-authorization
 */
export function enterprise(options: EnterpriseOptions): Authorizer {
  const setting = settingOf(options);
  return byStrategy(
    {
      client: options.client.id,
      issuer: options.issuer,
      given: true,
      scopes: scopesOf(options.scope),
      offline: false,
      interactive: false,
      identify: place => identify(place.as, options.client),
      async obtain(place, scopes, signal) {
        const grant = await exchange(place, options, setting, scopes, signal);
        try {
          return await byAssertion(place, await identify(place.as, options.client), grant, scopes, signal);
        } catch (error) {
          throw authError(error, place.issuer, 'the sign-in by the grant of the enterprise');
        }
      },
    },
    setting,
    [ENTERPRISE],
  );
}

/** Gets the grant (ID-JAG) for one authorization server and one resource. */
async function exchange(
  place: Place,
  { idp, subject }: EnterpriseOptions,
  setting: Setting,
  scopes: readonly string[],
  signal: AbortSignal,
): Promise<string> {
  const guard = createUrlGuard(idp.tokenEndpoint ?? idp.issuer, setting.guard);
  const at = { guard, fetch: createGuardedFetch(setting.fetch, guard, setting.clock) };
  const given = typeof subject === 'function' ? await subject() : subject;
  const { token, type = 'id_token' } = typeof given === 'string' ? { token: given } : given;
  const params = {
    requested_token_type: `${TOKEN_TYPE}id-jag`,
    audience: place.issuer,
    resource: place.resource,
    subject_token: token,
    subject_token_type: TOKEN_TYPE + type,
    ...(scopes.length > 0 ? { scope: scopes.join(' ') } : {}),
  };
  try {
    const as = await provider(idp, at, signal);
    const { client, auth } = await identify(as, idp.client);
    const options = requestOptions(at, signal);
    const answer = await withNonce(async () => {
      const { metadata } = as;
      const response = await oauth.genericTokenEndpointRequest(metadata, client, auth, TOKEN_EXCHANGE, params, options);
      return oauth.processGenericTokenEndpointResponse(metadata, client, response, { recognizedTokenTypes: GRANTS });
    });
    return checkGrant(answer, idp.issuer);
  } catch (error) {
    throw notGranted(authError(error, idp.issuer, 'the exchange for a grant'));
  }
}

/** What is given is no access token, and says so by its type. */
const GRANTS: oauth.RecognizedTokenTypes = { n_a: () => {} };

async function provider(
  { issuer, tokenEndpoint }: EnterpriseOptions['idp'],
  at: Pick<Place, 'fetch'>,
  signal: AbortSignal,
): Promise<Issuer> {
  if (tokenEndpoint === undefined) return findIssuer(issuer, at.fetch, signal);
  return { id: issuer, metadata: { issuer, token_endpoint: tokenEndpoint } };
}

function checkGrant(answer: oauth.TokenEndpointResponse, issuer: string): string {
  const type = answer.issued_token_type;
  if (type === `${TOKEN_TYPE}id-jag`) return answer.access_token;
  throw new TenonError('auth/bad-answer', 'the identity provider has given something else than a grant', {
    peer: issuer.slice(0, 200),
    expected: `issued_token_type ${TOKEN_TYPE}id-jag`,
  });
}

function notGranted(error: TenonError): TenonError {
  if (error.code !== 'auth/refused') return error;
  return new TenonError('auth/not-granted', 'the enterprise gives no access to this server', {
    peer: error.peer,
    got: error.got,
    status: error.status,
    next: 'sign in to the enterprise again, or ask its administrator',
  });
}
