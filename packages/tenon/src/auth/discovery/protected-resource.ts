import { TenonError } from '../../jsonrpc/error.js';
import type { JsonObject } from '../../jsonrpc/message.js';
import { type GuardedFetch, shown } from '../guarded-fetch.js';
import { readDocument } from './document.js';

/** What a protected resource says of itself, as far as a client needs it. https://www.rfc-editor.org/rfc/rfc9728 */
export interface ProtectedResource {
  /** As it was given, to the byte: authorization servers compare it so. */
  readonly resource: string;
  readonly issuers: readonly string[];
  readonly scopes: readonly string[] | undefined;
}

const WELL_KNOWN = '/.well-known/oauth-protected-resource';
/** Authorization servers that are looked at. */
const MAX_ISSUERS = 20;

/** Where the metadata of a server may be when it does not say: for its path first, then for its root. */
export function resourceMetadataUrls(server: string): string[] {
  const { origin, pathname, search } = new URL(server);
  const root = origin + WELL_KNOWN;
  return pathname === '/' ? [root] : [root + pathname + search, root];
}

/**
 * Fetches the metadata of a server: from the URL that it named, else from the well-known ones. `undefined` when it has
 * none. Rejects with `auth/no-resource-metadata`, `auth/resource-mismatch`, `auth/no-issuer`.
 */
export async function findProtectedResource(
  server: string,
  named: string | undefined,
  fetch: GuardedFetch,
  signal: AbortSignal | undefined,
): Promise<ProtectedResource | undefined> {
  for (const url of named === undefined ? resourceMetadataUrls(server) : [named]) {
    const document = await readDocument(url, fetch, signal);
    if (document && typeof document.resource === 'string') return read(document, server, url);
  }
  if (named === undefined) return undefined;
  throw new TenonError('auth/no-resource-metadata', 'there is no metadata of the protected resource', {
    peer: shown(named),
    next: 'the server names this URL in its challenge; whoever runs it must serve the document there',
  });
}

function read(document: JsonObject, server: string, url: string): ProtectedResource {
  const resource = document.resource as string;
  if (!isFor(resource, server)) {
    throw new TenonError('auth/resource-mismatch', 'the metadata is that of another resource', {
      peer: shown(url),
      expected: shown(server),
      got: shown(resource),
      next: 'a token for another resource is not asked for; whoever runs the server must correct `resource`',
    });
  }
  const issuers = strings(document.authorization_servers)?.slice(0, MAX_ISSUERS) ?? [];
  if (issuers.length > 0) return { resource, issuers, scopes: strings(document.scopes_supported) };
  throw new TenonError('auth/no-issuer', 'the metadata of the resource names no authorization server', {
    peer: shown(url),
    expected: '`authorization_servers`',
  });
}

/** Whether a resource is the server, or the origin or the part of its path that the server is in. */
export function isFor(resource: string, server: string): boolean {
  let claimed: URL;
  try {
    claimed = new URL(resource);
  } catch {
    return false;
  }
  const actual = new URL(server);
  if (claimed.origin !== actual.origin || claimed.hash !== '' || resource.includes('#')) return false;
  if (claimed.username || claimed.password) return false;
  if (claimed.search !== '' && claimed.search !== actual.search) return false;
  const path = claimed.pathname.replace(/\/$/, '');
  return actual.pathname === path || actual.pathname.startsWith(`${path}/`);
}

function strings(value: unknown): string[] | undefined {
  return Array.isArray(value) ? value.filter(each => typeof each === 'string') : undefined;
}

/** The resource of a server that has no metadata. https://www.rfc-editor.org/rfc/rfc8707#section-2 */
export function canonicalResource(server: string): string {
  const url = new URL(server);
  url.hash = '';
  return url.pathname === '/' && url.search === '' ? url.origin : url.href;
}
