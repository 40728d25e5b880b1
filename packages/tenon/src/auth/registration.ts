import * as oauth from 'oauth4webapi';
import { TenonError } from '../jsonrpc/error.js';
import { reachOfHost } from './addresses.js';
import type { ClientCredentials } from './client-auth.js';
import { asSecret, type Secret, type Vault, type VaultKey } from './credentials.js';
import type { Issuer } from './discovery/authorization-server.js';
import { authError } from './judgement.js';
import { type Place, requestOptions } from './place.js';

/** What a client that registers itself says of itself. */
export interface ClientFacts {
  readonly name: string;
  readonly uri?: string | undefined;
}

/** A client that registered itself, as it is kept. */
export interface Registered extends ClientCredentials {
  readonly redirects: readonly string[];
}

const SECOND = 1_000;

/** Registered clients are kept by the issuer that knows them, and shown to no other. */
export const registrationKey = (issuer: string): VaultKey => ['client', issuer];

/** The registration at an issuer, when there is one that is still good. */
export function readRegistered(secret: Secret | undefined, now: number): Registered | undefined {
  if (!secret || typeof secret.id !== 'string' || !Array.isArray(secret.redirects)) return undefined;
  const { id, secret: word, method, expires } = secret;
  if (typeof expires === 'number' && expires <= now) return undefined;
  return {
    id,
    redirects: secret.redirects.filter(each => typeof each === 'string'),
    ...(typeof word === 'string' ? { secret: word } : {}),
    ...(typeof method === 'string' ? { method } : {}),
  };
}

/** The registration that holds for a redirect URI: the one that is kept, or a new one. https://www.rfc-editor.org/rfc/rfc7591 */
export async function registered(
  place: Place,
  vault: Vault,
  facts: ClientFacts,
  redirect: string,
  signal: AbortSignal,
): Promise<Registered> {
  return vault.update(registrationKey(place.issuer), async before => {
    const known = readRegistered(before, place.clock.now());
    if (known?.redirects.includes(redirect)) return { result: known };
    const next = await register(place, facts, redirect, signal);
    return { next, result: readRegistered(next, 0) as Registered };
  });
}

async function register(place: Place, facts: ClientFacts, redirect: string, signal: AbortSignal): Promise<Secret> {
  const { metadata } = place.as;
  const wanted = {
    client_name: facts.name,
    ...(facts.uri === undefined ? {} : { client_uri: facts.uri }),
    redirect_uris: [redirect],
    application_type: isNative(redirect) ? 'native' : 'web',
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: methodFor(metadata.token_endpoint_auth_methods_supported),
  };
  try {
    const response = await oauth.dynamicClientRegistrationRequest(metadata, wanted, requestOptions(place, signal));
    const client = await oauth.processDynamicClientRegistrationResponse(await conforming(response));
    const { client_id: id, client_secret: secret, client_secret_expires_at: until } = client;
    const method = client.token_endpoint_auth_method ?? wanted.token_endpoint_auth_method;
    return asSecret({
      id,
      redirects: [redirect],
      ...(secret === undefined ? {} : { secret }),
      ...(typeof until === 'number' && until > 0 ? { expires: until * SECOND } : {}),
      ...(typeof method === 'string' ? { method } : {}),
    });
  } catch (error) {
    throw refused(authError(error, place.issuer, 'the registration of the client'), redirect);
  }
}

function refused(error: TenonError, redirect: string): TenonError {
  if (error.code !== 'auth/refused' && error.code !== 'auth/bad-answer') return error;
  const next = error.got?.startsWith('invalid_redirect_uri')
    ? `the authorization server does not take ${redirect} to come back to: register a client there by hand, and give it with its redirect URI`
    : 'register a client there by hand, and give `client: { id }`';
  return new TenonError('auth/registration', 'the authorization server does not register the client', {
    peer: error.peer,
    got: error.got,
    status: error.status,
    next,
  });
}

/** Some servers answer 200, or say nothing of the end of a secret. */
async function conforming(response: Response): Promise<Response> {
  if (response.status !== 200 && response.status !== 201) return response;
  const body = (await response.json()) as Record<string, unknown>;
  const end = body?.client_secret === undefined ? {} : { client_secret_expires_at: 0 };
  return new Response(JSON.stringify({ ...end, ...body }), {
    status: 201,
    headers: { 'content-type': 'application/json' },
  });
}

/** A public client needs no secret to keep; where none may be public, one is taken. */
function methodFor(listed: readonly string[] | undefined): string {
  const known = ['none', 'client_secret_basic', 'client_secret_post'];
  return known.find(method => listed?.includes(method) ?? true) ?? 'none';
}

/** https://openid.net/specs/openid-connect-registration-1_0.html#ClientMetadata */
function isNative(redirect: string): boolean {
  const { protocol, hostname } = new URL(redirect);
  return protocol !== 'https:' || reachOfHost(hostname) === 'loopback';
}

/** Whether an issuer takes the URL of a document for the id of a client. */
export function takesDocuments({ metadata }: Issuer): boolean {
  return metadata.client_id_metadata_document_supported === true;
}
