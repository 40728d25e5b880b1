import * as oauth from 'oauth4webapi';
import { TenonError } from '../../jsonrpc/error.js';

/** A refusal of a token endpoint: what it said by `error`. */
export const getOauthErrorCode = (error: unknown): string | undefined => {
  if (error instanceof oauth.ResponseBodyError) return error.error;
  if (!(error instanceof oauth.WWWAuthenticateChallengeError)) return undefined;
  return error.status === 401 ? 'invalid_client' : error.cause[0]?.parameters.error;
};

/**
 * Converts an error of an authorization server. What `oauth4webapi` throws stays behind: it holds the whole answer,
 * tokens and codes included.
 */
export function toAuthError(error: unknown, issuer: string, action: string): TenonError {
  if (TenonError.is(error)) return error;
  const peer = issuer.slice(0, 200);
  const errorCode = getOauthErrorCode(error);
  if (errorCode !== undefined) {
    const described = error instanceof oauth.ResponseBodyError ? error.error_description : undefined;
    const status = (error as { status?: number }).status;
    const got = [sanitizeServerText(errorCode), described && sanitizeServerText(described)].filter(Boolean).join(': ');
    const details = {
      peer,
      received: got,
      status,
      hint: getHint(errorCode),
      data: { error: sanitizeServerText(errorCode) },
    };
    return new TenonError('auth/refused', `the authorization server rejected ${action}`, details);
  }
  const reason = error instanceof Error ? sanitizeServerText(error.message) : undefined;
  return new TenonError('auth/bad-answer', `invalid response to ${action}`, { peer, received: reason });
}

function getHint(error: string): string | undefined {
  if (error === 'invalid_client') return 'check the credentials of the client';
  if (error === 'invalid_target') return 'ask the operator of the authorization server to allow tokens for this server';
  if (error === 'invalid_scope') return 'request other scopes with the option `scopes`';
  if (error === 'access_denied') return 'sign in again and grant access';
  return undefined;
}

/** Text of a server, for people: short, on one line, and without anything that could be a token. */
export function sanitizeServerText(text: string): string {
  return text
    .replace(/[^\x20-\x7e\u00a0-\uffff]/g, ' ')
    .replace(/[\w\-.~+/=]{24,}/g, '…')
    .slice(0, 200);
}

/** Does a request to an authorization server, and once more when it wants another nonce in the proof. */
export async function retryWithNonce<T>(request: () => Promise<T>): Promise<T> {
  try {
    return await request();
  } catch (error) {
    if (!oauth.isDPoPNonceError(error)) throw error;
    return request();
  }
}
