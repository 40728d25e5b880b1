import * as oauth from 'oauth4webapi';
import { TenonError } from '../../jsonrpc/error.js';

/** Returns the OAuth error code of a response. */
export const getOauthErrorCode = (error: unknown): string | undefined => {
  if (error instanceof oauth.ResponseBodyError) return error.error;
  if (!(error instanceof oauth.WWWAuthenticateChallengeError)) return undefined;
  return error.status === 401 ? 'invalid_client' : error.cause[0]?.parameters.error;
};

/**
 * Converts an error of an authorization server. The error of `oauth4webapi` is not kept as the cause, because it
 * contains the whole response with tokens and codes.
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
  return new TenonError('auth/bad-answer', `invalid response to ${action}`, {
    peer,
    received: reason,
    hint: 'try again, or ask the operator of the authorization server',
  });
}

function getHint(error: string): string | undefined {
  if (error === 'invalid_client') return 'check the credentials of the client';
  if (error === 'invalid_target') return 'ask the operator of the authorization server to allow tokens for this server';
  if (error === 'invalid_scope') return 'request other scopes with the option `scopes`';
  if (error === 'access_denied') return 'sign in again and grant access';
  return undefined;
}

/** Shortens a text of a server to one line of 200 characters, without parts that could be a token. */
export function sanitizeServerText(text: string): string {
  return text
    .replace(/[^\x20-\x7e\u00a0-\uffff]/g, ' ')
    .replace(/[\w\-.~+/=]{24,}/g, '…')
    .slice(0, 200);
}

/**
 * Sends a request to an authorization server, and repeats it once when the server requires another nonce in the proof.
 */
export async function retryWithNonce<T>(request: () => Promise<T>): Promise<T> {
  try {
    return await request();
  } catch (error) {
    if (!oauth.isDPoPNonceError(error)) throw error;
    return request();
  }
}
