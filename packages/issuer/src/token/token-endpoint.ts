import { createRandomText, hashSha256 } from '@tenon/base';
import {
  type AuthHttpRequest,
  type AuthHttpResponse,
  createJsonResponse,
  getParameter,
  NO_STORE_HEADERS,
} from '@tenon/base/oauth';
import { type AuthorizationRequest, parseResource, parseScopes } from '../authorize/authorization-request.js';
import type { OauthClient } from '../clients/client.js';
import { authenticateClient } from '../clients/client-authentication.js';
import type { ClientRegistry } from '../clients/client-registry.js';
import { verifyProof } from '../dpop-proof.js';
import { OauthError } from '../oauth-error.js';
import type { IssuerSettings } from '../options.js';
import type { SignInMethod } from '../sign-in-method.js';
import { beginFamily, findCode, findRefreshToken, type IssuedGrant, revokeRefreshToken } from './issued-grants.js';

/** Token request of an authenticated client. */
interface TokenRequest {
  readonly form: URLSearchParams;
  readonly client: OauthClient;
  /** Thumbprint of the key whose possession the sender has proved. */
  readonly jkt: string | undefined;
  /**
   * Marks the proofs of the request as used. Called once, before the request has an effect.
   * @throws OauthError for a proof that was used before.
   */
  useProofs(): Promise<void>;
  readonly settings: IssuerSettings;
  readonly signInMethod: Pick<SignInMethod, 'getUpstreamAccess'>;
}

/**
 * Handles a token request.
 * @see https://www.rfc-editor.org/rfc/rfc6749#section-3.2
 */
export async function handleTokenRequest(
  httpRequest: AuthHttpRequest,
  clients: ClientRegistry,
  settings: IssuerSettings,
  signInMethod: Pick<SignInMethod, 'getUpstreamAccess'>,
): Promise<AuthHttpResponse> {
  const authenticated = await authenticateClient(httpRequest, clients, settings);
  const { client } = authenticated;
  const proven = await verifyProof(httpRequest, `${settings.origin}${settings.path}/token`, settings);
  const useProofs = async () => {
    await authenticated.useProof();
    await proven?.useProof();
  };
  const request = { form: httpRequest.form, client, jkt: proven?.jkt, useProofs, settings, signInMethod };
  const grantType = getParameter(httpRequest.form, 'grant_type');
  const handleGrant =
    grantType === undefined
      ? undefined
      : Object.hasOwn(GRANT_HANDLERS, grantType) && GRANT_HANDLERS[grantType as keyof typeof GRANT_HANDLERS];
  if (!handleGrant) throw new OauthError('unsupported_grant_type', 'Unknown grant type');
  if (!client.grants.includes(grantType as string))
    throw new OauthError('unauthorized_client', 'The client cannot use this grant type');
  return handleGrant(request);
}

const GRANT_HANDLERS = {
  authorization_code: handleCodeGrant,
  refresh_token: handleRefreshGrant,
  client_credentials: handleClientCredentials,
};

async function handleCodeGrant(request: TokenRequest): Promise<AuthHttpResponse> {
  const { form, client, jkt, settings } = request;
  const storedCode = await findCode(getParameter(form, 'code') ?? '', settings);
  if (storedCode === undefined) throw createInvalidGrantError('The code is invalid, or belongs to another client');
  const { authRequest, subject, sid } = storedCode;
  if (!isCodeForRequest(authRequest, request)) {
    await storedCode.rejectForeign();
    throw createInvalidGrantError('The code is invalid, or belongs to another client');
  }
  checkSameResource(form, authRequest.resource);
  const grant = {
    ...{ client: client.id, subject, scopes: authRequest.scopes, resource: authRequest.resource },
    ...(jkt === undefined ? {} : { jkt }),
    ...(sid === undefined ? {} : { sid }),
  };
  const until = await getUpstreamExpiry(grant, request);
  await request.useProofs();
  const family = createRandomText();
  if (!(await storedCode.redeem(family))) throw createInvalidGrantError('The code was used before');
  if (!client.grants.includes('refresh_token')) return createTokenResponse(grant, settings, until);
  const refresh = await beginFamily(family, grant, settings);
  if (refresh === undefined) throw createInvalidGrantError('The code was used before');
  return createTokenResponse(grant, settings, until, refresh);
}

/** Tells if a code belongs to the client, redirect URI, verifier and key of the request. */
function isCodeForRequest(authRequest: AuthorizationRequest, { form, client, jkt }: TokenRequest): boolean {
  const verifier = getParameter(form, 'code_verifier') ?? '';
  if (!/^[\w.~-]{43,128}$/.test(verifier) || hashSha256(verifier) !== authRequest.challenge) return false;
  const redirectUri = form.has('redirect_uri') ? getParameter(form, 'redirect_uri') : authRequest.redirect;
  return (
    authRequest.client === client.id &&
    redirectUri === authRequest.redirect &&
    (authRequest.jkt === undefined || authRequest.jkt === jkt)
  );
}

async function handleRefreshGrant(request: TokenRequest): Promise<AuthHttpResponse> {
  const { form, client, jkt, settings } = request;
  const refreshToken = await findRefreshToken(getParameter(form, 'refresh_token') ?? '', settings);
  const { grant } = refreshToken ?? {};
  if (!refreshToken || !grant || grant.client !== client.id)
    throw createInvalidGrantError('The refresh token is invalid, or belongs to another client');
  if (grant.jkt !== undefined && grant.jkt !== jkt)
    throw createInvalidGrantError('The refresh token is bound to another key');
  checkSameResource(form, grant.resource);
  const scopes = form.has('scope') ? parseScopes(getParameter(form, 'scope'), settings) : grant.scopes;
  if (!scopes.every(scope => grant.scopes.includes(scope)))
    throw new OauthError('invalid_scope', 'The scopes exceed the grant');
  const until = await getUpstreamExpiry(grant, request);
  await request.useProofs();
  const refresh = await refreshToken.rotate();
  if (refresh === undefined) throw createInvalidGrantError('The refresh token was used before');
  return createTokenResponse({ ...grant, scopes, ...(jkt === undefined ? {} : { jkt }) }, settings, until, refresh);
}

/** Issues a token to a client without a user. The prefix of its subject distinguishes it from users. */
async function handleClientCredentials({
  form,
  client,
  jkt,
  settings,
  useProofs,
}: TokenRequest): Promise<AuthHttpResponse> {
  const resource = parseResource(form, settings);
  const scopes = parseScopes(getParameter(form, 'scope'), settings);
  await useProofs();
  const subject = `${MACHINE_SUBJECT_PREFIX}${client.id}`;
  const grant = { client: client.id, subject, scopes, resource, ...(jkt === undefined ? {} : { jkt }) };
  return createTokenResponse(grant, settings, Number.POSITIVE_INFINITY);
}

/** Subject prefix of a client without a user. */
export const MACHINE_SUBJECT_PREFIX = 'client:';

function checkSameResource(form: URLSearchParams, resource: string): void {
  if (form.has('resource') && getParameter(form, 'resource') !== resource) {
    throw new OauthError('invalid_target', 'The resource differs from the one that the user has allowed');
  }
}

/**
 * Returns the expiry of the identity provider's tokens.
 * @throws OauthError if they have expired.
 */
async function getUpstreamExpiry({ sid }: IssuedGrant, { signInMethod }: TokenRequest): Promise<number> {
  if (sid === undefined || signInMethod.getUpstreamAccess === undefined) return Number.POSITIVE_INFINITY;
  const access = await signInMethod.getUpstreamAccess(sid);
  if (access === undefined) throw createInvalidGrantError('The identity provider has ended the access. Sign in again');
  return access.until ?? Number.POSITIVE_INFINITY;
}

function createInvalidGrantError(reason: string): OauthError {
  return new OauthError('invalid_grant', reason);
}

/**
 * Creates a JWT for one resource, and the token response that contains it.
 * @see https://www.rfc-editor.org/rfc/rfc9068
 */
async function createTokenResponse(
  { client, subject, scopes, resource, jkt, sid }: IssuedGrant,
  settings: IssuerSettings,
  endsAt: number,
  refresh?: string,
): Promise<AuthHttpResponse> {
  const now = Math.floor(settings.clock.now() / 1_000);
  const lifetime = Math.min(Math.floor(settings.accessTokenTtl / 1_000), Math.max(1, Math.floor(endsAt / 1_000) - now));
  const { sign } = await settings.getKeys();
  const access = await sign({
    ...{ iss: settings.issuer, sub: subject, aud: resource, client_id: client, scope: scopes.join(' ') },
    ...{ iat: now, exp: now + lifetime, jti: crypto.randomUUID() },
    ...(jkt === undefined ? {} : { cnf: { jkt } }),
    ...(sid === undefined ? {} : { sid }),
  });
  const body = {
    access_token: access,
    token_type: jkt === undefined ? 'Bearer' : 'DPoP',
    expires_in: lifetime,
    scope: scopes.join(' '),
    ...(refresh === undefined ? {} : { refresh_token: refresh }),
  };
  return createJsonResponse(200, body, NO_STORE_HEADERS);
}

/**
 * Revokes a refresh token and its family. The response does not reveal whether the token was valid.
 * @see https://www.rfc-editor.org/rfc/rfc7009
 */
export async function handleRevocation(
  request: AuthHttpRequest,
  clients: ClientRegistry,
  settings: IssuerSettings,
  signInMethod: Pick<SignInMethod, 'removeUpstreamAccess'>,
): Promise<AuthHttpResponse> {
  // A repeated assertion can only revoke tokens of its own client, so it is not marked as used.
  const { client } = await authenticateClient(request, clients, settings);
  const token = getParameter(request.form, 'token');
  if (token === undefined) throw new OauthError('invalid_request', 'Exactly one "token" is required');
  const revoked = await revokeRefreshToken(token, client.id, settings.values);
  if (revoked?.sid !== undefined) await signInMethod.removeUpstreamAccess?.(revoked.sid);
  return { status: 200, headers: NO_STORE_HEADERS };
}
