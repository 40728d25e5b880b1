import { type GuardedFetch, type JsonObject, parseUrl, redactUrl, TenonError } from '@tenon/base';
import { fetchMetadataDocument } from '../../oauth/metadata-document.js';
import { RESOURCE_METADATA_PATH } from '../../oauth/well-known-paths.js';
import type { AuthExceptions } from '../auth-exceptions.js';

/**
 * Metadata of a protected resource: the members that a client needs.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9728
 */
export interface ProtectedResourceInfo {
  /** Resource identifier, unchanged, because authorization servers compare it byte for byte. */
  readonly resource: string;
  /** Authorization servers, in the order of the metadata. It is empty only if the user has configured one for the server. */
  readonly issuers: readonly string[];
  /** Scopes of the resource. Undefined if the metadata has none. */
  readonly scopes: readonly string[] | undefined;
}

/** Maximum number of authorization servers that are read from the metadata. */
const MAX_ISSUERS = 20;

/** Returns the well-known URLs of a server's metadata: for its path, then for its root. */
export function getResourceMetadataUrls(server: string): string[] {
  const { origin, pathname, search } = new URL(server);
  const root = origin + RESOURCE_METADATA_PATH;
  return pathname === '/' ? [root] : [root + pathname + search, root];
}

/**
 * Fetches the metadata of a server from the URL in its challenge, else from the well-known URLs. Resolves with
 * `undefined` when the server has none.
 *
 * @throws TenonError `auth/no-resource-metadata`, `auth/resource-mismatch`, `auth/no-issuer`
 */
export async function fetchProtectedResource(
  server: string,
  metadataUrl: string | undefined,
  fetch: GuardedFetch,
  signal: AbortSignal | undefined,
  exceptions: AuthExceptions = {},
): Promise<ProtectedResourceInfo | undefined> {
  let document: JsonObject | undefined;
  for (const url of metadataUrl === undefined ? getResourceMetadataUrls(server) : [metadataUrl]) {
    document = await fetchMetadataDocument(url, fetch, signal);
    if (document && typeof document.resource === 'string')
      return parseProtectedResource(await confirmResource(document, server, url, fetch, signal), url, exceptions);
  }
  if (metadataUrl === undefined) return undefined;
  const [summary, task] = document
    ? ['the metadata of the resource has no `resource`', `to set it to ${redactUrl(server)}`]
    : [
        'protected resource metadata not found',
        'to serve the document at this URL: mount its handler at the root, not under a prefix',
      ];
  throw new TenonError('auth/no-resource-metadata', summary, {
    peer: redactUrl(metadataUrl),
    hint: `ask the operator of the server ${task}`,
  });
}

/**
 * Checks that a metadata document describes the server. For a parent resource, the well-known document of that parent
 * must confirm it. Otherwise one of several servers on an origin could claim the resource of the others and receive
 * their tokens.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9728#section-3.3
 */
async function confirmResource(
  document: JsonObject,
  server: string,
  url: string,
  fetch: GuardedFetch,
  signal: AbortSignal | undefined,
): Promise<JsonObject> {
  const resource = document.resource as string;
  const createMismatchError = (summary: string, hint: string) => {
    const expected = redactUrl(server);
    const claimed = redactUrl(resource);
    // Both texts are without the parts that may contain secrets, and may differ in nothing else.
    const received = claimed === expected ? `${claimed} with another query, fragment or user` : claimed;
    return new TenonError('auth/resource-mismatch', summary, { peer: redactUrl(url), expected, received, hint });
  };
  if (!isResourceOf(resource, server))
    throw createMismatchError(
      'the metadata describes another resource',
      'connect to the URL that the operator of the server published, or ask for a correction of its `resource`',
    );
  if (isResourceOf(getCanonicalResource(server), resource)) return document;
  const [ownUrl = ''] = getResourceMetadataUrls(resource);
  if (new URL(url).href === ownUrl) return document;
  const parent = await fetchMetadataDocument(ownUrl, fetch, signal);
  if (parent?.resource === resource) return parent;
  throw createMismatchError(
    'the metadata names a parent resource without matching metadata',
    `ask the operator to set \`resource\` to the server URL, or to serve the parent document at ${redactUrl(ownUrl)}`,
  );
}

function parseProtectedResource(document: JsonObject, url: string, { issuer }: AuthExceptions): ProtectedResourceInfo {
  const resource = document.resource as string;
  const issuers = readStrings(document.authorization_servers)?.slice(0, MAX_ISSUERS) ?? [];
  if (issuers.length > 0 || issuer !== undefined)
    return { resource, issuers, scopes: readStrings(document.scopes_supported) };
  throw new TenonError('auth/no-issuer', 'the metadata of the resource has no authorization server', {
    peer: redactUrl(url),
    expected: '`authorization_servers` with at least one URL',
    hint: 'ask the operator of the server to name it; if you know the authorization server of this server, set its `exceptions.issuer`',
  });
}

/** Tells if a resource is the server itself, or its origin or a parent path. */
export function isResourceOf(resource: string, server: string): boolean {
  const claimed = parseUrl(resource);
  if (!claimed) return false;
  const actual = new URL(server);
  if (claimed.origin !== actual.origin || claimed.hash !== '' || resource.includes('#')) return false;
  if (claimed.username || claimed.password) return false;
  if (claimed.search !== '' && claimed.search !== actual.search) return false;
  const path = claimed.pathname.replace(/\/$/, '');
  return actual.pathname === path || actual.pathname.startsWith(`${path}/`);
}

function readStrings(value: unknown): string[] | undefined {
  return Array.isArray(value) ? value.filter(each => typeof each === 'string') : undefined;
}

/**
 * Returns the resource identifier of a server that has no metadata.
 *
 * @see https://www.rfc-editor.org/rfc/rfc8707#section-2
 */
export function getCanonicalResource(server: string): string {
  const url = new URL(server);
  url.hash = '';
  return url.pathname === '/' && url.search === '' ? url.origin : url.href;
}
