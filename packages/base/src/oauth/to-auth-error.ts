import { TenonError } from '../errors/error.js';
import { isTemporaryStatus } from '../errors/temporary-status.js';
import { isObject } from '../json/json-object.js';
import { isTemporaryError } from './classify-failure.js';
import { EndpointError, getEndpointFailure } from './request-endpoint.js';

/** Returns the OAuth error code of an error, before or after its conversion. */
export function getOauthErrorCode(error: unknown): string | undefined {
  const failure = getEndpointFailure(error);
  if (failure?.error !== undefined) return failure.error;
  const data = TenonError.is(error) && isObject(error.data) ? error.data : {};
  return typeof data.error === 'string' ? data.error : undefined;
}

/**
 * Converts an error of an authorization server. Its HTTP status stays in the text: `status` of an error is that of the
 * MCP server, from which a client infers the transport and the protocol version.
 *
 * The original error is not kept as the cause, because it may contain the whole response with tokens and codes.
 */
export function toAuthError(error: unknown, issuer: string, action: string): TenonError {
  if (TenonError.is(error)) return error;
  const peer = issuer.slice(0, 200);
  if (error instanceof EndpointError) return describeFailure(error, peer, action);
  return new TenonError('auth/bad-answer', `invalid response to ${action}`, {
    peer,
    received: error instanceof Error ? sanitizeServerText(error.message) : undefined,
    hint: BAD_ANSWER_HINT,
  });
}

const BAD_ANSWER_HINT = 'try again, or ask the operator of the authorization server';

function describeFailure({ failure, reason }: EndpointError, peer: string, action: string): TenonError {
  const { status, error, description, retryAfter } = failure;
  if (status !== undefined && isTemporaryStatus(status)) {
    const wait = retryAfter === undefined ? 'later' : `in ${Math.ceil(retryAfter / 1_000)} s`;
    return new TenonError('auth/unreachable', `the authorization server cannot handle ${action} now`, {
      peer,
      received: `HTTP ${status}`,
      hint: `try again ${wait}`,
      ...(retryAfter === undefined ? {} : { data: { retryAfterMs: retryAfter } }),
    });
  }
  if (error !== undefined) {
    const received = [error, description ?? ''].map(sanitizeServerText).filter(Boolean).join(': ');
    const data = { error: sanitizeServerText(error) };
    return new TenonError('auth/refused', `the authorization server rejected ${action}`, {
      peer,
      received,
      hint: getHint(error),
      data,
    });
  }
  return new TenonError('auth/bad-answer', `invalid response to ${action}`, {
    peer,
    received: reason === undefined ? `HTTP ${status}` : sanitizeServerText(reason),
    hint: BAD_ANSWER_HINT,
  });
}

function getHint(error: string): string | undefined {
  if (error === 'invalid_client') return 'check the credentials of the client';
  if (error === 'invalid_target') return 'ask the operator of the authorization server to allow tokens for this server';
  if (error === 'invalid_scope') return 'request other scopes with the option `scopes`';
  if (error === 'access_denied') return 'sign in again and grant access';
  if (error === 'invalid_grant') return 'sign in again';
  if (isTemporaryError(error)) return 'try again later';
  return undefined;
}

/** Shortens a text of a server to one line of 200 characters, without parts that could be a token. */
export function sanitizeServerText(text: string): string {
  return text
    .replace(/[^\x20-\x7e\u00a0-\uffff]/g, ' ')
    .replace(/[\w\-.~+/=]{24,}/g, '…')
    .slice(0, 200);
}
