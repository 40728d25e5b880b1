import { isObject, stripInvisible } from '@tenon/base';
import type { JSONWebKeySet } from 'jose';
import type { JsonObject } from 'tenon';
import { OauthError } from '../oauth-error.js';
import { type ClientAuthMethod, type OauthClient, USER_GRANTS } from './client.js';
import { isLoopbackUri, isRedirectUri } from './redirect-uri.js';

const MAX_REDIRECTS = 20;
const MAX_NAME_LENGTH = 100;
const MAX_KEYS = 10;

/**
 * Parses the client metadata of a registration or a document.
 *
 * @throws OauthError for invalid metadata.
 */
export function parseClientMetadata(
  metadata: JsonObject,
  id: string,
  schemes: readonly string[],
  methods: readonly ClientAuthMethod[],
): OauthClient {
  const method = metadata.token_endpoint_auth_method ?? methods[0];
  if (!methods.includes(method as ClientAuthMethod))
    throw createMetadataError(`token_endpoint_auth_method must be of ${methods}`);
  const types = metadata.response_types ?? ['code'];
  if (!Array.isArray(types) || !types.every(type => type === 'code'))
    throw createMetadataError('response_types must be ["code"]');
  const jwks = parseKeys(metadata, method === 'private_key_jwt');
  return {
    id,
    name: parseName(metadata.client_name) ?? id.slice(0, MAX_NAME_LENGTH),
    redirects: parseRedirects(metadata, schemes),
    methods: [method as ClientAuthMethod],
    grants: parseGrants(metadata.grant_types),
    trusted: false,
    ...(jwks ? { jwks } : {}),
  };
}

/** Parses a name. Removes invisible characters, because they could disguise it. */
function parseName(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const characters = [...stripInvisible(value.normalize('NFC')).trim()];
  const name = characters.slice(0, MAX_NAME_LENGTH).join('');
  return name === '' ? undefined : name;
}

/**
 * Parses redirect URIs. Without `application_type`, the URIs determine the type.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization/client-registration
 */
function parseRedirects(
  { redirect_uris: uris, application_type: type }: JsonObject,
  schemes: readonly string[],
): string[] {
  const isValid = Array.isArray(uris) && uris.length > 0 && uris.length <= MAX_REDIRECTS;
  if (!isValid || !uris.every(uri => typeof uri === 'string')) {
    throw new OauthError('invalid_redirect_uri', `redirect_uris must be a list of 1 to ${MAX_REDIRECTS} URIs`);
  }
  const kind = type ?? (uris.every(uri => uri.startsWith('https:') && !isLoopbackUri(uri)) ? 'web' : 'native');
  if (kind !== 'web' && kind !== 'native') throw createMetadataError('application_type must be "web" or "native"');
  if (uris.every(uri => isRedirectUri(uri, kind, schemes))) return uris;
  throw new OauthError(
    'invalid_redirect_uri',
    kind === 'web'
      ? 'Redirect URIs of a "web" application must be https: and not on loopback; register as "native" for that'
      : 'Redirect URIs of a "native" application must be https:, http: on loopback, or of a scheme with a dot',
  );
}

/** Parses grant types. Clients that register themselves cannot have `client_credentials`. */
function parseGrants(value: unknown): string[] {
  const given = value ?? USER_GRANTS.slice(0, 1);
  const list = Array.isArray(given) ? given : [];
  const grants = USER_GRANTS.filter(grant => list.includes(grant));
  if (!grants.includes('authorization_code')) throw createMetadataError('grant_types must have "authorization_code"');
  return grants;
}

function parseKeys({ jwks }: JsonObject, needed: boolean): JSONWebKeySet | undefined {
  if (!needed) return undefined;
  const keys = isObject(jwks) && Array.isArray(jwks.keys) ? jwks.keys : [];
  const isValid = keys.length > 0 && keys.length <= MAX_KEYS && keys.every(key => isObject(key) && key.kty !== 'oct');
  if (!isValid || keys.some(key => key.d !== undefined))
    throw createMetadataError('private_key_jwt needs `jwks` with public keys');
  return { keys };
}

function createMetadataError(reason: string): OauthError {
  return new OauthError('invalid_client_metadata', reason);
}
