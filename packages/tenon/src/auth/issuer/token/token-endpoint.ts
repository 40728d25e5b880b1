import { hashSha256 } from '../../resource/digest.js';
import { type AuthorizationRequest, parseResource, parseScopes } from '../authorize/authorization-request.js';
import type { OauthClient } from '../clients/client.js';
import { authenticateClient } from '../clients/client-authentication.js';
import type { ClientRegistry } from '../clients/client-registry.js';
import { verifyProof } from '../dpop-proof.js';
import {
  createJsonResponse,
  getSingle,
  type IssuerHttpRequest,
  type IssuerHttpResponse,
  NO_STORE_HEADERS,
} from '../http-exchange.js';
import { OauthError } from '../oauth-error.js';
import type { IssuerSettings } from '../options.js';
import { createRandomText } from '../secrets.js';
import type { SignInMethod } from '../sign-in-method.js';
import { beginFamily, findCode, findRefreshToken, type IssuedGrant, revokeRefreshToken } from './issued-grants.js';

/** A request for tokens by a client that has shown who it is. */
interface TokenRequest {
  readonly form: URLSearchParams;
  readonly client: OauthClient;
  /** The key that the sender has proved to have. */
  readonly jkt: string | undefined;
  /** Uses up the proofs of the request; called once, before its only effect. Throws a `OauthError` for one that was used. */
  useProofs(): Promise<void>;
  readonly settings: IssuerSettings;
  readonly signInMethod: Pick<SignInMethod, 'getUpstreamAccess'>;
}

/** https://www.rfc-editor.org/rfc/rfc6749#section-3.2 */
export async function handleTokenRequest(
  httpRequest: IssuerHttpRequest,
  clients: ClientRegistry,
  settings: IssuerSettings,
  signInMethod: Pick<SignInMethod, 'getUpstreamAccess'>,
): Promise<IssuerHttpResponse> {
  const authenticated = await authenticateClient(httpRequest, clients, settings);
  const { client } = authenticated;
  const proven = await verifyProof(httpRequest, `${settings.origin}${settings.path}/token`, settings);
  const useProofs = async () => {
    await authenticated.useProof();
    await proven?.useProof();
  };
  const request = { form: httpRequest.form, client, jkt: proven?.jkt, useProofs, settings, signInMethod };
  const grantType = getSingle(httpRequest.form, 'grant_type');
  const handleGrant =
    grantType === undefined
      ? undefined
      : Object.hasOwn(GRANT_HANDLERS, grantType) && GRANT_HANDLERS[grantType as keyof typeof GRANT_HANDLERS];
  if (!handleGrant) throw new OauthError('unsupported_grant_type', 'There is no such grant here');
  if (!client.grants.includes(grantType as string))
    throw new OauthError('unauthorized_client', 'The client may not have this grant');
  return handleGrant(request);
}

const GRANT_HANDLERS = {
  authorization_code: handleCodeGrant,
  refresh_token: handleRefreshGrant,
  client_credentials: handleClientCredentials,
};

async function handleCodeGrant(request: TokenRequest): Promise<IssuerHttpResponse> {
  const { form, client, jkt, settings } = request;
  const storedCode = await findCode(getSingle(form, 'code') ?? '', settings);
  if (storedCode === undefined) throw createInvalidGrantError('The code is not good, or not yours');
  const { wish, subject, sid } = storedCode;
  if (!(await isCodeForRequest(wish, request))) {
    await storedCode.rejectForeign();
    throw createInvalidGrantError('The code is not good, or not yours');
  }
  checkSameResource(form, wish.resource);
  const grant = {
    ...{ client: client.id, subject, scopes: wish.scopes, resource: wish.resource },
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

/** Whether a code was given to this client, at this place, for whoever has this verifier and this key. */
async function isCodeForRequest(wish: AuthorizationRequest, { form, client, jkt }: TokenRequest): Promise<boolean> {
  const verifier = getSingle(form, 'code_verifier') ?? '';
  if (!/^[\w.~-]{43,128}$/.test(verifier) || (await hashSha256(verifier)) !== wish.challenge) return false;
  const redirectUri = form.has('redirect_uri') ? getSingle(form, 'redirect_uri') : wish.redirect;
  return wish.client === client.id && redirectUri === wish.redirect && (wish.jkt === undefined || wish.jkt === jkt);
}

async function handleRefreshGrant(request: TokenRequest): Promise<IssuerHttpResponse> {
  const { form, client, jkt, settings } = request;
  const refreshToken = await findRefreshToken(getSingle(form, 'refresh_token') ?? '', settings);
  const { grant } = refreshToken ?? {};
  if (!refreshToken || !grant || grant.client !== client.id)
    throw createInvalidGrantError('The refresh token is not good, or not yours');
  if (grant.jkt !== undefined && grant.jkt !== jkt)
    throw createInvalidGrantError('The refresh token is bound to another key');
  checkSameResource(form, grant.resource);
  const scopes = form.has('scope') ? parseScopes(getSingle(form, 'scope'), settings) : grant.scopes;
  if (!scopes.every(scope => grant.scopes.includes(scope)))
    throw new OauthError('invalid_scope', 'More than was allowed');
  const until = await getUpstreamExpiry(grant, request);
  await request.useProofs();
  const refresh = await refreshToken.rotate();
  if (refresh === undefined) throw createInvalidGrantError('The refresh token was used before');
  return createTokenResponse({ ...grant, scopes, ...(jkt === undefined ? {} : { jkt }) }, settings, until, refresh);
}

/** No user has the name of a client: the two could be taken for each other. */
async function handleClientCredentials({
  form,
  client,
  jkt,
  settings,
  useProofs,
}: TokenRequest): Promise<IssuerHttpResponse> {
  const resource = parseResource(form, settings);
  const scopes = parseScopes(getSingle(form, 'scope'), settings);
  await useProofs();
  const subject = `${MACHINE_SUBJECT_PREFIX}${client.id}`;
  const grant = { client: client.id, subject, scopes, resource, ...(jkt === undefined ? {} : { jkt }) };
  return createTokenResponse(grant, settings, Number.POSITIVE_INFINITY);
}

/** What the subject of a client that calls for itself begins with. */
export const MACHINE_SUBJECT_PREFIX = 'client:';

function checkSameResource(form: URLSearchParams, resource: string): void {
  if (form.has('resource') && getSingle(form, 'resource') !== resource) {
    throw new OauthError('invalid_target', 'The resource is another than the user has allowed');
  }
}

/** When the identity provider's grant ends that stands behind this one. Refuses when it has. */
async function getUpstreamExpiry({ sid }: IssuedGrant, { signInMethod }: TokenRequest): Promise<number> {
  if (sid === undefined || signInMethod.getUpstreamAccess === undefined) return Number.POSITIVE_INFINITY;
  const access = await signInMethod.getUpstreamAccess(sid);
  if (access === undefined)
    throw createInvalidGrantError('The identity provider has ended what stands behind it: sign in again');
  return access.until ?? Number.POSITIVE_INFINITY;
}

function createInvalidGrantError(why: string): OauthError {
  return new OauthError('invalid_grant', why);
}

/** A JWT for one resource. https://www.rfc-editor.org/rfc/rfc9068 */
async function createTokenResponse(
  { client, subject, scopes, resource, jkt, sid }: IssuedGrant,
  settings: IssuerSettings,
  endsAt: number,
  refresh?: string,
): Promise<IssuerHttpResponse> {
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

/** Ends a refresh token and all that come of it. Says nothing of what there is. https://www.rfc-editor.org/rfc/rfc7009 */
export async function handleRevocation(
  request: IssuerHttpRequest,
  clients: ClientRegistry,
  settings: IssuerSettings,
): Promise<IssuerHttpResponse> {
  // An assertion that is repeated here ends no token but one of its own client, so it is not used up.
  const { client } = await authenticateClient(request, clients, settings);
  const token = getSingle(request.form, 'token');
  if (token === undefined) throw new OauthError('invalid_request', 'One "token" is needed');
  await revokeRefreshToken(token, client.id, settings.values);
  return { status: 200, headers: NO_STORE_HEADERS };
}
