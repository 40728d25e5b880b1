import type { JSONWebKeySet } from 'jose';
import { isObject, type JsonObject } from '../../jsonrpc/message.js';
import { BY_USER, type Client, type ClientMethod } from './client.js';
import { isLoopbackUri, isRedirectUri } from './redirect-uri.js';
import { Refusal } from './refusal.js';

const MAX_REDIRECTS = 20;
const MAX_NAME = 100;
const MAX_KEYS = 10;

/** What both a registration and a document say of a client, checked. Throws a `Refusal`. */
export function readMetadata(
  metadata: JsonObject,
  id: string,
  schemes: readonly string[],
  methods: readonly ClientMethod[],
): Client {
  const method = metadata.token_endpoint_auth_method ?? methods[0];
  if (!methods.includes(method as ClientMethod)) throw invalid(`token_endpoint_auth_method must be of ${methods}`);
  const types = metadata.response_types ?? ['code'];
  if (!Array.isArray(types) || !types.every(type => type === 'code')) throw invalid('response_types must be ["code"]');
  const jwks = keysOf(metadata, method === 'private_key_jwt');
  return {
    id,
    name: nameOf(metadata.client_name) ?? id.slice(0, MAX_NAME),
    redirects: redirectsOf(metadata, schemes),
    methods: [method as ClientMethod],
    grants: grantsOf(metadata.grant_types),
    trusted: false,
    ...(jwks ? { jwks } : {}),
  };
}

/** Controls, and what turns the direction of writing, could make a name look like something else. */
function nameOf(given: unknown): string | undefined {
  if (typeof given !== 'string') return undefined;
  const name = given
    .normalize('NFC')
    .replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '')
    .trim()
    .slice(0, MAX_NAME);
  return name === '' ? undefined : name;
}

/** Who says nothing of its type is taken by its URIs. https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization/client-registration */
function redirectsOf(
  { redirect_uris: uris, application_type: type }: JsonObject,
  schemes: readonly string[],
): string[] {
  const fit = Array.isArray(uris) && uris.length > 0 && uris.length <= MAX_REDIRECTS;
  if (!fit || !uris.every(uri => typeof uri === 'string')) {
    throw new Refusal('invalid_redirect_uri', `redirect_uris must be a list of 1 to ${MAX_REDIRECTS} URIs`);
  }
  const kind = type ?? (uris.every(uri => uri.startsWith('https:') && !isLoopbackUri(uri)) ? 'web' : 'native');
  if (kind !== 'web' && kind !== 'native') throw invalid('application_type must be "web" or "native"');
  if (uris.every(uri => isRedirectUri(uri, kind, schemes))) return uris;
  throw new Refusal(
    'invalid_redirect_uri',
    kind === 'web'
      ? 'Redirect URIs of a "web" application must be https: and not on loopback; register as "native" for that'
      : 'Redirect URIs of a "native" application must be https:, http: on loopback, or of a scheme with a dot',
  );
}

/** Nobody gets tokens of their own by registering. */
function grantsOf(given: unknown = BY_USER.slice(0, 1)): string[] {
  const list = Array.isArray(given) ? given : [];
  const grants = BY_USER.filter(grant => list.includes(grant));
  if (!grants.includes('authorization_code')) throw invalid('grant_types must have "authorization_code"');
  return grants;
}

function keysOf({ jwks }: JsonObject, needed: boolean): JSONWebKeySet | undefined {
  if (!needed) return undefined;
  const keys = isObject(jwks) && Array.isArray(jwks.keys) ? jwks.keys : [];
  const fit = keys.length > 0 && keys.length <= MAX_KEYS && keys.every(key => isObject(key) && key.kty !== 'oct');
  if (!fit || keys.some(key => key.d !== undefined)) throw invalid('private_key_jwt needs `jwks` with public keys');
  return { keys };
}

function invalid(why: string): Refusal {
  return new Refusal('invalid_client_metadata', why);
}
