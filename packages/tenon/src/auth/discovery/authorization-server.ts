import type { AuthorizationServer } from 'oauth4webapi';
import { TenonError } from '../../jsonrpc/error.js';
import type { JsonObject } from '../../jsonrpc/message.js';
import { type GuardedFetch, shown } from '../guarded-fetch.js';
import type { UrlGuard } from '../url-guard.js';
import { readDocument } from './document.js';

/** An authorization server that has been looked up. */
export interface Issuer {
  /** By what its credentials are kept: the identifier that the resource names, or the origin of a server without metadata. */
  readonly id: string;
  readonly metadata: AuthorizationServer;
}

const OAUTH = '/.well-known/oauth-authorization-server';
const OPENID = '/.well-known/openid-configuration';

/** Where the metadata of an issuer may be, in the order in which it is looked for. */
export function issuerMetadataUrls(issuer: string): string[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  if (path === '') return [origin + OAUTH, origin + OPENID];
  return [origin + OAUTH + path, origin + OPENID + path, origin + path + OPENID];
}

/**
 * Fetches the metadata of an issuer that a protected resource names.
 * Rejects with `auth/no-issuer-metadata`, and with `auth/issuer-mismatch` when it is another's: one that could be taken
 * for this issuer would be given its codes. https://www.rfc-editor.org/rfc/rfc8414#section-3.3
 */
export async function findIssuer(id: string, fetch: GuardedFetch, signal: AbortSignal | undefined): Promise<Issuer> {
  for (const url of metadataUrlsOf(id)) {
    const document = await readDocument(url, fetch, signal);
    if (!document) continue;
    if (document.issuer === id) return { id, metadata: document as AuthorizationServer };
    throw mismatch(url, id, document);
  }
  throw missing(id);
}

function mismatch(url: string, expected: string, { issuer }: JsonObject): TenonError {
  return new TenonError('auth/issuer-mismatch', 'the metadata is that of another authorization server', {
    peer: shown(url),
    expected: expected.slice(0, 200),
    got: String(issuer).slice(0, 200),
    next: 'the two must be the same to the letter: a slash at the end counts',
  });
}

function metadataUrlsOf(id: string): string[] {
  try {
    return issuerMetadataUrls(id);
  } catch {
    throw missing(id);
  }
}

function missing(id: string): TenonError {
  return new TenonError('auth/no-issuer-metadata', 'the authorization server has no metadata', {
    peer: shown(id),
    expected: 'a document of RFC 8414 or of OpenID Connect Discovery',
  });
}

/**
 * Reads the authorization server of a server without protected-resource metadata: the server's own origin, with the
 * endpoints of the document there, else with the default ones. The `issuer` of the document must be on the origin. Otherwise
 * it could pass the answers of a foreign authorization server off as its own, and receive the codes.
 * Rejects with `auth/issuer-mismatch`, `auth/foreign-endpoint`.
 * https://modelcontextprotocol.io/specification/2025-03-26/basic/authorization
 */
export async function issuerAtOrigin(
  server: string,
  version: string | undefined,
  fetch: GuardedFetch,
  guard: UrlGuard,
  signal: AbortSignal | undefined,
): Promise<Issuer> {
  const { origin } = new URL(server);
  const headers: Record<string, string> = version === undefined ? {} : { 'mcp-protocol-version': version };
  const document = await readDocument(origin + OAUTH, fetch, signal, headers);
  if (!document) return { id: origin, metadata: defaults(origin) };
  // Servers in the field add a slash or a path: `https://example.com/oauth`. The origin is what is trusted.
  if (readOrigin(document.issuer) !== origin) throw mismatch(origin + OAUTH, origin, document);
  const issuer = { id: origin, metadata: document as AuthorizationServer };
  checkEndpoints(issuer, guard);
  return issuer;
}

function readOrigin(issuer: unknown): string | undefined {
  try {
    return new URL(String(issuer)).origin;
  } catch {
    return undefined;
  }
}

/** The endpoints that receive the user, the client's registration, codes or tokens. */
const ENDPOINTS = ['authorization_endpoint', 'token_endpoint', 'registration_endpoint', 'revocation_endpoint'] as const;

/**
 * Checks that all endpoints are on the issuer's origin. An issuer could name the sign-in page of a foreign authorization
 * server beside a token endpoint of its own, and so receive codes that are not for it.
 * Throws `auth/unsafe-url`, `auth/foreign-endpoint`. https://www.rfc-editor.org/rfc/rfc9207#section-1
 */
export function checkEndpoints({ id, metadata }: Issuer, guard: UrlGuard): void {
  const { origin } = new URL(id);
  for (const name of ENDPOINTS) {
    const endpoint = metadata[name] ?? undefined;
    if (endpoint === undefined) continue;
    if (guard.check(endpoint, `\`${name}\` of the authorization server`).origin === origin) continue;
    throw new TenonError('auth/foreign-endpoint', `the authorization server names a \`${name}\` of another origin`, {
      peer: shown(id),
      expected: `an endpoint on ${origin.slice(0, 200)}`,
      got: shown(endpoint),
      next: 'if you trust this authorization server, register a client there and pass `client: { id, issuer }`',
    });
  }
}

/** Tells whether the answers of an issuer name it, so that they cannot be passed off as those of another. */
export function sendsIssuer({ metadata }: Issuer): boolean {
  return metadata.authorization_response_iss_parameter_supported === true;
}

function defaults(origin: string): AuthorizationServer {
  return {
    issuer: origin,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    registration_endpoint: `${origin}/register`,
    code_challenge_methods_supported: ['S256'],
  };
}
