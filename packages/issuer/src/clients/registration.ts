import { createRandomText, isObject } from '@tenon/base';
import { type AuthHttpRequest, type AuthHttpResponse, createJsonResponse, NO_STORE_HEADERS } from '@tenon/base/oauth';
import type { JsonObject } from 'tenon';
import { OauthError } from '../oauth-error.js';
import type { IssuerSettings } from '../options.js';
import { hashSecret } from '../secrets.js';
import type { OauthClient } from './client.js';
import { parseClientMetadata } from './client-metadata.js';
import { REGISTRATION_TTL } from './registration-store.js';

/** Maximum length of a stored client, in characters of JSON. */
const MAX_REGISTRATION_LENGTH = 16 * 1024;

/**
 * Handles a client registration.
 *
 * @see https://www.rfc-editor.org/rfc/rfc7591#section-3
 */
export async function handleRegistration(
  request: AuthHttpRequest,
  { registrations, redirectSchemes, isAllowedRedirect, clock }: IssuerSettings,
): Promise<AuthHttpResponse> {
  const metadata = request.json;
  if (!isObject(metadata)) throw new OauthError('invalid_client_metadata', 'The body must be a JSON object');
  const methods = ['client_secret_basic', 'client_secret_post', 'none', 'private_key_jwt'] as const;
  const id = registrations.createId();
  const described = parseClientMetadata(metadata, id, redirectSchemes, methods);
  const client = { ...described, redirects: described.redirects.filter(uri => isAllowedRedirect(uri, id)) };
  if (client.redirects.length === 0)
    throw new OauthError('invalid_redirect_uri', 'This server does not allow these redirect URIs');
  const secret = client.methods[0]?.startsWith('client_secret') ? createRandomText() : undefined;
  const stored = { ...client, ...(secret === undefined ? {} : { secretHash: hashSecret(secret) }) };
  if (JSON.stringify(stored).length > MAX_REGISTRATION_LENGTH) {
    throw new OauthError(
      'invalid_client_metadata',
      `The metadata must have at most ${MAX_REGISTRATION_LENGTH} characters`,
    );
  }
  await registrations.add(stored);
  return createJsonResponse(
    201,
    {
      ...describeRegistration(client, metadata, clock.now()),
      ...describeSecret(secret, clock.now() + REGISTRATION_TTL),
    },
    NO_STORE_HEADERS,
  );
}

function describeRegistration(client: OauthClient, { application_type: type }: JsonObject, now: number): JsonObject {
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

function describeSecret(secret: string | undefined, expiresAt: number): JsonObject {
  if (secret === undefined) return {};
  return { client_secret: secret, client_secret_expires_at: Math.floor(expiresAt / 1_000) };
}
