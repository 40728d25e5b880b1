import type { JsonObject } from '../json/json-object.js';

/**
 * Removes the members that are `null`, and the named ones that are empty. Many servers send them in place of absent
 * members.
 */
export function dropEmptyMembers(body: JsonObject, mayBeEmpty: readonly string[] = []): JsonObject {
  return Object.fromEntries(
    Object.entries(body).filter(([name, value]) => value !== null && !(value === '' && mayBeEmpty.includes(name))),
  );
}

/** Converts the named members from text to numbers, if the text is a number. */
function parseNumberMembers(body: JsonObject, names: readonly string[]): JsonObject {
  const numbers = names.flatMap(name => {
    const value = body[name];
    return typeof value === 'string' && /^\d+(\.\d+)?$/.test(value) ? [[name, Number(value)] as const] : [];
  });
  return { ...body, ...Object.fromEntries(numbers) };
}

/**
 * Normalizes a token response. An absent `token_type` means Bearer, which is the only type that every server issues.
 *
 * @throws Error for an `expires_in` that is not a number
 */
export function normalizeTokenResponse(body: JsonObject): JsonObject {
  const present = dropEmptyMembers(body, ['refresh_token', 'scope', 'id_token']);
  const normalized = parseNumberMembers({ token_type: 'Bearer', ...present }, ['expires_in']);
  if (typeof (normalized.expires_in ?? 0) !== 'number') throw new Error('`expires_in` is not a number');
  return normalized;
}

/**
 * Normalizes a token response for a client that uses the access token only. It removes the ID token, because an invalid
 * one, or one of a clock that differs, says nothing about the access token.
 */
export function normalizeAccessTokenResponse({ id_token: _, ...body }: JsonObject): JsonObject {
  return normalizeTokenResponse(body);
}

/** Normalizes the response of a registration. A client without a secret is public. */
export function normalizeRegistrationResponse(body: JsonObject): JsonObject {
  const present = dropEmptyMembers(body, ['client_secret', 'client_secret_expires_at', 'token_endpoint_auth_method']);
  const normalized = parseNumberMembers(present, ['client_secret_expires_at']);
  return normalized.client_secret === undefined ? normalized : { client_secret_expires_at: 0, ...normalized };
}

/** Normalizes the response of a device authorization. */
export function normalizeDeviceResponse(body: JsonObject): JsonObject {
  return parseNumberMembers(dropEmptyMembers(body, ['verification_uri_complete']), ['expires_in', 'interval']);
}
