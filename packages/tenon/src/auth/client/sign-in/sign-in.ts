import {
  checkBoolean,
  checkEither,
  checkFunction,
  checkObject,
  checkOptional,
  checkOptions,
  checkRange,
  checkString,
  type OptionChecks,
  requirePresentOptions,
  TenonError,
} from '@tenon/base';
import type { AuthTarget } from '../auth-target.js';
import type { Authorizer } from '../authorizer.js';
import { type ClientCredentials, createClientIdentity } from '../client-identity.js';
import { isSameIssuer } from '../discovery/issuer-exceptions.js';
import { requestTokensWithCode } from '../grants/authorization-code.js';
import { DEVICE_GRANT, requestTokensWithDeviceCode, type ShowDeviceCode } from '../grants/device-code.js';
import type { Grant } from '../grants/grant.js';
import { createGrantAuthorizer } from '../grants/grant-authorizer.js';
import {
  AUTHORIZER_OPTION_CHECKS,
  type AuthorizerOptions,
  type AuthorizerSettings,
  parseScopeOption,
  resolveSettings,
} from '../settings.js';
import type { TokenStore, Tokens } from '../token-store.js';
import { checkClient } from './check-client.js';
import { checkDocumentUrl } from './client-document.js';
import { type ConfirmIssuer, checkResponseOrigin, getIssuerPath, recordRedirect } from './issuer-redirect.js';
import type { Redirect, RedirectAttempt } from './redirect.js';
import { forgetRegistration, getRegistrationKey, parseStoredClient } from './registration.js';
import { getConfiguredClient, signInAsClient } from './sign-in-client.js';
import { createSignInCounter, type SignInCounter, type SignInLimits } from './sign-in-limit.js';

/** Part of the storage key of the tokens of a client that registers itself. */
export const REGISTERED = 'registered';

/** Client that is registered manually. */
export interface RegisteredClient extends Omit<ClientCredentials, 'method'> {
  /**
   * Issuer at which the client is registered. Its credentials are sent to no other issuer.
   * @default the first issuer that it is used with
   */
  readonly issuer?: string | undefined;
}

/** Options of `signIn`. */
export interface SignInOptions extends AuthorizerOptions {
  /**
   * Method to open the sign-in page: `loopbackRedirect()` or `manualRedirect({ ask })`.
   * @default none, and a needed sign-in rejects
   */
  readonly redirect?: Redirect | undefined;
  /**
   * Shows a code that the user enters on a page of the authorization server, on any device. Used in place of `redirect`,
   * where neither a browser nor a port of this machine can be reached.
   * @default none
   * @see https://www.rfc-editor.org/rfc/rfc8628
   */
  readonly showDeviceCode?: ShowDeviceCode | undefined;
  /**
   * Client that is already registered.
   * @default a client ID metadata document, else dynamic registration
   */
  readonly client?: RegisteredClient | undefined;
  /**
   * URL of the client ID metadata document: an `https:` URL with a path. The document has this URL as `client_id`,
   * next to `client_name` and `redirect_uris`.
   * @default dynamic registration
   */
  readonly clientMetadataUrl?: string | undefined;
  /**
   * Private key for the `jwks` of that document.
   * @default a public client
   */
  readonly clientKey?: ClientCredentials['key'];
  /**
   * Client name for dynamic registration, which sign-in pages show.
   * @default `MCP client`
   */
  readonly clientName?: string | undefined;
  /**
   * Home page of the client, which consent pages show.
   * @default none
   */
  readonly clientUri?: string | undefined;
  /**
   * Requests a refresh token, so that the client can renew tokens without the user. Needs an authorization server
   * with the scope `offline_access`.
   * @default `true`
   */
  readonly offline?: boolean | undefined;
  /**
   * Asks the user to confirm the host of the authorization server, if another one may have sent the response: it has
   * no `iss`, and its redirect URI is not that of this authorization server alone. A client that registers itself has
   * such a redirect URI only if you set `uri` or `path` of the redirect.
   *
   * Without `client`, the function is called for each such response, because any authorization server may accept the
   * redirect URI. With `client`, it is called if another authorization server has used the redirect URI.
   * @default none: the sign-in rejects with `auth/shared-redirect` if another authorization server without `iss` has
   *   used the redirect URI with this token store
   * @see https://www.rfc-editor.org/rfc/rfc9700#section-4.4
   */
  readonly confirmIssuer?: ConfirmIssuer | undefined;
  /** Limits on the number of sign-in pages. Defaults: see `SignInLimits`. */
  readonly limits?: SignInLimits | undefined;
}

const amount = checkOptional(checkRange('a number of at least 0', 0));
const optionChecks: OptionChecks<SignInOptions> = {
  redirect: checkOptional(checkObject({ begin: checkFunction })),
  showDeviceCode: checkOptional(checkFunction),
  client: checkOptional(checkObject({ id: checkString, 'secret?': checkString, 'issuer?': checkString })),
  clientMetadataUrl: checkOptional(checkString),
  clientKey: checkOptional(checkEither(checkString, checkObject())),
  clientName: checkOptional(checkString),
  clientUri: checkOptional(checkString),
  offline: checkOptional(checkBoolean),
  confirmIssuer: checkOptional(checkFunction),
  limits: checkOptional(checkOptions<SignInLimits>({ maxSignIns: amount, window: amount })),
  ...AUTHORIZER_OPTION_CHECKS,
};

/**
 * Signs a user in when the server requires it: discovers the authorization server, registers the client, opens the
 * sign-in page, and renews tokens. A call rejects with an `auth/…` error when that fails. On Node `fetch` is
 * `fetchWithAddressCheck` by default.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization
 */
export function signIn(options: SignInOptions = {}): Authorizer {
  requirePresentOptions('signIn', options, optionChecks);
  const settings = resolveSettings(options);
  if (options.clientMetadataUrl !== undefined) checkDocumentUrl(options.clientMetadataUrl);
  return createGrantAuthorizer(createInteractiveGrant(options, settings), settings);
}

/** Options of the library's own sign-ins. */
export interface InteractiveGrantOptions {
  /**
   * Checks that the authorization server still knows a stored client before a user opens the page. For users whose
   * browser is elsewhere, because nobody notices a page that leads nowhere.
   * @default `false`
   */
  readonly checksClient?: boolean | undefined;
}

/** Creates the grant of a user who signs in. */
export function createInteractiveGrant(
  options: SignInOptions,
  { tokenStore, clock }: AuthorizerSettings,
  { checksClient = false }: InteractiveGrantOptions = {},
): Grant {
  const { client, clientMetadataUrl, redirect, showDeviceCode } = options;
  const counter = createSignInCounter(options.limits ?? {}, clock);
  return {
    clientKey: client?.id ?? clientMetadataUrl ?? REGISTERED,
    issuer: client?.issuer,
    preregistered: client !== undefined,
    scopes: parseScopeOption(options.scopes),
    offline: options.offline ?? true,
    interactive: true,
    async requestToken(target, scopes, signal) {
      if (showDeviceCode) {
        counter.count(target.server);
        return signInAsClient(options, tokenStore, target, signal, async () => ({
          uri: DEVICE_GRANT,
          run: identity => requestTokensWithDeviceCode(target, identity, showDeviceCode, scopes, signal),
          hasMissedCallback: () => false,
          close: () => {},
        }));
      }
      if (!redirect)
        throw new TenonError(
          'auth/needs-user',
          'the server requires a sign-in, and this program cannot open a browser',
          {
            peer: target.issuer.slice(0, 200),
            hint: 'pass `redirect`: loopbackRedirect() of tenon/auth/node, or manualRedirect({ ask })',
          },
        );
      return signInWithBrowser(
        options,
        countPages(redirect, counter, target.server),
        tokenStore,
        target,
        scopes,
        signal,
        checksClient,
      );
    },
    async identifyClient(target, tokens) {
      const credentials =
        getConfiguredClient(options, target) ??
        tokens.client ??
        // Tokens that version 0.1.0 stored do not name their client.
        parseStoredClient(await tokenStore.get(getRegistrationKey(target.issuer)), 0);
      return credentials && createClientIdentity(target.authorizationServer, credentials);
    },
    ...(client ? {} : { forgetClient: (issuer, id) => forgetRegistration(tokenStore, issuer, id) }),
  };
}

/** Counts a page just before it is opened. Earlier failures do not count, because the user sees no page. */
function countPages(redirect: Redirect, counter: SignInCounter, server: string): Redirect {
  return {
    async begin(knownUris, signal, issuerPath) {
      const attempt = await redirect.begin(knownUris, signal, issuerPath);
      return {
        uri: attempt.uri,
        async authorize(url, pageSignal) {
          counter.count(server);
          return attempt.authorize(url, pageSignal);
        },
        close: () => attempt.close(),
      };
    },
  };
}

async function signInWithBrowser(
  options: SignInOptions,
  redirect: Redirect,
  tokenStore: TokenStore,
  target: AuthTarget,
  scopes: readonly string[],
  signal: AbortSignal,
  checksClient: boolean,
): Promise<Tokens> {
  const previous = parseStoredClient(await tokenStore.get(getRegistrationKey(target.issuer)), target.clock.now());
  const known = previous?.redirects.filter(uri => uri !== DEVICE_GRANT) ?? [];
  const issuerPath = getConfiguredClient(options, target) ? undefined : getIssuerPath(target.issuer);
  return signInAsClient(options, tokenStore, target, signal, async () => {
    const attempt = await redirect.begin(known, signal, issuerPath);
    let hasMissedCallback = false;
    let isClientStored = false;
    const watched: RedirectAttempt = {
      uri: attempt.uri,
      authorize: async (url, pageSignal) => {
        if (checksClient && isClientStored) await checkClient(target, url, pageSignal);
        try {
          return await attempt.authorize(url, pageSignal);
        } catch (error) {
          hasMissedCallback = TenonError.is(error) && error.code === 'auth/timeout';
          throw error;
        }
      },
      close: () => attempt.close(),
    };
    const clientIssuer = options.client?.issuer;
    const origin = {
      redirectUri: attempt.uri,
      target,
      tokenStore,
      isIssuerConfigured: clientIssuer !== undefined && isSameIssuer(clientIssuer, target.issuer, target.exceptions),
      isOpenToAll: options.client === undefined,
      confirmIssuer: options.confirmIssuer,
    };
    return {
      uri: attempt.uri,
      async run(identity, isStored) {
        isClientStored = isStored;
        await recordRedirect(origin);
        return requestTokensWithCode(target, identity, watched, scopes, signal, (response, given) =>
          checkResponseOrigin(origin, response, given),
        );
      },
      hasMissedCallback: () => hasMissedCallback,
      close: () => attempt.close(),
    };
  });
}
