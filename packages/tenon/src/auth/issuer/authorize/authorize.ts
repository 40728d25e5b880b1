import type { OauthClient } from '../clients/client.js';
import type { ClientRegistry } from '../clients/client-registry.js';
import { getDisplayHost, isRegisteredRedirect } from '../clients/redirect-uri.js';
import { createCookie } from '../cookie.js';
import { createRedirect, getSingle, type IssuerHttpRequest, type IssuerHttpResponse } from '../http-exchange.js';
import { OauthError } from '../oauth-error.js';
import type { IssuerSettings } from '../options.js';
import { createRandomText, hashSecret, isMatchingSecret } from '../secrets.js';
import type { SignInMethod } from '../sign-in-method.js';
import { createSingleUseStore, type SingleUseStore } from '../single-use-store.js';
import {
  type AuthorizationRequest,
  createResponseUri,
  mayRedirectError,
  parseAuthorizationRequest,
} from './authorization-request.js';
import { createConsentPage } from './consent-page.js';
import { createRefusalPage, renderHtml } from './html-page.js';

/** A request that a user is asked about. Its secrets are kept as hashes. */
interface PendingConsent {
  readonly wish: AuthorizationRequest;
  /** Of the browser that was shown the page. */
  readonly browser: string;
  /** Of the form that it was shown. */
  readonly token: string;
  readonly tries: number;
}

/** How long a user may think, in seconds. */
const CONSENT_TTL = 600;
/** How often a password may be wrong before the client has to ask anew. */
const MAX_TRIES = 5;

export interface AuthorizeContext {
  readonly settings: IssuerSettings;
  readonly clients: ClientRegistry;
  readonly signInMethod: SignInMethod;
}

/** The front door: what browsers come to, and what users are asked. */
export interface AuthorizeHandlers {
  handleAuthorize(request: IssuerHttpRequest): Promise<IssuerHttpResponse>;
  handleConsent(request: IssuerHttpRequest): Promise<IssuerHttpResponse>;
}

export function createAuthorizeHandlers(context: AuthorizeContext): AuthorizeHandlers {
  const { settings, clients, signInMethod } = context;
  const pending = createSingleUseStore<PendingConsent>(settings.values, 'asking', {
    max: settings.limits.maxPendingSignIns,
    ttl: CONSENT_TTL * 1_000,
  });
  return {
    async handleAuthorize({ query }) {
      const lookup = await findRequestClient(query, clients);
      if (!('client' in lookup)) return lookup;
      const { client, uri } = lookup;
      try {
        const wish = parseAuthorizationRequest(query, client, uri, settings);
        return await showConsent(context, pending, client, wish, 0);
      } catch (error) {
        if (!(error instanceof OauthError)) throw error;
        return createDenial(client, uri, query.get('state'), error, settings);
      }
    },
    async handleConsent(httpRequest) {
      const request = getSingle(httpRequest.form, 'request') ?? '';
      const cookie = await createCookie(request, settings);
      const isValid = await isFromOurPage(httpRequest, await pending.read(request), cookie.read(httpRequest), settings);
      const consumed = isValid ? await pending.consume(request) : undefined;
      if (consumed === undefined)
        return createRefusalPage('This page has expired', 'Go back to the program and begin anew');
      const { wish, tries } = consumed;
      if (getSingle(httpRequest.form, 'answer') !== 'allow') {
        const denied = { error: 'access_denied', error_description: 'The user does not allow it' };
        return createRedirect(createResponseUri(wish, settings.issuer, denied), {
          'set-cookie': cookie.serializeExpired(),
        });
      }
      const outcome = await signInMethod.completeConsent(httpRequest, wish);
      if ('status' in outcome) return outcome;
      const client = tries + 1 < MAX_TRIES ? await clients.find(wish.client) : undefined;
      if (client) return showConsent(context, pending, client, wish, tries + 1, outcome.retryMessage);
      return createRedirect(createResponseUri(wish, settings.issuer, { error: 'access_denied' }), {
        'set-cookie': cookie.serializeExpired(),
      });
    },
  };
}

/** Nothing is sent anywhere before it is known that it is the client's own place. */
async function findRequestClient(
  query: URLSearchParams,
  clients: ClientRegistry,
): Promise<{ readonly client: OauthClient; readonly uri: string } | IssuerHttpResponse> {
  const title = 'This request cannot be answered';
  const id = getSingle(query, 'client_id');
  let client: OauthClient | undefined;
  try {
    client = id === undefined ? undefined : await clients.find(id);
  } catch (error) {
    if (!(error instanceof OauthError)) throw error;
    return createRefusalPage(title, error.message);
  }
  if (client === undefined) return createRefusalPage(title, 'The program that sent you is not known here');
  const onlyRedirect = client.redirects.length === 1 && !query.has('redirect_uri') ? client.redirects[0] : undefined;
  const uri = onlyRedirect ?? getSingle(query, 'redirect_uri');
  if (uri !== undefined && isRegisteredRedirect(uri, client.redirects)) return { client, uri };
  return createRefusalPage(title, 'The program that sent you wants the answer where it is not known to be');
}

async function showConsent(
  { settings, signInMethod }: AuthorizeContext,
  pending: SingleUseStore<PendingConsent>,
  client: OauthClient,
  wish: AuthorizationRequest,
  tries: number,
  again?: string,
): Promise<IssuerHttpResponse> {
  const [browser, token] = [createRandomText(), createRandomText()];
  const entry = { wish, browser: await hashSecret(browser), token: await hashSecret(token), tries };
  const request = pending.createToken();
  await pending.put(request, entry);
  const { password, upstream } = signInMethod;
  const consent = {
    ...{ client, wish, request, token, password, scopes: settings.scopes, action: `${settings.path}/consent` },
    ...(upstream ? { upstream } : {}),
    ...(again === undefined ? {} : { again }),
  };
  return createConsentPage(consent, (await createCookie(request, settings)).serialize(browser, CONSENT_TTL));
}

/** Whether a form is the one that this browser was shown, sent from our page. */
async function isFromOurPage(
  request: IssuerHttpRequest,
  entry: PendingConsent | undefined,
  secret: string | undefined,
  { origin }: IssuerSettings,
): Promise<boolean> {
  const from = request.header('origin');
  if (entry === undefined || (from !== undefined && from !== origin)) return false;
  return (
    (await isMatchingSecret(secret, entry.browser)) &&
    (await isMatchingSecret(getSingle(request.form, 'token'), entry.token))
  );
}

/** Tells the client, or the user where the client could be anybody who wants to have users sent somewhere. */
function createDenial(
  client: OauthClient,
  uri: string,
  state: string | null,
  { error, message }: OauthError,
  { issuer }: IssuerSettings,
): IssuerHttpResponse {
  const wish = { redirect: uri, ...(state === null ? {} : { state }) };
  const location = createResponseUri(wish, issuer, { error, error_description: message });
  if (mayRedirectError(client, uri)) return createRedirect(location);
  const link = renderHtml`<p><a href="${location}" rel="noreferrer">Go back to ${getDisplayHost(uri)}</a></p>`;
  return createRefusalPage('The program asks for what cannot be given', message, link);
}
