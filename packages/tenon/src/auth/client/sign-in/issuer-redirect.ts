import { hashSha256, isLoopbackHost, TenonError } from '@tenon/base';
import { doesSendIssuer } from '../../oauth/authorization-server.js';
import type { AuthTarget } from '../auth-target.js';
import type { TokenStore, TokenStoreKey } from '../token-store.js';

/** Authorization server that the user confirms, because the response does not tell where it comes from. */
export interface IssuerConfirmation {
  /** URL of the MCP server. */
  readonly server: string;
  /** Issuer that gets the code of the response. */
  readonly issuer: string;
  /**
   * Host of the issuer, to show to the user. It includes the path of an issuer that has one, such as
   * `login.example.com/tenant-a`, because other issuers may have the same host.
   */
  readonly host: string;
}

/**
 * Asks the user if the sign-in page that they have just used is that of `host`. Resolves with true if it is.
 *
 * Show the host. Another authorization server may have sent the response, and its code would reach this issuer.
 */
export type ConfirmIssuer = (confirmation: IssuerConfirmation, signal: AbortSignal) => boolean | Promise<boolean>;

/** Length of the path segment of an issuer, in characters: 132 bits. */
const SEGMENT_LENGTH = 22;

/** Returns the path segment that only the redirect URI of this issuer has. */
export const getIssuerPath = (issuer: string): string => hashSha256(issuer).slice(0, SEGMENT_LENGTH);

/** Redirect URI of a sign-in, and the means to tell which authorization server a response comes from. */
export interface ResponseOrigin {
  readonly redirectUri: string;
  readonly target: AuthTarget;
  readonly tokenStore: TokenStore;
  /** True if the user named this issuer, so that the code can reach no other. */
  readonly isIssuerConfigured: boolean;
  /**
   * True if the client needs no registration by hand. An authorization server that this program does not know may then
   * accept the redirect URI too.
   */
  readonly isOpenToAll: boolean;
  readonly confirmIssuer: ConfirmIssuer | undefined;
}

/**
 * Stores that the issuer uses the redirect URI. A redirect URI of the issuer alone is not stored, and neither is an
 * issuer that sends `iss`, because its responses cannot be taken for those of another.
 */
export async function recordRedirect({ redirectUri, target, tokenStore }: ResponseOrigin): Promise<void> {
  const { issuer, authorizationServer } = target;
  if (isOwnRedirect(redirectUri, issuer) || doesSendIssuer(authorizationServer)) return;
  await tokenStore.update(getRedirectKey(redirectUri), async stored => {
    const issuers = parseIssuers(stored?.issuers);
    // Two issuers are enough to know that the redirect URI is shared.
    const isKnown = issuers.includes(issuer) || issuers.length > 1;
    return isKnown ? { result: undefined } : { next: { issuers: [...issuers, issuer] }, result: undefined };
  });
}

/**
 * Checks that a response without `iss` comes from the issuer of the sign-in. Otherwise an issuer could redirect the
 * browser to the page of another authorization server, and receive that server's code (mix-up).
 *
 * A redirect URI of the issuer alone proves it. For a shared one, the user confirms the issuer.
 *
 * @param response Redirect URL, or its query alone, which the user pasted.
 * @throws TenonError `auth/shared-redirect`, `auth/issuer-not-confirmed`, `auth/callback`
 * @see https://www.rfc-editor.org/rfc/rfc9700#section-4.4.2
 */
export async function checkResponseOrigin(
  origin: ResponseOrigin,
  response: URL | string,
  signal: AbortSignal,
): Promise<void> {
  const { redirectUri, target, tokenStore, confirmIssuer } = origin;
  if (origin.isIssuerConfigured) return;
  const hasLocation = String(response).includes('://');
  if (hasLocation && isOwnRedirect(redirectUri, target.issuer)) return;
  const isShared = parseIssuers((await tokenStore.get(getRedirectKey(redirectUri)))?.issuers).some(
    issuer => issuer !== target.issuer,
  );
  if (hasLocation && !isShared && !(origin.isOpenToAll && confirmIssuer)) return;
  if (confirmIssuer === undefined) throw hasLocation ? createSharedError(origin) : createNoLocationError(origin);
  const { host, pathname } = new URL(target.issuer);
  const shown = pathname === '/' ? host : `${host}${pathname}`;
  if ((await confirmIssuer({ server: target.server, issuer: target.issuer, host: shown }, signal)) === true) return;
  throw new TenonError('auth/issuer-not-confirmed', 'the user did not confirm the authorization server', {
    peer: target.issuer.slice(0, 200),
    hint: 'sign in again, and use only pages of this issuer, because another page may be part of an attack',
  });
}

function isOwnRedirect(redirectUri: string, issuer: string): boolean {
  return new URL(redirectUri).pathname.endsWith(`/${getIssuerPath(issuer)}`);
}

/** Authorization servers ignore the port of a redirect URI on loopback (RFC 8252), so its key does not contain it. */
function getRedirectKey(redirectUri: string): TokenStoreKey {
  const url = new URL(redirectUri);
  if (url.protocol === 'http:' && isLoopbackHost(url.hostname)) url.port = '';
  return ['redirect', url.href];
}

function parseIssuers(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter(each => typeof each === 'string') : [];
}

function createSharedError({ redirectUri, target }: ResponseOrigin): TenonError {
  return new TenonError(
    'auth/shared-redirect',
    'the response has no `iss`, and another authorization server uses the same redirect URI',
    {
      peer: target.issuer.slice(0, 200),
      expected: 'a redirect URI of this authorization server alone',
      received: redirectUri.slice(0, 200),
      hint: 'remove the `uri` or `path` of the redirect, or append `issuerPath` to it, or pass `client` with its `issuer`, or pass `confirmIssuer`',
    },
  );
}

function createNoLocationError({ redirectUri, target }: ResponseOrigin): TenonError {
  return new TenonError('auth/callback', 'the pasted text does not tell which authorization server it comes from', {
    peer: target.issuer.slice(0, 200),
    expected: `a URL that begins with ${redirectUri}`,
    hint: 'sign in again, and copy the whole URL from the address bar',
  });
}
