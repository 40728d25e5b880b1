import { TenonError } from '../../jsonrpc/error.js';
import type { CallerIdentity } from '../../model/owner.js';
import { type Cookie, cookieFor } from '../issuer/cookie.js';
import type { IssuerEndpoint } from '../issuer/endpoint.js';
import { type Answer, type Asked, readAsked, redirect, single } from '../issuer/exchange.js';
import { html, page, refusalPage } from '../issuer/page.js';
import type { PendingSignIn, PendingSignIns } from './pending.js';
import type { Visit, Visits } from './visits.js';

/** Seconds that a browser keeps its secret. */
const COOKIE_LIFE = 600;

/**
 * The pages of sign-ins. A link is of use only to the user whose client got it: the browser first shows by the issuer who its
 * user is, and only the browser that has shown it may end the sign-in.
 * https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation#phishing
 */
export function createPages(base: URL, pending: PendingSignIns, visits: Visits): IssuerEndpoint {
  const root = base.pathname.replace(/\/$/, '');
  const secure = base.protocol === 'https:';
  const cookieOf = ({ elicitationId }: PendingSignIn) => cookieFor(elicitationId, { secure });

  const start = async (asked: Asked): Promise<Answer> => {
    const waiting = pending.find(single(asked.query, 'id'));
    if (waiting === undefined) return ended();
    const [visit, cookie] = [await visits.begin(waiting), await cookieOf(waiting)];
    return redirect(visit.page.url.href, { 'set-cookie': cookie.set(visit.secret, COOKIE_LIFE) });
  };

  const callback = async (asked: Asked): Promise<Answer> => {
    const state = single(asked.query, 'state') ?? '';
    const back = new URL(`${base.origin}${root}/callback?${asked.query}`);
    const visit = visits.find(state);
    if (visit) return showUser(visit, back, asked, await cookieOf(visit.pending));
    const waiting = pending.findByState(state);
    if (waiting === undefined) return ended();
    const cookie = await cookieOf(waiting);
    const secret = cookie.read(asked);
    if (secret === undefined || !waiting.browsers.has(secret)) return otherBrowser();
    waiting.page.resolve(back);
    const error = await waiting.outcome;
    if (error) return withCookie(failedPage(waiting.server, error), cookie);
    const text = html`<p>You are signed in to ${waiting.server}. Close this page, and try again in your client.</p>`;
    return page(200, 'Signed in', text, undefined, { 'set-cookie': cookie.clear() });
  };

  const showUser = async (visit: Visit, back: URL, asked: Asked, cookie: Cookie): Promise<Answer> => {
    const { pending: waiting, secret } = visit;
    if (cookie.read(asked) !== secret) return otherBrowser();
    visits.end(visit);
    visit.page.resolve(back);
    const user = await visit.user;
    if (!isSameUser(user, waiting.caller)) return withCookie(otherUser(waiting.server), cookie);
    waiting.browsers.add(secret);
    return redirect(waiting.page.url.href);
  };

  const routes = new Map([
    [`${root}/start`, start],
    [`${root}/callback`, callback],
  ]);
  return {
    serves: (path, mount = '') => routes.has(mount + path) || routes.has(path),
    handle(exchange) {
      const route = routes.get(exchange.mount + exchange.path) ?? routes.get(exchange.path);
      void answer(route, exchange).then(({ status, body, headers }) => exchange.reply(status, body, headers));
    },
  };
}

type Route = (asked: Asked) => Promise<Answer>;

async function answer(route: Route | undefined, exchange: Parameters<IssuerEndpoint['handle']>[0]): Promise<Answer> {
  if (route === undefined) return { ...ended(), status: 404 };
  if (exchange.method !== 'GET') return { status: 405, headers: { allow: 'GET' } };
  try {
    const asked = await readAsked(exchange);
    return 'status' in asked ? { status: asked.status, headers: {} } : await route(asked);
  } catch (error) {
    return failedPage('the gateway', TenonError.from(error));
  }
}

/** The OAuth client is another one: that of the browser. */
function isSameUser(user: CallerIdentity, caller: CallerIdentity): boolean {
  return user.principal !== undefined && user.principal === caller.principal && user.issuer === caller.issuer;
}

const ended = (): Answer =>
  refusalPage('No sign-in waits here', 'It is done, or it took too long. Call the tool again to begin another');

const otherBrowser = (): Answer =>
  refusalPage('Another browser began this sign-in', 'Open the link of your client in this browser, and sign in again');

function otherUser(server: string): Answer {
  const text = html`<p>Another user has been asked to sign in to ${server}. If somebody sent you the link, do not go on: they
would get access in your name. Nothing was passed on.</p>`;
  return page(403, 'This sign-in is not yours', text);
}

function failedPage(server: string, error: Error): Answer {
  const code = TenonError.is(error) ? error.code : 'internal/unexpected';
  const text = html`<p>The sign-in to ${server} has failed (${code}). Call the tool again to begin another.</p>`;
  return page(400, 'Not signed in', text);
}

const withCookie = (given: Answer, cookie: Cookie): Answer => ({
  ...given,
  headers: { ...given.headers, 'set-cookie': cookie.clear() },
});
