import { createLocalJWKSet, decodeJwt, jwtVerify } from 'jose';
import type { Client, ClientMethod } from './client.js';
import type { Clients } from './clients.js';
import { type Asked, single } from './exchange.js';
import type { Settings } from './options.js';
import { PROOF_ALGORITHMS } from './possession.js';
import { Refusal } from './refusal.js';
import { hashed, isSecret } from './secrets.js';

const ASSERTION = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
/** How far ahead the end of an assertion may be, in seconds. */
const MAX_LIFE = 600;

/** Who asks for a token, as the request has it. */
interface Shown {
  readonly method: ClientMethod;
  readonly id: string;
  readonly proof: string | undefined;
}

/** A client that has shown who it is. */
export interface AuthenticatedClient {
  readonly client: Client;
  /**
   * Uses up the assertion that the client has shown, so that it is good once. Called only for requests that have an effect:
   * anybody may register a client and sign assertions, and must not fill the store with them. Throws a `Refusal`.
   */
  useProof(): Promise<void>;
}

/** Finds out which client asks, and that it is that. Throws a `Refusal`. https://www.rfc-editor.org/rfc/rfc6749#section-2.3 */
export async function readCaller(asked: Asked, clients: Clients, settings: Settings): Promise<AuthenticatedClient> {
  const { id, method, proof } = shownBy(asked);
  const basic = method === 'client_secret_basic';
  const client = await clients.find(id);
  if (!client?.methods.includes(method)) throw stranger(basic);
  if (method === 'private_key_jwt') {
    const assertion = await readAssertion(proof ?? '', client, settings);
    if (assertion === undefined) throw stranger(basic);
    return { client, useProof: () => useAssertion(assertion, settings) };
  }
  if (method !== 'none' && !(await isSecret(proof, client.secretHash))) throw stranger(basic);
  return { client, useProof: async () => {} };
}

function shownBy({ form, header }: Asked): Shown {
  const authorization = header('authorization');
  const [secret, assertion, id] = ['client_secret', 'client_assertion', 'client_id'].map(name => single(form, name));
  if ([authorization, secret, assertion].filter(each => each !== undefined).length > 1) {
    throw new Refusal('invalid_request', 'The client shows in more than one way who it is');
  }
  if (authorization !== undefined) return byHeader(authorization, id);
  if (assertion !== undefined) {
    if (single(form, 'client_assertion_type') !== ASSERTION) throw stranger(false);
    const named = subjectOf(assertion);
    if (named === undefined || (id !== undefined && id !== named)) throw stranger(false);
    return { method: 'private_key_jwt', id: named, proof: assertion };
  }
  if (id === undefined) throw stranger(false);
  return { method: secret === undefined ? 'none' : 'client_secret_post', id, proof: secret };
}

function byHeader(authorization: string, named: string | undefined): Shown {
  const [, encoded = ''] = /^Basic +([\w+/=-]+)$/i.exec(authorization) ?? [];
  const [id = '', ...rest] = decoded(encoded).split(':');
  const [plainId, plainSecret] = [id, rest.join(':')].map(unescaped) as [string, string];
  if (plainId === '' || (named !== undefined && named !== plainId)) throw stranger(true);
  return { method: 'client_secret_basic', id: plainId, proof: plainSecret };
}

function decoded(text: string): string {
  try {
    return atob(text);
  } catch {
    return '';
  }
}

/** https://www.rfc-editor.org/rfc/rfc6749#appendix-B */
function unescaped(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}

function subjectOf(assertion: string): string | undefined {
  try {
    return decodeJwt(assertion).sub;
  } catch {
    return undefined;
  }
}

interface Assertion {
  readonly key: string;
  /** Time in ms until it ends. */
  readonly left: number;
}

/** https://www.rfc-editor.org/rfc/rfc7523#section-3 */
async function readAssertion(assertion: string, client: Client, settings: Settings): Promise<Assertion | undefined> {
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
    const left = Number(payload.exp) * 1_000 - settings.clock.now();
    if (left > MAX_LIFE * 1_000 || Array.isArray(payload.aud)) return undefined;
    return { key: `issuer/assertion/${await hashed(`${client.id} ${payload.jti}`)}`, left };
  } catch {
    return undefined;
  }
}

async function useAssertion({ key, left }: Assertion, { values }: Settings): Promise<void> {
  if ((await values.put(key, {}, { version: 0, ttl: left + 1 })) === undefined) throw stranger(false);
}

function stranger(basic: boolean): Refusal {
  const headers = basic ? { 'www-authenticate': 'Basic realm="token endpoint"' } : {};
  return new Refusal('invalid_client', 'The client is not known, or not shown to be it', 401, headers);
}
