import { type BoundedEntries, createBoundedEntries } from './bounded-entries.js';
import type { Client } from './client.js';
import type { Clients } from './clients.js';
import { consentPage } from './consent-page.js';
import { cookieFor } from './cookie.js';
import { type Answer, type Asked, redirect, single } from './exchange.js';
import type { Settings } from './options.js';
import { html, refusalPage } from './page.js';
import { isRegistered, shownHost } from './redirect-uri.js';
import { Refusal } from './refusal.js';
import { answerUri, mayReturn, readWish, type Wish } from './request.js';
import type { Road } from './road.js';
import { hashed, isSecret, randomText } from './secrets.js';

/** A request that a user is asked about. Its secrets are kept as hashes. */
interface Pending {
  readonly wish: Wish;
  /** Of the browser that was shown the page. */
  readonly browser: string;
  /** Of the form that it was shown. */
  readonly token: string;
  readonly tries: number;
}

/** How long a user may think, in seconds. */
const PATIENCE = 600;
/** How often a password may be wrong before the client has to ask anew. */
const MAX_TRIES = 5;

export interface AuthorizeFacts {
  readonly settings: Settings;
  readonly clients: Clients;
  readonly road: Road;
}

/** The front door: what browsers come to, and what users are asked. */
export interface Authorize {
  begin(asked: Asked): Promise<Answer>;
  decide(asked: Asked): Promise<Answer>;
}

export function createAuthorize(facts: AuthorizeFacts): Authorize {
  const { settings, clients, road } = facts;
  const pending = createBoundedEntries<Pending>(settings.values, 'asking', {
    max: settings.limits.maxPendingSignIns,
    ttl: PATIENCE * 1_000,
  });
  return {
    async begin({ query }) {
      const found = await findClient(query, clients);
      if (!('client' in found)) return found;
      const { client, uri } = found;
      try {
        const wish = readWish(query, client, uri, settings);
        return await ask(facts, pending, client, wish, 0);
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        return turnedDown(client, uri, query.get('state'), error, settings);
      }
    },
    async decide(asked) {
      const request = single(asked.form, 'request') ?? '';
      const cookie = await cookieFor(request, settings);
      const isOurs = await isFromOurPage(asked, await pending.read(request), cookie.read(asked), settings);
      const taken = isOurs ? await pending.take(request) : undefined;
      if (taken === undefined) return refusalPage('This page has expired', 'Go back to the program and begin anew');
      const { wish, tries } = taken;
      if (single(asked.form, 'answer') !== 'allow') {
        const denied = { error: 'access_denied', error_description: 'The user does not allow it' };
        return redirect(answerUri(wish, settings.issuer, denied), { 'set-cookie': cookie.clear() });
      }
      const outcome = await road.allowed(asked, wish);
      if ('status' in outcome) return outcome;
      const client = tries + 1 < MAX_TRIES ? await clients.find(wish.client) : undefined;
      if (client) return ask(facts, pending, client, wish, tries + 1, outcome.again);
      return redirect(answerUri(wish, settings.issuer, { error: 'access_denied' }), { 'set-cookie': cookie.clear() });
    },
  };
}

/** Nothing is sent anywhere before it is known that it is the client's own place. */
async function findClient(
  query: URLSearchParams,
  clients: Clients,
): Promise<{ readonly client: Client; readonly uri: string } | Answer> {
  const title = 'This request can not be answered';
  const id = single(query, 'client_id');
  let client: Client | undefined;
  try {
    client = id === undefined ? undefined : await clients.find(id);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return refusalPage(title, error.message);
  }
  if (client === undefined) return refusalPage(title, 'The program that sent you is not known here');
  const only = client.redirects.length === 1 && !query.has('redirect_uri') ? client.redirects[0] : undefined;
  const uri = only ?? single(query, 'redirect_uri');
  if (uri !== undefined && isRegistered(uri, client.redirects)) return { client, uri };
  return refusalPage(title, 'The program that sent you wants the answer where it is not known to be');
}

async function ask(
  { settings, road }: AuthorizeFacts,
  pending: BoundedEntries<Pending>,
  client: Client,
  wish: Wish,
  tries: number,
  again?: string,
): Promise<Answer> {
  const [browser, token] = [randomText(), randomText()];
  const kept = { wish, browser: await hashed(browser), token: await hashed(token), tries };
  const request = pending.createText();
  await pending.put(request, kept);
  const { password, upstream } = road;
  const consent = {
    ...{ client, wish, request, token, password, scopes: settings.scopes, action: `${settings.path}/consent` },
    ...(upstream ? { upstream } : {}),
    ...(again === undefined ? {} : { again }),
  };
  return consentPage(consent, (await cookieFor(request, settings)).set(browser, PATIENCE));
}

/** Whether a form is the one that this browser was shown, sent from our page. */
async function isFromOurPage(
  asked: Asked,
  found: Pending | undefined,
  secret: string | undefined,
  { origin }: Settings,
): Promise<boolean> {
  const from = asked.header('origin');
  if (found === undefined || (from !== undefined && from !== origin)) return false;
  return (await isSecret(secret, found.browser)) && (await isSecret(single(asked.form, 'token'), found.token));
}

/** Tells the client, or the user where the client could be anybody who wants to have users sent somewhere. */
function turnedDown(
  client: Client,
  uri: string,
  state: string | null,
  { error, message }: Refusal,
  { issuer }: Settings,
): Answer {
  const wish = { redirect: uri, ...(state === null ? {} : { state }) };
  const to = answerUri(wish, issuer, { error, error_description: message });
  if (mayReturn(client, uri)) return redirect(to);
  const back = html`<p><a href="${to}" rel="noreferrer">Go back to ${shownHost(uri)}</a></p>`;
  return refusalPage('The program asks for what can not be given', message, back);
}
