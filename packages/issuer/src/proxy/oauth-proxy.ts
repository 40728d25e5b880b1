import { areSealKeys, createRandomText, createSeal, deriveSealKey, type Seal } from '@tenon/base';
import {
  type AuthEndpoint,
  type AuthHttpRequest,
  type AuthHttpResponse,
  createCookie,
  createRedirect,
  getParameter,
} from '@tenon/base/oauth';
import { createRefusalPage } from '@tenon/base/writers';
import * as oauth from 'oauth4webapi';
import { type AuthInfo, type SealKey, TenonError } from 'tenon';
import { type AuthorizationRequest, createResponseUri, isAllowedResponse } from '../authorize/authorization-request.js';
import { getCspSource } from '../clients/redirect-uri.js';
import { createRoutedEndpoint } from '../endpoint.js';
import { createOptionError } from '../option-error.js';
import type { IssuerBaseOptions, IssuerSettings } from '../options.js';
import { resolveIssuerOptions } from '../resolve-options.js';
import { hashSecret, isMatchingSecret } from '../secrets.js';
import type { SignInMethod } from '../sign-in-method.js';
import { createSingleUseStore, type SingleUseStore } from '../single-use-store.js';
import { redirectWithCode } from '../token/issued-grants.js';
import { MACHINE_SUBJECT_PREFIX } from '../token/token-endpoint.js';
import { createSharedKeys } from './shared-keys.js';
import { createUpstreamProvider, type UpstreamOptions, type UpstreamProvider } from './upstream-provider.js';
import { createUpstreamTokenStore, type UpstreamTokenStore } from './upstream-token-store.js';

/** Options of `oauthProxy`. */
export interface OauthProxyOptions extends IssuerBaseOptions {
  /** Identity provider at which users sign in. */
  readonly upstream: UpstreamOptions;
  /**
   * Keys of 32 bytes that encrypt the provider's tokens and the signing keys in `stores` (AES-256-GCM). The first key
   * encrypts, and all keys decrypt, so that you can rotate them.
   *
   * A change of that secret then requires all users to sign in again.
   *
   * @default a key derived from `upstream.clientSecret`
   */
  readonly encryptionKeys?: readonly SealKey[] | undefined;
}

export interface ProxyEndpoint {
  readonly endpoint: AuthEndpoint;
  /**
   * Returns the identity provider's token of a caller, and renews it if necessary. Resolves with `undefined` when it
   * has expired.
   */
  getUpstreamToken(auth: AuthInfo): Promise<string | undefined>;
}

/** Sign-in of a user at the identity provider, after consent at the proxy. */
type UpstreamSignIn = {
  readonly authRequest: AuthorizationRequest;
  readonly verifier: string;
  /** Hash of the cookie secret of the browser in which the user has consented. */
  readonly browser: string;
};

/** Maximum duration of a sign-in at the identity provider, in seconds. */
const SIGN_IN_TTL = 600;

interface ProxyContext {
  readonly settings: IssuerSettings;
  readonly provider: UpstreamProvider;
  readonly upstream: UpstreamOptions;
  readonly signIns: SingleUseStore<UpstreamSignIn>;
  readonly upstreamTokens: UpstreamTokenStore;
}

/**
 * Creates the endpoint of `oauthProxy`.
 *
 * @throws TenonError `auth/issuer-options`
 */
export function createProxyEndpoint(options: OauthProxyOptions): ProxyEndpoint {
  const { upstream, keys } = options;
  const resolved = resolveIssuerOptions(options);
  const getSeal = createSealFactory(options);
  const settings = keys?.length ? resolved : { ...resolved, getKeys: createSharedKeys(resolved, getSeal) };
  const provider = createUpstreamProvider(upstream, settings);
  const signIns = createSingleUseStore<UpstreamSignIn>(settings.values, 'flow', {
    max: settings.limits.maxPendingSignIns,
    ttl: SIGN_IN_TTL * 1_000,
  });
  const upstreamTokens = createUpstreamTokenStore(settings, provider, getSeal);
  const context = { settings, provider, upstream, signIns, upstreamTokens };
  const signInMethod: SignInMethod = {
    password: false,
    // Browsers apply this policy to all redirects after the form, and the provider may redirect to any host.
    upstream: {
      host: provider.host,
      scopes: upstream.scopes,
      sources: `https: ${getCspSource(upstream.authorizeUrl)}`,
    },
    completeConsent: (_, authRequest) => redirectToUpstream(authRequest, context),
    getUpstreamAccess: sid => upstreamTokens.read(sid),
    removeUpstreamAccess: sid => upstreamTokens.remove(sid),
  };
  return {
    endpoint: createRoutedEndpoint(settings, signInMethod, { callback: request => handleCallback(request, context) }),
    async getUpstreamToken({ claims }) {
      if (claims?.iss !== settings.issuer || typeof claims.sid !== 'string') return undefined;
      return (await upstreamTokens.read(claims.sid))?.access;
    },
  };
}

/** Returns a function that creates the seal on its first call. Deriving a key is asynchronous. */
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

/** Redirects to the identity provider. Creates the state after the consent, and binds it to this browser. */
async function redirectToUpstream(
  authRequest: AuthorizationRequest,
  { settings, provider, signIns }: ProxyContext,
): Promise<AuthHttpResponse> {
  const [browser, verifier] = [createRandomText(), oauth.generateRandomCodeVerifier()];
  const state = signIns.createToken();
  await signIns.put(state, { authRequest, verifier, browser: hashSecret(browser) });
  const location = provider.createAuthorizeUrl(state, await oauth.calculatePKCECodeChallenge(verifier));
  return createRedirect(location, {
    'set-cookie': createCookie(state, { secure: settings.secure }).serialize(browser, SIGN_IN_TTL),
  });
}

async function handleCallback(
  request: AuthHttpRequest,
  { settings, provider, upstream, signIns, upstreamTokens }: ProxyContext,
): Promise<AuthHttpResponse> {
  const state = getParameter(request.query, 'state') ?? '';
  const cookie = createCookie(state, { secure: settings.secure });
  const isSameBrowser = isMatchingSecret(cookie.read(request), (await signIns.read(state))?.browser);
  const flow = isSameBrowser ? await signIns.consume(state) : undefined;
  if (flow === undefined || !isAllowedResponse(flow.authRequest, settings))
    return createRefusalPage('This sign-in has expired', 'Go back to the program and start again');
  const clear = { 'set-cookie': cookie.serializeExpired() };
  const { authRequest, verifier } = flow;
  const createDenial = (error: string) =>
    createRedirect(createResponseUri(authRequest, settings.issuer, { error }), clear);
  if (getParameter(request.query, 'error') === 'access_denied') return createDenial('access_denied');
  try {
    const tokens = await provider.exchangeCode(request.query, state, verifier);
    const subject = await upstream.identifyUser(tokens);
    if (typeof subject !== 'string' || subject === '' || subject.startsWith(MACHINE_SUBJECT_PREFIX))
      return createDenial('access_denied');
    const response = await redirectWithCode(authRequest, { subject, sid: await upstreamTokens.add(tokens) }, settings);
    return { ...response, headers: { ...response.headers, ...clear } };
  } catch (error) {
    settings.report(TenonError.is(error) ? error : createIdentifyError());
    return createDenial('server_error');
  }
}

/** Creates the error for `identifyUser`. Drops the original error, because it may contain a token. */
function createIdentifyError(): TenonError {
  return new TenonError('auth/upstream', 'the option `upstream.identifyUser` threw an error', {
    hint: 'handle its errors, and return a user or an empty text',
  });
}
