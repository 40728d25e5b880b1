import { isObject, type JsonObject } from '../../jsonrpc/message.js';
import type { Client } from './client.js';
import { readMetadata } from './client-metadata.js';
import { type Answer, type Asked, json, UNKEPT } from './exchange.js';
import type { Settings } from './options.js';
import { Refusal } from './refusal.js';
import { REGISTRATION_TTL } from './registrations.js';
import { hashed, randomText } from './secrets.js';

/** Characters of JSON that may be kept of one client. */
const MAX_REGISTRATION = 16 * 1024;

/** Registers a client that asks for it. https://www.rfc-editor.org/rfc/rfc7591#section-3 */
export async function register(asked: Asked, { registrations, schemes, clock }: Settings): Promise<Answer> {
  const metadata = asked.json;
  if (!isObject(metadata)) throw new Refusal('invalid_client_metadata', 'The body must be a JSON object');
  const methods = ['client_secret_basic', 'client_secret_post', 'none', 'private_key_jwt'] as const;
  const id = registrations.createId();
  const client = readMetadata(metadata, id, schemes, methods);
  const secret = client.methods[0]?.startsWith('client_secret') ? randomText() : undefined;
  const stored = { ...client, ...(secret === undefined ? {} : { secretHash: await hashed(secret) }) };
  if (JSON.stringify(stored).length > MAX_REGISTRATION) {
    throw new Refusal('invalid_client_metadata', `The metadata must have at most ${MAX_REGISTRATION} characters`);
  }
  await registrations.add(stored);
  return json(
    201,
    { ...described(client, metadata, clock.now()), ...shownSecret(secret, clock.now() + REGISTRATION_TTL) },
    UNKEPT,
  );
}

function described(client: Client, { application_type: type }: JsonObject, now: number): JsonObject {
  return {
    client_id: client.id,
    client_id_issued_at: Math.floor(now / 1_000),
    client_name: client.name,
    redirect_uris: client.redirects,
    token_endpoint_auth_method: client.methods[0],
    grant_types: client.grants,
    response_types: ['code'],
    ...(type === undefined ? {} : { application_type: type }),
    ...(client.jwks ? { jwks: client.jwks } : {}),
  };
}

function shownSecret(secret: string | undefined, end: number): JsonObject {
  if (secret === undefined) return {};
  return { client_secret: secret, client_secret_expires_at: Math.floor(end / 1_000) };
}
