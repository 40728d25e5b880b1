import * as oauth from 'oauth4webapi';
import { TenonError } from '../../../jsonrpc/error.js';
import type { AuthInfo } from '../../../jsonrpc/transport.js';
import { areSealKeys, createSeal, deriveSealKey, type Seal, type SealKey } from '../../../stores/seal.js';
import type { AuthFetch } from '../../http/guarded-fetch.js';
import { type AuthorizationRequest, createResponseUri } from '../authorize/authorization-request.js';
import { createRefusalPage } from '../authorize/html-page.js';
import { getCspSource } from '../clients/redirect-uri.js';
import { createCookie } from '../cookie.js';
import { createRoutedEndpoint, type IssuerEndpoint } from '../endpoint.js';
import { createRedirect, getSingle, type IssuerHttpRequest, type IssuerHttpResponse } from '../http-exchange.js';
import { createOptionError, type IssuerBaseOptions, type IssuerSettings, resolveIssuerOptions } from '../options.js';
import { createRandomText, hashSecret, isMatchingSecret } from '../secrets.js';
import type { SignInMethod } from '../sign-in-method.js';
import { createSingleUseStore, type SingleUseStore } from '../single-use-store.js';
import { redirectWithCode } from '../token/issued-grants.js';
import { MACHINE_SUBJECT_PREFIX } from '../token/token-endpoint.js';
import { createUpstreamProvider, type UpstreamOptions, type UpstreamProvider } from './upstream-provider.js';
import { createUpstreamTokenStore, type UpstreamTokenStore } from './upstream-token-store.js';

export interface OauthProxyOptions extends IssuerBaseOptions {
  readonly upstream: UpstreamOptions;
  /**
   * Keys of 32 bytes that encrypt the provider's tokens in `stores` (AES-256-GCM). The first one encrypts, all of them
   * decrypt, so that keys can be rotated. Default: one key that is derived from `upstream.clientSecret`; users whose tokens
   * are in the store then have to sign in again after that secret is changed.
   */
  readonly encryptionKeys?: readonly SealKey[] | undefined;
}

export interface ProxyEndpoint {
  readonly endpoint: IssuerEndpoint;
  /** The identity provider's token that stands behind a caller, renewed where it has to be; `undefined` when it has ended. */
  getUpstreamToken(auth: AuthInfo): Promise<string | undefined>;
}

/** A user who has agreed here and is signing in there. */
interface UpstreamSignIn {
  readonly wish: AuthorizationRequest;
  readonly verifier: string;
  /** The hash of what only the browser has in which the user has agreed. */
  readonly browser: string;
}

/** How long signing in may take, in seconds. */
const SIGN_IN_TTL = 600;

interface ProxyContext {
  readonly settings: IssuerSettings;
  readonly provider: UpstreamProvider;
  readonly upstream: UpstreamOptions;
  readonly signIns: SingleUseStore<UpstreamSignIn>;
  readonly upstreamTokens: UpstreamTokenStore;
}

/** Throws `auth/issuer-options`. */
export function createProxyEndpoint(options: OauthProxyOptions): ProxyEndpoint {
  const { upstream, fetch: fetchLike = fetchWithGlobal } = options;
  const settings = resolveIssuerOptions(options);
  const provider = createUpstreamProvider(upstream, settings, fetchLike);
  const signIns = createSingleUseStore<UpstreamSignIn>(settings.values, 'flow', {
    max: settings.limits.maxPendingSignIns,
    ttl: SIGN_IN_TTL * 1_000,
  });
  const upstreamTokens = createUpstreamTokenStore(settings, provider, createSealFactory(options));
  const context = { settings, provider, upstream, signIns, upstreamTokens };
  const signInMethod: SignInMethod = {
    password: false,
    // Browsers hold the whole way back against this policy, and where that leads is the provider's affair.
    upstream: {
      host: provider.host,
      scopes: upstream.scopes,
      sources: `https: ${getCspSource(upstream.authorizeUrl)}`,
    },
    completeConsent: (_, wish) => redirectToUpstream(wish, context),
    getUpstreamAccess: sid => upstreamTokens.read(sid),
  };
  return {
    endpoint: createRoutedEndpoint(settings, signInMethod, { callback: request => handleCallback(request, context) }),
    async getUpstreamToken({ claims }) {
      if (claims?.iss !== settings.issuer || typeof claims.sid !== 'string') return undefined;
      return (await upstreamTokens.read(claims.sid))?.access;
    },
  };
}

/** Made when it is first needed: deriving a key takes a promise. */
function createSealFactory({ encryptionKeys, upstream }: OauthProxyOptions): () => Promise<Seal> {
  if (encryptionKeys !== undefined && !areSealKeys(encryptionKeys)) {
    const expected = 'one or more keys of 32 bytes, with ids of letters, digits, "_" and "-" that differ';
    throw createOptionError('encryptionKeys', expected, `${encryptionKeys.length} keys`);
  }
  let sealPromise: Promise<Seal> | undefined;
  const create = async () =>
    createSeal(
      encryptionKeys ?? [await deriveSealKey('client-secret', upstream.clientSecret, 'tenon upstream tokens')],
    );
  return () => (sealPromise ??= create());
}

/** Only now, that the user has agreed to this client, there is a state, and it is good in this browser only. */
async function redirectToUpstream(
  wish: AuthorizationRequest,
  { settings, provider, signIns }: ProxyContext,
): Promise<IssuerHttpResponse> {
  const [browser, verifier] = [createRandomText(), oauth.generateRandomCodeVerifier()];
  const state = signIns.createToken();
  await signIns.put(state, { wish, verifier, browser: await hashSecret(browser) });
  const location = provider.createAuthorizeUrl(state, await oauth.calculatePKCECodeChallenge(verifier));
  return createRedirect(location, {
    'set-cookie': (await createCookie(state, settings)).serialize(browser, SIGN_IN_TTL),
  });
}

async function handleCallback(
  request: IssuerHttpRequest,
  { settings, provider, upstream, signIns, upstreamTokens }: ProxyContext,
): Promise<IssuerHttpResponse> {
  const state = getSingle(request.query, 'state') ?? '';
  const cookie = await createCookie(state, settings);
  const isSameBrowser = await isMatchingSecret(cookie.read(request), (await signIns.read(state))?.browser);
  const flow = isSameBrowser ? await signIns.consume(state) : undefined;
  if (flow === undefined)
    return createRefusalPage('Nobody is signing in here', 'Go back to the program and begin anew');
  const clear = { 'set-cookie': cookie.serializeExpired() };
  const { wish, verifier } = flow;
  const createDenial = (error: string) => createRedirect(createResponseUri(wish, settings.issuer, { error }), clear);
  if (getSingle(request.query, 'error') === 'access_denied') return createDenial('access_denied');
  try {
    const tokens = await provider.exchangeCode(request.query, state, verifier);
    const subject = await upstream.identifyUser(tokens);
    if (typeof subject !== 'string' || subject === '' || subject.startsWith(MACHINE_SUBJECT_PREFIX))
      return createDenial('access_denied');
    const response = await redirectWithCode(wish, { subject, sid: await upstreamTokens.add(tokens) }, settings);
    return { ...response, headers: { ...response.headers, ...clear } };
  } catch (error) {
    settings.report(TenonError.is(error) ? error : createIdentifyError());
    return createDenial('server_error');
  }
}

/** What `identify` throws may hold the token that it was given. */
function createIdentifyError(): TenonError {
  return new TenonError('auth/upstream', '`upstream.identifyUser` threw', { hint: 'see to it that it does not' });
}

const fetchWithGlobal: AuthFetch = (url, init) => fetch(url, init);
