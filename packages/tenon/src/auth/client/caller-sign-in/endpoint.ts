import { TenonError } from '@tenon/base';
import {
  type AuthEndpoint,
  type AuthExchange,
  type AuthHttpRequest,
  type AuthHttpResponse,
  type BrowserCookie,
  createCookie,
  createRedirect,
  getParameter,
  readHttpRequest,
} from '@tenon/base/oauth';
import { createPage, createRefusalPage, renderHtml } from '@tenon/base/writers';
import type { ConfirmationForm } from './page-confirmation.js';
import type { OpenPage, PendingSignIn, PendingSignIns } from './pending-sign-ins.js';
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

  const handleCallback = async (request: AuthHttpRequest, path: string): Promise<AuthHttpResponse> => {
    const state = getParameter(request.query, 'state') ?? '';
    const callbackUrl = new URL(`${base.origin}${path}?${request.query}`);
    const visit = visits.find(state);
    if (visit)
      return visit.page.path === path
        ? verifyUser(visit, callbackUrl, request, getCookie(visit.pending))
        : createEndedPage();
    const pendingSignIn = pending.findByState(state);
    // A response at the path of another authorization server is not for this sign-in.
    if (pendingSignIn?.page.path !== path) return createEndedPage();
    if (!isVerified(pendingSignIn, request)) return createOtherBrowserPage();
    const { page, outcome } = pendingSignIn;
    page.resolve(callbackUrl);
    const form = await Promise.race([
      page.confirmation.requested,
      waitForEnd(
        page,
        outcome.then(() => undefined),
      ).then(() => undefined),
    ]);
    return form ? createConfirmationPage(pendingSignIn, form, `${root}/confirm`) : showOutcome(pendingSignIn);
  };

  /** Tells if the request comes from a browser of the user who signs in. */
  const isVerified = (pendingSignIn: PendingSignIn, request: AuthHttpRequest): boolean => {
    const secret = getCookie(pendingSignIn).read(request);
    return secret !== undefined && pendingSignIn.browsers.has(secret);
  };

  const confirmIssuer = async (request: AuthHttpRequest): Promise<AuthHttpResponse> => {
    const pendingSignIn = pending.find(getParameter(request.form, 'id'));
    if (pendingSignIn === undefined) return createEndedPage();
    if (!isVerified(pendingSignIn, request)) return createOtherBrowserPage();
    const { form } = pendingSignIn.page.confirmation;
    if (form === undefined || getParameter(request.form, 'token') !== form.token) return createEndedPage();
    form.resolve(getParameter(request.form, 'answer') === 'confirm');
    return showOutcome(pendingSignIn);
  };

  /** Shows the outcome of a sign-in, or leads the browser to its next page. */
  const showOutcome = async (pendingSignIn: PendingSignIn): Promise<AuthHttpResponse> => {
    const cookie = getCookie(pendingSignIn);
    const { page, outcome } = pendingSignIn;
    const ended = await waitForEnd(
      page,
      outcome.then(error => ({ error })),
    );
    if ('url' in ended) {
      pendingSignIn.page = ended;
      return createRedirect(ended.url.href);
    }
    const { error } = ended;
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
    const ended = await waitForEnd(
      visit.page,
      visit.user.then(user => ({ user })),
    );
    if ('url' in ended) {
      visits.add({ ...visit, page: ended });
      return createRedirect(ended.url.href);
    }
    const { user } = ended;
    const { caller } = pendingSignIn;
    // Their OAuth clients are not compared, because the browser signs in with a client of its own.
    const isSameUser =
      user.principal !== undefined && user.principal === caller.principal && user.issuer === caller.issuer;
    if (!isSameUser) return withClearedCookie(createOtherUserPage(pendingSignIn.server), cookie);
    pendingSignIn.browsers.add(secret);
    return createRedirect(pendingSignIn.page.url.href);
  };

  const routes: readonly Route[] = [
    { method: 'GET', matches: path => path === `${root}/start`, handle: startSignIn },
    {
      method: 'GET',
      matches: path => path === `${root}/callback` || path.startsWith(`${root}/callback/`),
      handle: handleCallback,
    },
    { method: 'POST', matches: path => path === `${root}/confirm`, handle: confirmIssuer },
  ];
  /** Finds the route of a path. A framework may have removed the prefix of the path. */
  const findRoute = (path: string, mount: string) =>
    [mount + path, path].flatMap(each => {
      const route = routes.find(({ matches }) => matches(each));
      return route ? [{ route, path: each }] : [];
    })[0];
  return {
    serves: (path, mount = '') => findRoute(path, mount) !== undefined,
    handle(exchange) {
      const found = findRoute(exchange.path, exchange.mount);
      void handleRequest(found, exchange).then(({ status, body, headers }) => exchange.reply(status, body, headers));
    },
  };
}

interface Route {
  readonly method: 'GET' | 'POST';
  matches(path: string): boolean;
  handle(request: AuthHttpRequest, path: string): Promise<AuthHttpResponse>;
}

/** Waits until the sign-in of a page has ended, or needs another page. */
function waitForEnd<T>(page: OpenPage, end: Promise<T>): Promise<T | OpenPage> {
  return page.next ? Promise.race([end, page.next]) : end;
}

async function handleRequest(
  found: { readonly route: Route; readonly path: string } | undefined,
  exchange: AuthExchange,
): Promise<AuthHttpResponse> {
  if (found === undefined) return { ...createEndedPage(), status: 404 };
  const { route, path } = found;
  if (exchange.method !== route.method) return { status: 405, headers: { allow: route.method } };
  try {
    const request = await readHttpRequest(exchange);
    return 'status' in request ? { status: request.status, headers: {} } : await route.handle(request, path);
  } catch (error) {
    return createFailedPage('the gateway', TenonError.from(error));
  }
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

function createConfirmationPage(
  { server, elicitationId }: PendingSignIn,
  { host, token }: ConfirmationForm,
  action: string,
): AuthHttpResponse {
  const body = renderHtml`<p>Access to <strong>${server}</strong> is granted by <strong>${host}</strong>. Its response does not prove that it
comes from there.</p>
<p>Did you sign in on a page of <strong>${host}</strong>? If it was another page, do not continue: ${host} would get access to your
account there.</p>
<form method="post" action="${action}">
<input type="hidden" name="id" value="${elicitationId}">
<input type="hidden" name="token" value="${token}">
<p><button type="submit" name="answer" value="confirm">Yes, I signed in at ${host}</button>
<button type="submit" name="answer" value="deny">No, cancel</button></p>
</form>`;
  return createPage(200, `Did you sign in at ${host}?`, body, "'self'");
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
