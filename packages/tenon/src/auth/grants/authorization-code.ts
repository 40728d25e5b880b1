import * as oauth from 'oauth4webapi';
import { TenonError } from '../../jsonrpc/error.js';
import type { Identity } from '../client-auth.js';
import type { Tokens } from '../credentials.js';
import { authError, legible } from '../judgement.js';
import { type Place, tokenOptions, tokensBy } from '../place.js';
import { type RedirectAttempt, readAnswer } from '../redirect.js';
import { checkOpenable } from '../url-guard.js';

/** Signs a user in, by a browser. https://www.rfc-editor.org/rfc/rfc9700 */
export async function byAuthorizationCode(
  place: Place,
  identity: Identity,
  attempt: RedirectAttempt,
  scopes: readonly string[],
  signal: AbortSignal,
): Promise<Tokens> {
  requireS256(place);
  const verifier = oauth.generateRandomCodeVerifier();
  const state = oauth.generateRandomState();
  const url = await authorizationUrl(place, identity, attempt.uri, { verifier, state, scopes });
  const given = await attempt.authorize(url, signal);
  signal.throwIfAborted();
  const answer = judgeAnswer(place, identity, readAnswer(given, attempt.uri), state);
  try {
    return await tokensBy(place, scopes, async () => {
      const { metadata } = place.as;
      const options = { ...tokenOptions(place, signal), additionalParameters: { resource: place.resource } };
      const { client, auth } = identity;
      const response = await oauth.authorizationCodeGrantRequest(
        metadata,
        client,
        auth,
        answer,
        attempt.uri,
        verifier,
        options,
      );
      return oauth.processAuthorizationCodeResponse(metadata, client, response);
    });
  } catch (error) {
    throw authError(error, place.issuer, 'the exchange of the code');
  }
}

/** Without PKCE whoever gets hold of the code could use it. */
function requireS256({ as, issuer }: Place): void {
  const listed = as.metadata.code_challenge_methods_supported;
  if (Array.isArray(listed) && listed.includes('S256')) return;
  throw new TenonError('auth/no-pkce', 'the authorization server does not say that it has PKCE', {
    peer: issuer.slice(0, 200),
    expected: '`code_challenge_methods_supported` with S256',
    got: Array.isArray(listed) ? legible(listed.join(', ')) : 'none',
    next: 'without it a code that is stolen on its way can be used; the authorization server must be set up for it',
  });
}

interface Request {
  readonly verifier: string;
  readonly state: string;
  readonly scopes: readonly string[];
}

async function authorizationUrl(place: Place, { client }: Identity, redirect: string, wish: Request): Promise<URL> {
  const { authorization_endpoint: endpoint } = place.as.metadata;
  if (endpoint === undefined) {
    const peer = place.issuer.slice(0, 200);
    throw new TenonError('auth/no-issuer-metadata', 'the authorization server has no page to sign in', { peer });
  }
  const url = checkOpenable(place.guard.check(endpoint, 'the authorization URL'));
  const params: Record<string, string> = {
    response_type: 'code',
    client_id: client.client_id,
    redirect_uri: redirect,
    code_challenge: await oauth.calculatePKCECodeChallenge(wish.verifier),
    code_challenge_method: 'S256',
    state: wish.state,
    resource: place.resource,
  };
  if (wish.scopes.length > 0) params.scope = wish.scopes.join(' ');
  // Tokens that outlive the presence of the user are given only to those whom the user was asked about.
  if (wish.scopes.includes('offline_access')) params.prompt = 'consent';
  if (place.possession) params.dpop_jkt = await place.possession.handle.calculateThumbprint();
  for (const [name, value] of Object.entries(params)) url.searchParams.set(name, value);
  url.hash = '';
  return url;
}

/**
 * Whether the answer is from whom we asked, to what we asked. `iss` is compared whenever it is there: by it an answer of
 * one authorization server can not be passed off as another's. Nothing of an answer that fails is shown.
 * https://www.rfc-editor.org/rfc/rfc9207#section-2.4
 */
function judgeAnswer({ as, issuer }: Place, { client }: Identity, params: URLSearchParams, state: string) {
  const peer = issuer.slice(0, 200);
  const foreign = (what: string, got: string | undefined) =>
    new TenonError('auth/foreign-answer', `the answer to the sign-in is not its own: ${what}`, {
      peer,
      got,
      next: 'somebody may be trying to mix up two sign-ins; sign in again, and only on pages that you opened',
    });
  const issuers = params.getAll('iss');
  if (issuers.some(iss => iss !== as.metadata.issuer)) throw foreign('`iss` is of another issuer', 'another `iss`');
  if (issuers.length === 0 && as.metadata.authorization_response_iss_parameter_supported === true)
    throw foreign('`iss` is missing', 'none, though the authorization server says that it sends one');
  try {
    return oauth.validateAuthResponse(as.metadata, client, params, state);
  } catch (error) {
    if (!(error instanceof oauth.AuthorizationResponseError)) throw foreign('`state` does not fit', undefined);
    const got = [error.error, error.error_description ?? ''].map(legible).filter(Boolean).join(': ');
    const next = error.error === 'access_denied' ? 'sign in again when access is wanted after all' : undefined;
    throw new TenonError('auth/denied', 'the sign-in ended without access', { peer, got, next });
  }
}
