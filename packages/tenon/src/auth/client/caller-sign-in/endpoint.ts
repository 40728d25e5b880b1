import { TenonError } from '../../../jsonrpc/error.js';
import type { CallerIdentity } from '../../../protocol/caller-identity.js';
import { type BrowserCookie, createCookie } from '../../pages/browser-cookie.js';
import { createPage, createRefusalPage, renderHtml } from '../../pages/html-page.js';
import {
  type AuthEndpoint,
  type AuthExchange,
  type AuthHttpRequest,
  type AuthHttpResponse,
  createRedirect,
  getParameter,
  readHttpRequest,
} from '../../pages/http-exchange.js';
import type { PendingSignIn, PendingSignIns } from './pending-sign-ins.js';
import type { Visit, VisitRegistry } from './visit-registry.js';

/** Lifetime of the cookie, in seconds. */
const COOKIE_MAX_AGE = 600;

/**
 * Creates the pages of the sign-ins. A link works only for the user whose client received it.
 *
 * The browser first signs in at the gateway's issuer to identify its user. Only that browser can then complete the
 * sign-in.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation#phishing
 */
export function createSignInEndpoint(base: URL, pending: PendingSignIns, visits: VisitRegistry): AuthEndpoint {
  const root = base.pathname.replace(/\/$/, '');
  const secure = base.protocol === 'https:';
  const getCookie = ({ elicitationId }: PendingSignIn) => createCookie(elicitationId, { secure });

  const startSignIn = async (request: AuthHttpRequest): Promise<AuthHttpResponse> => {
    const pendingSignIn = pending.find(getParameter(request.query, 'id'));
    if (pendingSignIn === undefined) return createEndedPage();
    const [visit, cookie] = [await visits.begin(pendingSignIn), getCookie(pendingSignIn)];
    return createRedirect(visit.page.url.href, { 'set-cookie': cookie.serialize(visit.secret, COOKIE_MAX_AGE) });
  };

  const handleCallback = async (request: AuthHttpRequest): Promise<AuthHttpResponse> => {
    const state = getParameter(request.query, 'state') ?? '';
    const callbackUrl = new URL(`${base.origin}${root}/callback?${request.query}`);
    const visit = visits.find(state);
    if (visit) return verifyUser(visit, callbackUrl, request, getCookie(visit.pending));
    const pendingSignIn = pending.findByState(state);
    if (pendingSignIn === undefined) return createEndedPage();
    const cookie = getCookie(pendingSignIn);
    const secret = cookie.read(request);
    if (secret === undefined || !pendingSignIn.browsers.has(secret)) return createOtherBrowserPage();
    pendingSignIn.page.resolve(callbackUrl);
    const error = await pendingSignIn.outcome;
    if (error) return withClearedCookie(createFailedPage(pendingSignIn.server, error), cookie);
    const text = renderHtml`<p>You are signed in to ${pendingSignIn.server}. Close this page, and try again in your client.</p>`;
    return createPage(200, 'Signed in', text, undefined, { 'set-cookie': cookie.serializeExpired() });
  };

  const verifyUser = async (
    visit: Visit,
    callbackUrl: URL,
    request: AuthHttpRequest,
    cookie: BrowserCookie,
  ): Promise<AuthHttpResponse> => {
    const { pending: pendingSignIn, secret } = visit;
    if (cookie.read(request) !== secret) return createOtherBrowserPage();
    visits.end(visit);
    visit.page.resolve(callbackUrl);
    const user = await visit.user;
    if (!isSameUser(user, pendingSignIn.caller))
      return withClearedCookie(createOtherUserPage(pendingSignIn.server), cookie);
    pendingSignIn.browsers.add(secret);
    return createRedirect(pendingSignIn.page.url.href);
  };

  const routes = new Map([
    [`${root}/start`, startSignIn],
    [`${root}/callback`, handleCallback],
  ]);
  return {
    serves: (path, mount = '') => routes.has(mount + path) || routes.has(path),
    handle(exchange) {
      const route = routes.get(exchange.mount + exchange.path) ?? routes.get(exchange.path);
      void handleRequest(route, exchange).then(({ status, body, headers }) => exchange.reply(status, body, headers));
    },
  };
}

type PageHandler = (request: AuthHttpRequest) => Promise<AuthHttpResponse>;

async function handleRequest(route: PageHandler | undefined, exchange: AuthExchange): Promise<AuthHttpResponse> {
  if (route === undefined) return { ...createEndedPage(), status: 404 };
  if (exchange.method !== 'GET') return { status: 405, headers: { allow: 'GET' } };
  try {
    const request = await readHttpRequest(exchange);
    return 'status' in request ? { status: request.status, headers: {} } : await route(request);
  } catch (error) {
    return createFailedPage('the gateway', TenonError.from(error));
  }
}

/** Compares two users without their OAuth clients, because the browser signs in with a client of its own. */
function isSameUser(user: CallerIdentity, caller: CallerIdentity): boolean {
  return user.principal !== undefined && user.principal === caller.principal && user.issuer === caller.issuer;
}

const createEndedPage = (): AuthHttpResponse =>
  createRefusalPage(
    'No sign-in in progress',
    'It is complete, or it took too long. Call the tool again to start a new one',
  );

const createOtherBrowserPage = (): AuthHttpResponse =>
  createRefusalPage(
    'Another browser began this sign-in',
    'Open the link of your client in this browser, and sign in again',
  );

function createOtherUserPage(server: string): AuthHttpResponse {
  const text = renderHtml`<p>Another user has been asked to sign in to ${server}. If another person sent you the link, do not continue: they
would get access in your name. No access was granted.</p>`;
  return createPage(403, 'This sign-in is not yours', text);
}

function createFailedPage(server: string, error: Error): AuthHttpResponse {
  const code = TenonError.is(error) ? error.code : 'internal/unexpected';
  const text = renderHtml`<p>The sign-in to ${server} has failed (${code}). Call the tool again to start a new one.</p>`;
  return createPage(400, 'Not signed in', text);
}

const withClearedCookie = (response: AuthHttpResponse, cookie: BrowserCookie): AuthHttpResponse => ({
  ...response,
  headers: { ...response.headers, 'set-cookie': cookie.serializeExpired() },
});
