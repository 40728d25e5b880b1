import type { AuthorizationServer } from 'oauth4webapi';
import { TenonError } from '../../jsonrpc/error.js';
import type { JsonObject } from '../../jsonrpc/message.js';
import { type GuardedFetch, shown } from '../guarded-fetch.js';
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
    throw new TenonError('auth/issuer-mismatch', 'the metadata is that of another authorization server', {
      peer: shown(url),
      expected: id.slice(0, 200),
      got: String(document.issuer).slice(0, 200),
      next: 'the two must be the same to the letter: a slash at the end counts',
    });
  }
  throw missing(id);
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
 * The authorization server of a server that has no metadata of its own: its origin, with the endpoints that it names
 * there, else the default ones. What the document gives itself out for decides nothing: it is the origin that is trusted.
 */
export async function issuerAtOrigin(
  server: string,
  version: string | undefined,
  fetch: GuardedFetch,
  signal: AbortSignal | undefined,
): Promise<Issuer> {
  const { origin } = new URL(server);
  const headers: Record<string, string> = version === undefined ? {} : { 'mcp-protocol-version': version };
  const document = await readDocument(origin + OAUTH, fetch, signal, headers);
  return { id: origin, metadata: document ? named(document, origin) : defaults(origin) };
}

function named(document: JsonObject, origin: string): AuthorizationServer {
  const issuer = typeof document.issuer === 'string' ? document.issuer : origin;
  return { ...document, issuer };
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
