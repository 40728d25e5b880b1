import { createRandomText } from '@tenon/base';
import {
  type AuthHttpRequest,
  type AuthHttpResponse,
  createCookie,
  createRedirect,
  getParameter,
} from '@tenon/base/oauth';
import { createRefusalPage, renderHtml } from '@tenon/base/writers';
import type { OauthClient } from '../clients/client.js';
import type { ClientRegistry } from '../clients/client-registry.js';
import { getDisplayHost, isRegisteredRedirect } from '../clients/redirect-uri.js';
import { OauthError } from '../oauth-error.js';
import type { IssuerSettings } from '../options.js';
import { hashSecret, isMatchingSecret } from '../secrets.js';
import type { SignInMethod } from '../sign-in-method.js';
import { createSingleUseStore, type SingleUseStore } from '../single-use-store.js';
import {
  type AuthorizationRequest,
  createResponseUri,
  isAllowedResponse,
  mayRedirectError,
  parseAuthorizationRequest,
} from './authorization-request.js';
import { createConsentPage } from './consent-page.js';

/** Authorization request that waits for the consent of a user. Its secrets are stored as hashes. */
type PendingConsent = {
  readonly authRequest: AuthorizationRequest;
  /** Hash of the secret in the cookie of the browser. */
  readonly browser: string;
  /** Hash of the secret in the form. */
  readonly token: string;
  readonly attempts: number;
};

/** Maximum time between the consent page and the answer of the user, in seconds. */
const CONSENT_TTL = 600;
/** Maximum number of sign-in attempts for one request. */
const MAX_ATTEMPTS = 5;

export interface AuthorizeContext {
  readonly settings: IssuerSettings;
  readonly clients: ClientRegistry;
  readonly signInMethod: SignInMethod;
}

/** Handlers of the pages for browsers. */
export interface AuthorizeHandlers {
  handleAuthorize(request: AuthHttpRequest): Promise<AuthHttpResponse>;
  handleConsent(request: AuthHttpRequest): Promise<AuthHttpResponse>;
}

export function createAuthorizeHandlers(context: AuthorizeContext): AuthorizeHandlers {
  const { settings, clients, signInMethod } = context;
  const pending = createSingleUseStore<PendingConsent>(settings.values, 'asking', {
    max: settings.limits.maxPendingSignIns,
    ttl: CONSENT_TTL * 1_000,
  });
  return {
    async handleAuthorize({ query }) {
      const lookup = await findRequestClient(query, clients, settings);
      if (!('client' in lookup)) return lookup;
      const { client, uri } = lookup;
      try {
        const authRequest = parseAuthorizationRequest(query, client, uri, settings);
        return await showConsent(context, pending, client, authRequest, 0);
      } catch (error) {
        if (!(error instanceof OauthError)) throw error;
        return createDenial(client, uri, query.get('state'), error, settings);
      }
    },
    async handleConsent(httpRequest) {
      const request = getParameter(httpRequest.form, 'request') ?? '';
      const cookie = createCookie(request, { secure: settings.secure });
      const isValid = isFromOurPage(httpRequest, await pending.read(request), cookie.read(httpRequest), settings);
      const consumed = isValid ? await pending.consume(request) : undefined;
      // Another process, or an earlier start of this one, may have shown the page under other rules.
      if (consumed === undefined || !isAllowedResponse(consumed.authRequest, settings))
        return createRefusalPage('This page has expired', 'Go back to the program and start again');
      const { authRequest, attempts } = consumed;
      if (getParameter(httpRequest.form, 'answer') !== 'allow') {
        const denied = { error: 'access_denied', error_description: 'The user denied access' };
        return createRedirect(createResponseUri(authRequest, settings.issuer, denied), {
          'set-cookie': cookie.serializeExpired(),
        });
      }
      const outcome = await signInMethod.completeConsent(httpRequest, authRequest);
      if ('status' in outcome) return outcome;
      const client = attempts + 1 < MAX_ATTEMPTS ? await clients.find(authRequest.client) : undefined;
      if (client) return showConsent(context, pending, client, authRequest, attempts + 1, outcome.retryMessage);
      return createRedirect(createResponseUri(authRequest, settings.issuer, { error: 'access_denied' }), {
        'set-cookie': cookie.serializeExpired(),
      });
    },
  };
}

/**
 * Finds the client and checks its redirect URI. Returns an error page instead of a redirect when the client or the URI
 * is unknown.
 */
async function findRequestClient(
  query: URLSearchParams,
  clients: ClientRegistry,
  { isAllowedRedirect }: IssuerSettings,
): Promise<{ readonly client: OauthClient; readonly uri: string } | AuthHttpResponse> {
  const title = 'This request cannot be answered';
  const id = getParameter(query, 'client_id');
  let client: OauthClient | undefined;
  try {
    client = id === undefined ? undefined : await clients.find(id);
  } catch (error) {
    if (!(error instanceof OauthError)) throw error;
    return createRefusalPage(title, error.message);
  }
  if (client === undefined) return createRefusalPage(title, 'The program that sent you is unknown');
  const onlyRedirect = client.redirects.length === 1 && !query.has('redirect_uri') ? client.redirects[0] : undefined;
  const uri = onlyRedirect ?? getParameter(query, 'redirect_uri');
  if (uri === undefined || !isRegisteredRedirect(uri, client.redirects))
    return createRefusalPage(title, 'The program that sent you asked for an unknown redirect URI');
  // A client may have registered, or changed its document, before this rule existed.
  if (!isAllowedRedirect(uri, client.id))
    return createRefusalPage(title, 'This server does not allow the redirect URI of the program that sent you');
  return { client, uri };
}

async function showConsent(
  { settings, signInMethod }: AuthorizeContext,
  pending: SingleUseStore<PendingConsent>,
  client: OauthClient,
  authRequest: AuthorizationRequest,
  attempts: number,
  retryMessage?: string,
): Promise<AuthHttpResponse> {
  const [browser, token] = [createRandomText(), createRandomText()];
  const entry = { authRequest, browser: hashSecret(browser), token: hashSecret(token), attempts };
  const request = pending.createToken();
  await pending.put(request, entry);
  const { password, upstream } = signInMethod;
  const consent = {
    ...{ client, authRequest, request, token, password, upstream, retryMessage },
    scopes: settings.scopes,
    action: `${settings.path}/consent`,
  };
  return createConsentPage(consent, createCookie(request, { secure: settings.secure }).serialize(browser, CONSENT_TTL));
}

/** Tells if a form was sent from the page that this browser received. */
function isFromOurPage(
  request: AuthHttpRequest,
  entry: PendingConsent | undefined,
  secret: string | undefined,
  { origin }: IssuerSettings,
): boolean {
  const from = request.header('origin');
  if (entry === undefined || (from !== undefined && from !== origin)) return false;
  return isMatchingSecret(secret, entry.browser) && isMatchingSecret(getParameter(request.form, 'token'), entry.token);
}

/** Creates the response to an invalid request: a redirect for clients that may cause one, else a page with a link. */
function createDenial(
  client: OauthClient,
  uri: string,
  state: string | null,
  { error, message }: OauthError,
  { issuer }: IssuerSettings,
): AuthHttpResponse {
  const authRequest = { redirect: uri, ...(state === null ? {} : { state }) };
  const location = createResponseUri(authRequest, issuer, { error, error_description: message });
  if (mayRedirectError(client, uri)) return createRedirect(location);
  const link = renderHtml`<p><a href="${location}" rel="noreferrer">Go back to ${getDisplayHost(uri)}</a></p>`;
  return createRefusalPage('The program made an invalid request', message, link);
}
