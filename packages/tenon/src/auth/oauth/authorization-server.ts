import { type GuardedFetch, type JsonObject, parseUrl, redactUrl, TenonError, type UrlGuard } from '@tenon/base';
import type { AuthorizationServer } from 'oauth4webapi';
import { fetchMetadataDocument } from './metadata-document.js';
import { AUTHORIZATION_SERVER_PATH } from './well-known-paths.js';

/** Authorization server and its metadata. */
export interface AuthorizationServerInfo {
  /** Key for stored credentials: the issuer that the resource names, or the origin of a server without metadata. */
  readonly id: string;
  readonly metadata: AuthorizationServer;
  /** Identifier whose well-known URL has the metadata, if it differs from `id`. */
  readonly location?: string;
}

const OPENID_PATH = '/.well-known/openid-configuration';

/** Returns the possible URLs of an issuer's metadata, in the order of lookup. */
export function getIssuerMetadataUrls(issuer: string): string[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  if (path === '') return [origin + AUTHORIZATION_SERVER_PATH, origin + OPENID_PATH];
  return [origin + AUTHORIZATION_SERVER_PATH + path, origin + OPENID_PATH + path, origin + path + OPENID_PATH];
}

/**
 * Checks the `issuer` of metadata at the well-known URL of `location`. Returns the `id` of the authorization server.
 * Returns `undefined` to refuse it.
 */
export type AcceptMetadata = (document: JsonObject, location: string) => string | undefined;

/**
 * Fetches the metadata of an issuer that a protected resource names. Rejects metadata with another `issuer`, because an
 * attacker could otherwise impersonate this issuer and receive its codes.
 *
 * @param accept Checks the issuer. Default: it must be identical to `id`.
 * @throws TenonError `auth/no-issuer-metadata`, `auth/issuer-mismatch`
 * @see https://www.rfc-editor.org/rfc/rfc8414#section-3.3
 */
export async function fetchIssuerMetadata(
  id: string,
  fetch: GuardedFetch,
  signal: AbortSignal | undefined,
  accept: AcceptMetadata = ({ issuer }, location) => (issuer === location ? location : undefined),
): Promise<AuthorizationServerInfo> {
  if (!parseUrl(id)) throw createMissingError(id);
  for (const url of getIssuerMetadataUrls(id)) {
    const document = await fetchMetadataDocument(url, fetch, signal);
    if (!document) continue;
    const accepted = accept(document, id);
    if (accepted === undefined) throw createMismatchError(url, id, document);
    const location = accepted === id ? {} : { location: id };
    return { id: accepted, metadata: document as AuthorizationServer, ...location };
  }
  throw createMissingError(id);
}

function createMismatchError(url: string, expected: string, { issuer }: JsonObject): TenonError {
  const received = String(issuer).slice(0, 200);
  const isSlash = received === `${expected}/` || expected === `${received}/`;
  const attack = 'an attacker could impersonate this authorization server otherwise';
  return new TenonError('auth/issuer-mismatch', 'the metadata names another authorization server', {
    peer: redactUrl(url),
    expected: expected.slice(0, 200),
    received,
    hint: isSlash
      ? `ask the operator to make both values identical, including the slash, because ${attack}; if you trust this server, set its \`exceptions.ignoreIssuerSlash\``
      : `ask the operator to make both values identical, because ${attack}; if you trust this issuer for this server, set its \`exceptions.issuer\``,
  });
}

function createMissingError(id: string): TenonError {
  return new TenonError('auth/no-issuer-metadata', 'authorization server metadata not found', {
    peer: redactUrl(id),
    expected: 'a document as in RFC 8414 or OpenID Connect Discovery',
  });
}

/**
 * Finds the authorization server of an MCP server without protected-resource metadata: it is on the server's own
 * origin. Without a metadata document there, the default endpoints are used.
 *
 * The `issuer` of the document must be on the same origin. Otherwise the server could impersonate another authorization
 * server and receive its codes.
 *
 * @throws TenonError `auth/issuer-mismatch`, `auth/foreign-endpoint`
 * @see https://modelcontextprotocol.io/specification/2025-03-26/basic/authorization
 */
export async function fetchIssuerAtOrigin(
  server: string,
  protocolVersion: string | undefined,
  fetch: GuardedFetch,
  guard: UrlGuard,
  signal: AbortSignal | undefined,
): Promise<AuthorizationServerInfo> {
  const { origin } = new URL(server);
  const headers: Record<string, string> =
    protocolVersion === undefined ? {} : { 'mcp-protocol-version': protocolVersion };
  const document = await fetchMetadataDocument(origin + AUTHORIZATION_SERVER_PATH, fetch, signal, headers);
  if (!document) {
    const metadata = {
      issuer: origin,
      authorization_endpoint: `${origin}/authorize`,
      token_endpoint: `${origin}/token`,
      registration_endpoint: `${origin}/register`,
      code_challenge_methods_supported: ['S256'],
    };
    return { id: origin, metadata };
  }
  // Existing servers add a slash or a path: `https://example.com/oauth`. Only the origin is compared.
  if (parseUrl(String(document.issuer))?.origin !== origin)
    throw createMismatchError(origin + AUTHORIZATION_SERVER_PATH, origin, document);
  const issuer = { id: origin, metadata: document as AuthorizationServer };
  checkEndpointOrigins(issuer, guard);
  return issuer;
}

/** Endpoints that receive the user, the client registration, codes or tokens. */
export const ENDPOINT_FIELDS = [
  'authorization_endpoint',
  'device_authorization_endpoint',
  'token_endpoint',
  'registration_endpoint',
  'revocation_endpoint',
] as const;

/**
 * Checks that all endpoints are on the issuer's origin. Otherwise an issuer could combine the sign-in page of another
 * authorization server with its own token endpoint, and receive that server's codes.
 *
 * @throws TenonError `auth/unsafe-url`, `auth/foreign-endpoint`
 * @see https://www.rfc-editor.org/rfc/rfc9207#section-1
 */
export function checkEndpointOrigins({ id, metadata }: AuthorizationServerInfo, guard: UrlGuard): void {
  const { origin } = new URL(id);
  for (const name of ENDPOINT_FIELDS) {
    const endpoint = metadata[name] ?? undefined;
    if (endpoint === undefined) continue;
    if (guard.check(endpoint, `\`${name}\` of the authorization server`).origin === origin) continue;
    throw new TenonError(
      'auth/foreign-endpoint',
      `the authorization server metadata has a \`${name}\` of another origin`,
      {
        peer: redactUrl(id),
        expected: `an endpoint on ${origin.slice(0, 200)}`,
        received: redactUrl(endpoint),
        hint: 'register a client there and pass `client: { id, issuer }` if you trust this authorization server',
      },
    );
  }
}

/**
 * Tells if the issuer adds `iss` to authorization responses, so that the client can detect a response of another
 * issuer.
 */
export function doesSendIssuer({ metadata }: AuthorizationServerInfo): boolean {
  return metadata.authorization_response_iss_parameter_supported === true;
}
