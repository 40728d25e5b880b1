import * as oauth from 'oauth4webapi';
import { TenonError } from '../jsonrpc/error.js';

/** A refusal of a token endpoint: what it said by `error`. */
export const refusalOf = (error: unknown): string | undefined => {
  if (error instanceof oauth.ResponseBodyError) return error.error;
  if (!(error instanceof oauth.WWWAuthenticateChallengeError)) return undefined;
  return error.status === 401 ? 'invalid_client' : error.cause[0]?.parameters.error;
};

/**
 * What went wrong at an authorization server, in an error of ours. What `oauth4webapi` throws stays behind: it holds
 * the whole answer, tokens and codes included.
 */
export function authError(error: unknown, issuer: string, doing: string): TenonError {
  if (TenonError.is(error)) return error;
  const peer = issuer.slice(0, 200);
  const refusal = refusalOf(error);
  if (refusal !== undefined) {
    const described = error instanceof oauth.ResponseBodyError ? error.error_description : undefined;
    const status = (error as { status?: number }).status;
    const got = [legible(refusal), described && legible(described)].filter(Boolean).join(': ');
    const facts = { peer, got, status, next: adviceOn(refusal), data: { error: legible(refusal) } };
    return new TenonError('auth/refused', `${doing} was refused`, facts);
  }
  const why = error instanceof Error ? legible(error.message) : undefined;
  return new TenonError('auth/bad-answer', `the answer to ${doing} can not be used`, { peer, got: why });
}

function adviceOn(error: string): string | undefined {
  if (error === 'invalid_client') return 'the authorization server does not know the client by these credentials';
  if (error === 'invalid_target') return 'the authorization server gives no tokens for this server';
  if (error === 'invalid_scope') return 'ask for other scopes by `scope`';
  if (error === 'access_denied') return 'sign in again when access is wanted after all';
  return undefined;
}

/** Text of a server, for people: short, on one line, and without anything that could be a token. */
export function legible(text: string): string {
  return text
    .replace(/[^\x20-\x7e\u00a0-\uffff]/g, ' ')
    .replace(/[\w\-.~+/=]{24,}/g, '…')
    .slice(0, 200);
}

/** Does a request to an authorization server, and once more when it wants another nonce in the proof. */
export async function withNonce<T>(request: () => Promise<T>): Promise<T> {
  try {
    return await request();
  } catch (error) {
    if (!oauth.isDPoPNonceError(error)) throw error;
    return request();
  }
}
