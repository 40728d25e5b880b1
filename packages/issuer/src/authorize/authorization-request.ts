import { getParameter, OFFLINE_ACCESS, splitScopes } from '@tenon/base/oauth';
import type { OauthClient } from '../clients/client.js';
import { isLoopbackUri } from '../clients/redirect-uri.js';
import { OauthError } from '../oauth-error.js';
import type { IssuerSettings } from '../options.js';

/** Authorization request that a client sends through the browser. */
export type AuthorizationRequest = {
  readonly client: string;
  readonly redirect: string;
  readonly state?: string;
  readonly scopes: readonly string[];
  readonly resource: string;
  readonly challenge: string;
  /** Thumbprint of the key to which tokens are bound. Absent if the request does not name one. */
  readonly jkt?: string;
};

const KNOWN_PARAMETERS =
  'response_type client_id redirect_uri state scope resource code_challenge code_challenge_method response_mode prompt dpop_jkt request request_uri nonce';
/** Maximum length of `state`, in characters. */
const MAX_STATE_LENGTH = 4_096;

/**
 * Parses the request of a client. Its redirect URI must be checked before.
 *
 * @throws OauthError for an invalid parameter.
 */
export function parseAuthorizationRequest(
  query: URLSearchParams,
  client: OauthClient,
  redirect: string,
  settings: IssuerSettings,
): AuthorizationRequest {
  const repeated = KNOWN_PARAMETERS.split(' ').find(name => query.getAll(name).length > 1);
  if (repeated !== undefined) {
    throw new OauthError(
      repeated === 'resource' ? 'invalid_target' : 'invalid_request',
      `The parameter "${repeated}" is repeated`,
    );
  }
  const state = query.get('state') ?? undefined;
  if (state !== undefined && state.length > MAX_STATE_LENGTH)
    throw new OauthError('invalid_request', 'The state is too long');
  checkResponseType(query, client);
  const jkt = query.get('dpop_jkt') ?? undefined;
  return {
    client: client.id,
    redirect,
    ...(state === undefined ? {} : { state }),
    scopes: parseScopes(query.get('scope'), settings),
    resource: parseResource(query, settings),
    challenge: parseCodeChallenge(query),
    ...(jkt === undefined ? {} : { jkt }),
  };
}

function checkResponseType(query: URLSearchParams, client: OauthClient): void {
  if (query.has('request')) throw new OauthError('request_not_supported', 'Request objects are not supported');
  if (query.has('request_uri')) throw new OauthError('request_uri_not_supported', 'Request URIs are not supported');
  if (query.get('response_type') !== 'code')
    throw new OauthError('unsupported_response_type', 'response_type must be "code"');
  if ((query.get('response_mode') ?? 'query') !== 'query') {
    throw new OauthError('invalid_request', 'Only the response mode "query" is supported');
  }
  if (!client.grants.includes('authorization_code')) {
    throw new OauthError('unauthorized_client', 'Users cannot sign in to this client');
  }
  if (query.get('prompt') === 'none')
    throw new OauthError('interaction_required', 'Every request needs the consent of a user');
}

/**
 * Parses the PKCE parameters.
 *
 * @see https://www.rfc-editor.org/rfc/rfc7636#section-4.2
 */
function parseCodeChallenge(query: URLSearchParams): string {
  const challenge = getParameter(query, 'code_challenge');
  if (challenge === undefined) throw new OauthError('invalid_request', 'PKCE is required: code_challenge is missing');
  if (query.get('code_challenge_method') !== 'S256') {
    throw new OauthError('invalid_request', 'code_challenge_method must be "S256"');
  }
  if (!/^[\w-]{43}$/.test(challenge))
    throw new OauthError('invalid_request', 'code_challenge must be a SHA-256 in base64url');
  return challenge;
}

/**
 * Parses the resource indicator.
 *
 * @see https://www.rfc-editor.org/rfc/rfc8707#section-2
 */
export function parseResource(fields: URLSearchParams, { isAllowedResource }: IssuerSettings): string {
  const resource = getParameter(fields, 'resource');
  if (resource === undefined)
    throw new OauthError('invalid_target', 'Exactly one "resource" is required: the URL of the server');
  if (!isAllowedResource(resource)) throw new OauthError('invalid_target', 'Tokens are not issued for this resource');
  return resource;
}

/**
 * Parses scopes. Ignores `offline_access`, because clients with the grant `refresh_token` get refresh tokens without
 * it.
 */
export function parseScopes(text: string | null | undefined, { scopes }: IssuerSettings): string[] {
  const requested = splitScopes(text ?? '').filter(scope => scope !== OFFLINE_ACCESS);
  if (requested.every(scope => scopes.has(scope))) return requested;
  throw new OauthError('invalid_scope', 'Unknown scope');
}

/**
 * Creates the URI of an authorization response, with `state` and `iss`.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9207
 */
export function createResponseUri(
  { redirect, state }: Pick<AuthorizationRequest, 'redirect' | 'state'>,
  issuer: string,
  params: Readonly<Record<string, string>>,
): string {
  const all = { ...params, ...(state === undefined ? {} : { state }), iss: issuer };
  return redirect + (redirect.includes('?') ? '&' : '?') + new URLSearchParams(all).toString();
}

/** Tells if the rules for redirect URIs still allow the response to a stored request. */
export function isAllowedResponse(
  { redirect, client }: Pick<AuthorizationRequest, 'redirect' | 'client'>,
  { isAllowedRedirect }: IssuerSettings,
): boolean {
  return isAllowedRedirect(redirect, client);
}

/**
 * Tells if a browser may be redirected before the user has consented. An unknown client must not cause such redirects.
 */
export function mayRedirectError(client: OauthClient, redirect: string): boolean {
  return client.trusted || isLoopbackUri(redirect);
}
