import { splitScopes } from '../scopes.js';
import type { Client } from './client.js';
import { single } from './exchange.js';
import type { Settings } from './options.js';
import { isLoopbackUri } from './redirect-uri.js';
import { Refusal } from './refusal.js';

/** What a client asks a user for. */
export interface Wish {
  readonly client: string;
  readonly redirect: string;
  readonly state?: string;
  readonly scopes: readonly string[];
  readonly resource: string;
  readonly challenge: string;
  /** The key that tokens are to be bound to, when it is known already. */
  readonly jkt?: string;
}

const KNOWN =
  'response_type client_id redirect_uri state scope resource code_challenge code_challenge_method response_mode prompt dpop_jkt request request_uri nonce';
const MAX_STATE = 4_096;

/** Reads what a known client asks for, to be answered at a URI that is its own. Throws a `Refusal`. */
export function readWish(query: URLSearchParams, client: Client, redirect: string, settings: Settings): Wish {
  const twice = KNOWN.split(' ').find(name => query.getAll(name).length > 1);
  if (twice !== undefined) {
    throw new Refusal(
      twice === 'resource' ? 'invalid_target' : 'invalid_request',
      `"${twice}" stands in the request more than once`,
    );
  }
  const state = query.get('state') ?? undefined;
  if (state !== undefined && state.length > MAX_STATE) throw new Refusal('invalid_request', 'The state is too long');
  checkKind(query, client);
  const jkt = query.get('dpop_jkt') ?? undefined;
  return {
    client: client.id,
    redirect,
    ...(state === undefined ? {} : { state }),
    scopes: readScopes(query.get('scope'), settings),
    resource: readResource(query, settings),
    challenge: readChallenge(query),
    ...(jkt === undefined ? {} : { jkt }),
  };
}

function checkKind(query: URLSearchParams, client: Client): void {
  if (query.has('request')) throw new Refusal('request_not_supported', 'Request objects are not supported');
  if (query.has('request_uri')) throw new Refusal('request_uri_not_supported', 'Request URIs are not supported');
  if (query.get('response_type') !== 'code') throw new Refusal('unsupported_response_type', 'It must be "code"');
  if ((query.get('response_mode') ?? 'query') !== 'query') {
    throw new Refusal('invalid_request', 'Only the response mode "query" is supported');
  }
  if (!client.grants.includes('authorization_code')) {
    throw new Refusal('unauthorized_client', 'The client is not one that users sign in to');
  }
  if (query.get('prompt') === 'none') throw new Refusal('interaction_required', 'A user is always asked');
}

/** https://www.rfc-editor.org/rfc/rfc7636#section-4.2 */
function readChallenge(query: URLSearchParams): string {
  const challenge = single(query, 'code_challenge');
  if (challenge === undefined) throw new Refusal('invalid_request', 'PKCE is needed: code_challenge is missing');
  if (query.get('code_challenge_method') !== 'S256') {
    throw new Refusal('invalid_request', 'code_challenge_method must be "S256"');
  }
  if (!/^[\w-]{43}$/.test(challenge)) throw new Refusal('invalid_request', 'code_challenge is no SHA-256');
  return challenge;
}

/** https://www.rfc-editor.org/rfc/rfc8707#section-2 */
export function readResource(fields: URLSearchParams, { mayBeFor }: Settings): string {
  const resource = single(fields, 'resource');
  if (resource === undefined) throw new Refusal('invalid_target', 'One "resource" is needed: the URL of the server');
  if (!mayBeFor(resource)) throw new Refusal('invalid_target', 'Tokens are not issued for this resource');
  return resource;
}

/** `offline_access` says what is done anyway, where the client is one that refreshes. */
export function readScopes(text: string | null | undefined, { scopes }: Settings): string[] {
  const asked = splitScopes(text ?? '').filter(scope => scope !== 'offline_access');
  if (asked.every(scope => scopes.has(scope))) return asked;
  throw new Refusal('invalid_scope', 'There is no such scope');
}

/** Where an answer goes, with what a client tells it by. https://www.rfc-editor.org/rfc/rfc9207 */
export function answerUri(
  { redirect, state }: Pick<Wish, 'redirect' | 'state'>,
  issuer: string,
  answer: Readonly<Record<string, string>>,
): string {
  const all = { ...answer, ...(state === undefined ? {} : { state }), iss: issuer };
  return redirect + (redirect.includes('?') ? '&' : '?') + new URLSearchParams(all).toString();
}

/** Whether a browser may be sent there though nobody has agreed to anything: not to where just anybody wants it. */
export function mayReturn(client: Client, redirect: string): boolean {
  return client.trusted || isLoopbackUri(redirect);
}
