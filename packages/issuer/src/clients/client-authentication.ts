import { type AuthHttpRequest, getParameter } from '@tenon/base/oauth';
import { createLocalJWKSet, decodeJwt, jwtVerify } from 'jose';
import { PROOF_ALGORITHMS } from '../dpop-proof.js';
import { OauthError } from '../oauth-error.js';
import type { IssuerSettings } from '../options.js';
import { hashSecret, isMatchingSecret } from '../secrets.js';
import type { ClientAuthMethod, OauthClient } from './client.js';
import type { ClientRegistry } from './client-registry.js';

const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
/** Maximum remaining lifetime of an assertion, in seconds. */
const MAX_ASSERTION_LIFETIME = 600;

/** Client and credential that a request contains. */
interface PresentedClient {
  readonly method: ClientAuthMethod;
  readonly id: string;
  readonly credential: string | undefined;
}

/** Client whose credential was verified. */
export interface AuthenticatedClient {
  readonly client: OauthClient;
  /**
   * Marks the assertion of the client as used, so that it is accepted once. Called only for requests with an effect.
   * Otherwise anyone could register a client, sign assertions, and fill the store.
   *
   * @throws OauthError for an assertion that was used before.
   */
  useProof(): Promise<void>;
}

/**
 * Authenticates the client of a request.
 *
 * @throws OauthError for an unknown client or an invalid credential.
 * @see https://www.rfc-editor.org/rfc/rfc6749#section-2.3
 */
export async function authenticateClient(
  request: AuthHttpRequest,
  clients: ClientRegistry,
  settings: IssuerSettings,
): Promise<AuthenticatedClient> {
  if (request.form.toString() === '')
    throw new OauthError('invalid_request', 'The body must be a form: application/x-www-form-urlencoded');
  const { id, method, credential } = readPresentedClient(request);
  const basic = method === 'client_secret_basic';
  const client = await clients.find(id);
  if (!client?.methods.includes(method)) throw createUnknownClientError(basic);
  if (method === 'private_key_jwt') {
    const assertion = await verifyAssertion(credential ?? '', client, settings);
    if (assertion === undefined) throw createUnknownClientError(basic);
    return { client, useProof: () => markAssertionUsed(assertion, settings) };
  }
  if (method !== 'none' && !isMatchingSecret(credential, client.secretHash)) throw createUnknownClientError(basic);
  return { client, useProof: async () => {} };
}

function readPresentedClient({ form, header }: AuthHttpRequest): PresentedClient {
  const authorization = header('authorization');
  const [secret, assertion, id] = ['client_secret', 'client_assertion', 'client_id'].map(name =>
    getParameter(form, name),
  );
  if ([authorization, secret, assertion].filter(each => each !== undefined).length > 1) {
    throw new OauthError('invalid_request', 'The request has several kinds of client authentication');
  }
  if (authorization !== undefined) return parseBasicCredentials(authorization, id);
  if (assertion !== undefined) {
    if (getParameter(form, 'client_assertion_type') !== ASSERTION_TYPE) throw createUnknownClientError(false);
    const subject = readSubject(assertion);
    if (subject === undefined || (id !== undefined && id !== subject)) throw createUnknownClientError(false);
    return { method: 'private_key_jwt', id: subject, credential: assertion };
  }
  if (id === undefined) throw createUnknownClientError(false);
  return { method: secret === undefined ? 'none' : 'client_secret_post', id, credential: secret };
}

function parseBasicCredentials(authorization: string, expectedId: string | undefined): PresentedClient {
  const [, encoded = ''] = /^Basic +([\w+/=-]+)$/i.exec(authorization) ?? [];
  const [id = '', ...rest] = decodeBase64(encoded).split(':');
  const [plainId, plainSecret] = [id, rest.join(':')].map(decodeFormValue) as [string, string];
  if (plainId === '' || (expectedId !== undefined && expectedId !== plainId)) throw createUnknownClientError(true);
  return { method: 'client_secret_basic', id: plainId, credential: plainSecret };
}

function decodeBase64(text: string): string {
  try {
    return atob(text);
  } catch {
    return '';
  }
}

/**
 * Decodes a form-encoded value.
 *
 * @see https://www.rfc-editor.org/rfc/rfc6749#appendix-B
 */
function decodeFormValue(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}

function readSubject(assertion: string): string | undefined {
  try {
    return decodeJwt(assertion).sub;
  } catch {
    return undefined;
  }
}

interface VerifiedAssertion {
  readonly key: string;
  /** Remaining lifetime, in milliseconds. */
  readonly remaining: number;
}

/**
 * Verifies a signed assertion.
 *
 * @see https://www.rfc-editor.org/rfc/rfc7523#section-3
 */
async function verifyAssertion(
  assertion: string,
  client: OauthClient,
  settings: IssuerSettings,
): Promise<VerifiedAssertion | undefined> {
  if (client.jwks === undefined) return undefined;
  try {
    const { payload } = await jwtVerify(assertion, createLocalJWKSet(client.jwks), {
      algorithms: PROOF_ALGORITHMS,
      issuer: client.id,
      subject: client.id,
      audience: [settings.issuer, `${settings.origin}${settings.path}/token`],
      requiredClaims: ['exp', 'jti'],
      currentDate: new Date(settings.clock.now()),
    });
    const remaining = Number(payload.exp) * 1_000 - settings.clock.now();
    if (remaining > MAX_ASSERTION_LIFETIME * 1_000 || Array.isArray(payload.aud)) return undefined;
    return { key: `issuer/assertion/${hashSecret(`${client.id} ${payload.jti}`)}`, remaining };
  } catch {
    return undefined;
  }
}

async function markAssertionUsed({ key, remaining }: VerifiedAssertion, { values }: IssuerSettings): Promise<void> {
  if ((await values.put(key, {}, { version: 0, ttl: remaining + 1 })) === undefined)
    throw createUnknownClientError(false);
}

function createUnknownClientError(basic: boolean): OauthError {
  const headers = basic ? { 'www-authenticate': 'Basic realm="token endpoint"' } : {};
  return new OauthError('invalid_client', 'The client is unknown, or its credential is wrong', 401, headers);
}
