import { isObject, setNewest } from '@tenon/base';
import { type JsonObject, TenonError } from 'tenon';
import { OauthError } from '../oauth-error.js';
import type { IssuerSettings } from '../options.js';
import type { OauthClient } from './client.js';
import { parseClientMetadata } from './client-metadata.js';

/** Maximum length of a document, in characters. */
const MAX_DOCUMENT_LENGTH = 10 * 1024;
/** Default time for which a document is cached, in seconds. */
const DEFAULT_MAX_AGE = 300;
const MAX_MAX_AGE = 24 * 3600;
/** Maximum number of cached documents. */
const MAX_CACHED = 1_000;

type ClientCache = Map<string, { client: OauthClient; expiresAt: number }>;

/**
 * Fetches the metadata of a client whose ID is the URL of a document.
 *
 * @throws OauthError for an invalid URL or document.
 * @see https://datatracker.ietf.org/doc/draft-ietf-oauth-client-id-metadata-document/
 */
export async function getDocumentedClient(
  id: string,
  settings: IssuerSettings,
  cache: ClientCache,
): Promise<OauthClient> {
  const { clock, redirectSchemes } = settings;
  const cached = cache.get(id);
  if (cached && cached.expiresAt > clock.now()) return cached.client;
  cache.delete(id);
  checkClientUrl(id, settings);
  const { document, maxAge } = await fetchClientDocument(id, settings);
  const client = parseClientDocument(document, id, redirectSchemes);
  if (maxAge > 0) setNewest(cache, id, { client, expiresAt: clock.now() + maxAge * 1_000 }, MAX_CACHED);
  return client;
}

/**
 * Checks the URL of a metadata document. Client IDs are compared as strings, so only the normalized form of a URL is
 * accepted.
 */
function checkClientUrl(id: string, { guard, isAllowedDocument }: IssuerSettings): void {
  try {
    const url = guard.check(id, 'the id of a client');
    const plain = url.href === id && !id.includes('#') && url.pathname !== '/' && id.length <= 2_048;
    if (plain && isAllowedDocument(url)) return;
  } catch {
    // The reason is not reported, because it would reveal hosts of this network.
  }
  throw new OauthError('invalid_client', 'This URL cannot be the id of a client');
}

async function fetchClientDocument(
  id: string,
  settings: IssuerSettings,
): Promise<{ document: JsonObject; maxAge: number }> {
  try {
    const response = await settings.fetch(id, { headers: { accept: 'application/json' } });
    const text = await response.text();
    const value: unknown = response.status === 200 && text.length <= MAX_DOCUMENT_LENGTH ? JSON.parse(text) : undefined;
    if (isObject(value)) return { document: value, maxAge: parseMaxAge(response.headers.get('cache-control') ?? '') };
  } catch (cause) {
    settings.report(
      new TenonError('auth/unreachable', 'cannot read the metadata document of a client', {
        received: id.slice(0, 200),
        hint: 'allow requests to this URL, or pass `clientMetadataDocuments: false`, so that clients register instead',
        cause,
      }),
    );
  }
  throw new OauthError('invalid_client', 'The document of the client cannot be read');
}

/**
 * Parses `cache-control`.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9111#section-5.2.2
 */
function parseMaxAge(control: string): number {
  if (/(^|[,\s])no-(store|cache)\b/i.test(control)) return 0;
  const [, age] = /(?:^|[,\s])max-age="?(\d+)/i.exec(control) ?? [];
  return Math.min(age === undefined ? DEFAULT_MAX_AGE : Number(age), MAX_MAX_AGE);
}

function parseClientDocument(document: JsonObject, id: string, schemes: readonly string[]): OauthClient {
  if (document.client_id !== id) throw new OauthError('invalid_client', 'The document names another client_id');
  if (typeof document.client_name !== 'string')
    throw new OauthError('invalid_client', 'The document has no client_name');
  if ('client_secret' in document || 'client_secret_expires_at' in document) {
    throw new OauthError('invalid_client', 'The document of a client is public: it must have no secret');
  }
  return parseClientMetadata(document, id, schemes, ['none', 'private_key_jwt']);
}
