import { checkBrowserUrl, TenonError } from '@tenon/base';
import { isTemporaryError, OFFLINE_ACCESS, sanitizeServerText, toAuthError } from '@tenon/base/oauth';
import * as oauth from 'oauth4webapi';
import { type AuthTarget, createTokenRequestOptions, fetchTokens, getResourceParams } from '../auth-target.js';
import type { ClientIdentity } from '../client-identity.js';
import { parseAuthorizationResponse, type RedirectAttempt } from '../sign-in/redirect.js';
import type { Tokens } from '../token-store.js';

/**
 * Signs a user in with a browser and an authorization code.
 *
 * @param checkOrigin Checks a response without `iss` before its code is sent anywhere.
 * @see https://www.rfc-editor.org/rfc/rfc9700
 */
export async function requestTokensWithCode(
  target: AuthTarget,
  identity: ClientIdentity,
  attempt: RedirectAttempt,
  scopes: readonly string[],
  signal: AbortSignal,
  checkOrigin: (response: URL | string, signal: AbortSignal) => Promise<void>,
): Promise<Tokens> {
  requirePkce(target);
  const verifier = oauth.generateRandomCodeVerifier();
  const state = oauth.generateRandomState();
  const url = await createAuthorizationUrl(target, identity, attempt.uri, { verifier, state, scopes });
  const callback = await attempt.authorize(url, signal);
  signal.throwIfAborted();
  const received = parseAuthorizationResponse(callback, attempt.uri);
  const params = validateResponse(target, identity, received, state);
  if (!received.has('iss')) await checkOrigin(callback, signal);
  const { metadata } = target.authorizationServer;
  const { client, auth } = identity;
  const options = { ...createTokenRequestOptions(target, signal), additionalParameters: getResourceParams(target) };
  try {
    return await fetchTokens(
      target,
      scopes,
      () => oauth.authorizationCodeGrantRequest(metadata, client, auth, params, attempt.uri, verifier, options),
      response => oauth.processAuthorizationCodeResponse(metadata, client, response),
    );
  } catch (error) {
    throw toAuthError(error, target.issuer, 'the code exchange');
  }
}

/** Requires PKCE, because an attacker could redeem an intercepted code without it. */
function requirePkce({ authorizationServer, issuer, exceptions }: AuthTarget): void {
  const supportedMethods = authorizationServer.metadata.code_challenge_methods_supported ?? undefined;
  if (supportedMethods === undefined && exceptions.assumePkce) return;
  if (Array.isArray(supportedMethods) && supportedMethods.includes('S256')) return;
  throw new TenonError('auth/no-pkce', 'the authorization server does not support PKCE with S256', {
    peer: issuer.slice(0, 200),
    expected: '`code_challenge_methods_supported` with S256',
    received: Array.isArray(supportedMethods) ? sanitizeServerText(supportedMethods.join(', ')) : 'none',
    hint:
      supportedMethods === undefined
        ? 'enable PKCE in the authorization server, because an attacker could redeem an intercepted code otherwise; if you know that it verifies PKCE, set `exceptions.assumePkce` of this server'
        : 'enable PKCE in the authorization server, because it protects the authorization code',
  });
}

interface CodeRequest {
  readonly verifier: string;
  readonly state: string;
  readonly scopes: readonly string[];
}

async function createAuthorizationUrl(
  target: AuthTarget,
  { client }: ClientIdentity,
  redirectUri: string,
  request: CodeRequest,
): Promise<URL> {
  const { authorization_endpoint: endpoint } = target.authorizationServer.metadata;
  if (endpoint === undefined) {
    const peer = target.issuer.slice(0, 200);
    throw new TenonError(
      'auth/no-issuer-metadata',
      'the authorization server metadata has no `authorization_endpoint`',
      { peer, hint: 'ask the operator of the authorization server to complete its metadata' },
    );
  }
  const url = checkBrowserUrl(target.guard.check(endpoint, 'the authorization URL'));
  const params: Record<string, string> = {
    response_type: 'code',
    client_id: client.client_id,
    redirect_uri: redirectUri,
    code_challenge: await oauth.calculatePKCECodeChallenge(request.verifier),
    code_challenge_method: 'S256',
    state: request.state,
    ...getResourceParams(target),
  };
  if (request.scopes.length > 0) params.scope = request.scopes.join(' ');
  // Authorization servers issue refresh tokens only with explicit consent (OpenID Connect, "offline access").
  if (request.scopes.includes(OFFLINE_ACCESS)) params.prompt = 'consent';
  if (target.dpopKey) params.dpop_jkt = await target.dpopKey.handle.calculateThumbprint();
  for (const [name, value] of Object.entries(params)) url.searchParams.set(name, value);
  url.hash = '';
  return url;
}

/**
 * Validates the response of the authorization server. Compares `iss` whenever it is present, to detect a response of
 * another authorization server. Errors contain no part of the response, because it may contain secrets.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9207#section-2.4
 */
function validateResponse(
  { authorizationServer, issuer }: AuthTarget,
  { client }: ClientIdentity,
  params: URLSearchParams,
  state: string,
) {
  const peer = issuer.slice(0, 200);
  const createForeignError = (detail: string, received: string | undefined) =>
    new TenonError('auth/foreign-answer', `the response does not belong to this sign-in: ${detail}`, {
      peer,
      received,
      hint: 'sign in again, and use only pages that you opened, because this may be an attack',
    });
  const issuers = params.getAll('iss');
  if (issuers.some(iss => iss !== authorizationServer.metadata.issuer))
    throw createForeignError('`iss` names another issuer', 'another `iss`');
  if (issuers.length === 0 && authorizationServer.metadata.authorization_response_iss_parameter_supported === true)
    throw createForeignError('`iss` is missing', 'no `iss`, although the authorization server announces it');
  try {
    return oauth.validateAuthResponse(authorizationServer.metadata, client, params, state);
  } catch (error) {
    if (!(error instanceof oauth.AuthorizationResponseError)) throw createForeignError('invalid `state`', undefined);
    const received = [error.error, error.error_description ?? ''].map(sanitizeServerText).filter(Boolean).join(': ');
    const data = { error: sanitizeServerText(error.error) };
    if (isTemporaryError(error.error)) {
      const message = 'the authorization server cannot handle the sign-in now';
      throw new TenonError('auth/unreachable', message, { peer, received, hint: 'try again later', data });
    }
    const hint = error.error === 'access_denied' ? 'sign in again and grant access' : undefined;
    throw new TenonError('auth/denied', 'the sign-in was denied', { peer, received, hint, data });
  }
}
