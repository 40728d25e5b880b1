import { TenonError } from '../jsonrpc/error.js';
import { reachOfHost } from './addresses.js';
import type { Authorizer } from './authorizer.js';
import { byStrategy } from './by-strategy.js';
import { type ClientCredentials, identify } from './client-auth.js';
import { checkDocumentUrl } from './client-document.js';
import type { Tokens, Vault } from './credentials.js';
import { byAuthorizationCode } from './grants/authorization-code.js';
import type { Place } from './place.js';
import type { Redirect } from './redirect.js';
import { readRegistered, registered, registrationKey, takesDocuments } from './registration.js';
import { type AuthorizerOptions, type Setting, scopesOf, settingOf } from './setting.js';
import { createSignInCounter, type SignInCounter, type SignInLimits } from './sign-in-limit.js';
import type { Strategy } from './strategy.js';

/** A client that was registered by hand. */
export interface KnownClient extends Omit<ClientCredentials, 'method'> {
  /** The authorization server that knows it; no other is shown its credentials. Default: the first that it is used with. */
  readonly issuer?: string | undefined;
}

export interface SignInOptions extends AuthorizerOptions {
  /** How the user gets to the page of the authorization server: `loopbackRedirect()`, `pasteRedirect({ ask })`. */
  readonly redirect?: Redirect | undefined;
  readonly client?: KnownClient | undefined;
  /**
   * The URL of a document that describes this client: an `https:` URL with a path, where `client_id` is that URL,
   * beside `client_name` and `redirect_uris`.
   */
  readonly clientMetadataUrl?: string | undefined;
  /** The private key to the `jwks` of that document, where it has one. */
  readonly clientKey?: ClientCredentials['key'];
  /** What users are shown where the client registers itself. Default `MCP client`. */
  readonly clientName?: string | undefined;
  readonly clientUri?: string | undefined;
  /** Whether to ask for tokens that can be renewed in the absence of the user, where that is a scope. Default `true`. */
  readonly offline?: boolean | undefined;
  readonly limits?: SignInLimits | undefined;
}

/**
 * Signs a user in when the server asks for it: finds the authorization server, makes itself known there, sends the user
 * to its page, and keeps the tokens good from then on. Where it fails the call rejects with an `auth/…` error.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization
 */
export function signIn(options: SignInOptions = {}): Authorizer {
  const setting = settingOf(options);
  if (options.clientMetadataUrl !== undefined) checkDocumentUrl(options.clientMetadataUrl);
  return byStrategy(interactive(options, setting), setting);
}

function interactive(options: SignInOptions, { vault, clock }: Setting): Strategy {
  const { client, clientMetadataUrl, redirect } = options;
  const counter = createSignInCounter(options.limits ?? {}, clock);
  return {
    client: client?.id ?? clientMetadataUrl ?? 'registered',
    issuer: client?.issuer,
    given: client !== undefined,
    scopes: scopesOf(options.scope),
    offline: options.offline ?? true,
    interactive: true,
    async obtain(place, scopes, signal) {
      if (!redirect) throw needsUser(place);
      return throughBrowser(options, countPages(redirect, counter, place.server), vault, place, scopes, signal);
    },
    async identify(place) {
      const known = stated(options, place) ?? readRegistered(await vault.get(registrationKey(place.issuer)), 0);
      return known && identify(place.as, known);
    },
    async forget({ issuer }) {
      if (!client) await vault.update(registrationKey(issuer), async () => ({ next: null, result: undefined }));
    },
  };
}

/** Counts a page when it is about to be opened: what fails before that is not the user's concern. */
function countPages(redirect: Redirect, counter: SignInCounter, server: string): Redirect {
  return {
    async begin(known, signal) {
      const attempt = await redirect.begin(known, signal);
      return {
        uri: attempt.uri,
        async authorize(url, given) {
          counter.count(server);
          return attempt.authorize(url, given);
        },
        close: () => attempt.close(),
      };
    },
  };
}

async function throughBrowser(
  options: SignInOptions,
  redirect: Redirect,
  vault: Vault,
  place: Place,
  scopes: readonly string[],
  signal: AbortSignal,
): Promise<Tokens> {
  const before = readRegistered(await vault.get(registrationKey(place.issuer)), place.clock.now());
  const attempt = await redirect.begin(before?.redirects ?? [], signal);
  try {
    checkRedirect(attempt.uri);
    const client = stated(options, place) ?? (await itself(options, vault, place, attempt.uri, signal));
    return await byAuthorizationCode(place, await identify(place.as, client), attempt, scopes, signal);
  } catch (error) {
    // A server that has lost its clients: the next sign-in begins with a new registration.
    const lost = TenonError.is(error) && (error.data as { error?: string } | undefined)?.error === 'invalid_client';
    if (lost && !options.client)
      await vault.update(registrationKey(place.issuer), async () => ({ next: null, result: 0 }));
    throw error;
  } finally {
    await attempt.close();
  }
}

/** The client that was registered by hand, else the document that describes it where such are taken. */
function stated(options: SignInOptions, place: Place): ClientCredentials | undefined {
  const { client, clientMetadataUrl, clientKey } = options;
  if (client) return client;
  if (clientMetadataUrl === undefined || !takesDocuments(place.as)) return undefined;
  return { id: clientMetadataUrl, ...(clientKey === undefined ? {} : { key: clientKey }) };
}

async function itself(options: SignInOptions, vault: Vault, place: Place, uri: string, signal: AbortSignal) {
  if (place.as.metadata.registration_endpoint === undefined) throw noClient(options, place);
  const facts = { name: options.clientName ?? 'MCP client', uri: options.clientUri };
  return registered(place, vault, facts, uri, signal);
}

function noClient({ clientMetadataUrl }: SignInOptions, { issuer }: Place): TenonError {
  const tried = clientMetadataUrl === undefined ? 'clients do not register themselves' : 'it takes no documents either';
  return new TenonError('auth/no-client', `the authorization server knows no client of this program: ${tried}`, {
    peer: issuer.slice(0, 200),
    next: 'register a client there by hand, and give `client: { id, issuer }`',
  });
}

function needsUser({ issuer }: Place): TenonError {
  return new TenonError('auth/needs-user', 'somebody has to sign in, and there is no way to ask', {
    peer: issuer.slice(0, 200),
    next: 'give `redirect`: loopbackRedirect() of tenon/auth/node, or pasteRedirect({ ask })',
  });
}

/** Codes come back to this machine, or over TLS. */
function checkRedirect(uri: string): void {
  const url = new URL(uri);
  if (url.protocol === 'https:' || (url.protocol === 'http:' && reachOfHost(url.hostname) === 'loopback')) return;
  throw new TenonError('auth/redirect-uri', 'codes may not come back to this address', {
    expected: 'https:, or http: on loopback',
    got: uri.slice(0, 200),
  });
}
