import * as oauth from 'oauth4webapi';
import type { AuthInfo } from '../../jsonrpc/channel.js';
import { TenonError } from '../../jsonrpc/error.js';
import { areSealKeys, createSeal, deriveSealKey, type Seal, type SealKey } from '../../stores/seal.js';
import type { AuthFetch } from '../guarded-fetch.js';
import { type Backing, createBacking } from './backing.js';
import { type BoundedEntries, createBoundedEntries } from './bounded-entries.js';
import { cookieFor } from './cookie.js';
import { createEndpoint, type IssuerEndpoint } from './endpoint.js';
import { type Answer, type Asked, redirect, single } from './exchange.js';
import { answerWithCode } from './grants.js';
import { type FaceOptions, type Settings, settingsOf, wrong } from './options.js';
import { refusalPage } from './page.js';
import { sourceOf } from './redirect-uri.js';
import { answerUri, type Wish } from './request.js';
import type { Road } from './road.js';
import { hashed, isSecret, randomText } from './secrets.js';
import { MACHINE } from './token.js';
import { createProvider, type Provider, type Upstream } from './upstream.js';

export interface OauthProxyOptions extends FaceOptions {
  readonly upstream: Upstream;
  /**
   * Keys of 32 bytes that encrypt the provider's tokens in `stores` (AES-256-GCM). The first one encrypts, all of them
   * decrypt, so that keys can be rotated. Default: one key that is derived from `upstream.clientSecret`; users whose tokens
   * are in the store then have to sign in again after that secret is changed.
   */
  readonly encryptionKeys?: readonly SealKey[] | undefined;
}

export interface Proxy {
  readonly endpoint: IssuerEndpoint;
  /** The identity provider's token that stands behind a caller, renewed where it has to be; `undefined` when it has ended. */
  upstreamToken(auth: AuthInfo): Promise<string | undefined>;
}

/** A user who has agreed here and is signing in there. */
interface Flow {
  readonly wish: Wish;
  readonly verifier: string;
  /** The hash of what only the browser has in which the user has agreed. */
  readonly browser: string;
}

/** How long signing in may take, in seconds. */
const PATIENCE = 600;

interface Facts {
  readonly settings: Settings;
  readonly provider: Provider;
  readonly upstream: Upstream;
  readonly flows: BoundedEntries<Flow>;
  readonly backing: Backing;
}

/** Throws `auth/issuer-options`. */
export function createProxy(options: OauthProxyOptions): Proxy {
  const { upstream, fetch: fetchLike = defaultFetch } = options;
  const settings = settingsOf(options);
  const provider = createProvider(upstream, settings, fetchLike);
  const flows = createBoundedEntries<Flow>(settings.values, 'flow', {
    max: settings.limits.maxPendingSignIns,
    ttl: PATIENCE * 1_000,
  });
  const backing = createBacking(settings, provider, sealOf(options));
  const facts = { settings, provider, upstream, flows, backing };
  const road: Road = {
    password: false,
    // Browsers hold the whole way back against this policy, and where that leads is the provider's affair.
    upstream: { host: provider.host, scopes: upstream.scopes, sources: `https: ${sourceOf(upstream.authorize)}` },
    allowed: (_, wish) => passOn(wish, facts),
    standing: sid => backing.read(sid),
  };
  return {
    endpoint: createEndpoint(settings, road, { callback: asked => comeBack(asked, facts) }),
    async upstreamToken({ claims }) {
      if (claims?.iss !== settings.issuer || typeof claims.sid !== 'string') return undefined;
      return (await backing.read(claims.sid))?.access;
    },
  };
}

/** Made when it is first needed: deriving a key takes a promise. */
function sealOf({ encryptionKeys, upstream }: OauthProxyOptions): () => Promise<Seal> {
  if (encryptionKeys !== undefined && !areSealKeys(encryptionKeys)) {
    const expected = 'one or more keys of 32 bytes, with ids of letters, digits, "_" and "-" that differ';
    throw wrong('encryptionKeys', expected, `${encryptionKeys.length} keys`);
  }
  let seal: Promise<Seal> | undefined;
  const create = async () =>
    createSeal(
      encryptionKeys ?? [await deriveSealKey('client-secret', upstream.clientSecret, 'tenon upstream tokens')],
    );
  return () => (seal ??= create());
}

/** Only now, that the user has agreed to this client, there is a state, and it is good in this browser only. */
async function passOn(wish: Wish, { settings, provider, flows }: Facts): Promise<Answer> {
  const [browser, verifier] = [randomText(), oauth.generateRandomCodeVerifier()];
  const state = flows.createText();
  await flows.put(state, { wish, verifier, browser: await hashed(browser) });
  const to = provider.authorizeUrl(state, await oauth.calculatePKCECodeChallenge(verifier));
  return redirect(to, { 'set-cookie': (await cookieFor(state, settings)).set(browser, PATIENCE) });
}

async function comeBack(asked: Asked, { settings, provider, upstream, flows, backing }: Facts): Promise<Answer> {
  const state = single(asked.query, 'state') ?? '';
  const cookie = await cookieFor(state, settings);
  const isHere = await isSecret(cookie.read(asked), (await flows.read(state))?.browser);
  const flow = isHere ? await flows.take(state) : undefined;
  if (flow === undefined) return refusalPage('Nobody is signing in here', 'Go back to the program and begin anew');
  const clear = { 'set-cookie': cookie.clear() };
  const { wish, verifier } = flow;
  const turnDown = (error: string) => redirect(answerUri(wish, settings.issuer, { error }), clear);
  if (single(asked.query, 'error') === 'access_denied') return turnDown('access_denied');
  try {
    const tokens = await provider.exchange(asked.query, state, verifier);
    const subject = await upstream.identify(tokens);
    if (typeof subject !== 'string' || subject === '' || subject.startsWith(MACHINE)) return turnDown('access_denied');
    const answer = await answerWithCode(wish, { subject, sid: await backing.keep(tokens) }, settings);
    return { ...answer, headers: { ...answer.headers, ...clear } };
  } catch (error) {
    settings.report(TenonError.is(error) ? error : unidentified());
    return turnDown('server_error');
  }
}

/** What `identify` throws may hold the token that it was given. */
function unidentified(): TenonError {
  return new TenonError('auth/upstream', '`upstream.identify` threw', { next: 'see to it that it does not' });
}

const defaultFetch: AuthFetch = (url, init) => fetch(url, init);
