import { parseRetryAfter } from '../errors/retry-after.js';
import { isTemporaryStatus } from '../errors/temporary-status.js';
import { parseJsonObject } from '../json/parse-json.js';
import { parseChallenges } from './www-authenticate.js';

/** Response of a token endpoint, or of another endpoint of OAuth that answers in the same form. */
export interface EndpointResponse {
  readonly status: number;
  /** Body as text. Its content type does not matter, because many servers label JSON wrongly. */
  readonly body: string;
  /** Looks up a header by its lower-case name. */
  header(name: string): string | undefined;
}

/**
 * Consequence of a failure for the tokens of the client:
 * - `revoked`: the grant has ended. The refresh token is deleted, and the user signs in.
 * - `refused`: the server rejects this use of the refresh token for good. It is not sent again, and the user signs in.
 * - `unrecognized`: the answer is not one of OAuth, for example a page of a proxy. The user may sign in, and the refresh
 *   token stays.
 * - `temporary`: nothing changes. The same request may succeed later. A page in place of tokens counts as such.
 */
export type FailureVerdict = 'revoked' | 'refused' | 'unrecognized' | 'temporary';

/** Failed request to an endpoint of an authorization server. */
export interface EndpointFailure {
  readonly verdict: FailureVerdict;
  /** True if the authorization server does not know the client, or no longer lets it use this grant. */
  readonly isClientUnknown: boolean;
  /** True if the server requires another nonce in the DPoP proof. */
  readonly requiresNonce: boolean;
  /** HTTP status. Absent if there was no response. */
  readonly status?: number | undefined;
  /** OAuth error code. Absent if the response contains none. */
  readonly error?: string | undefined;
  /** `error_description` of the response. */
  readonly description?: string | undefined;
  /** Time after which the server answers again, in milliseconds, if it states one. */
  readonly retryAfter?: number | undefined;
}

/** Errors of RFC 6749, section 5.2, that repeating the same request cannot solve. */
const REFUSALS = new Set([
  'invalid_request',
  'invalid_client',
  'unauthorized_client',
  'unsupported_grant_type',
  'invalid_scope',
]);
/** Errors of the authorization server itself. */
const TEMPORARY_ERRORS = new Set<string | undefined>(['server_error', 'temporarily_unavailable']);
const UNKNOWN_CLIENT_ERRORS = new Set<string | undefined>(['invalid_client', 'unauthorized_client']);

/** Tells if an OAuth error code means that the authorization server itself failed, and the user denied nothing. */
export function isTemporaryError(error: string | undefined): boolean {
  return TEMPORARY_ERRORS.has(error);
}

/** Tells if an OAuth error code means that the authorization server does not know the client, or its grant. */
export function isUnknownClientError(error: string | undefined): boolean {
  return UNKNOWN_CLIENT_ERRORS.has(error);
}

/**
 * Classifies a response that is not the expected one. Status and body decide together: a server that is overloaded says
 * nothing about a token, and a proxy between the client and the server says nothing about it either.
 *
 * @see https://www.rfc-editor.org/rfc/rfc6749#section-5.2
 */
export function classifyFailure(response: EndpointResponse): EndpointFailure {
  const { status } = response;
  const challenges = parseChallenges(response.header('www-authenticate'));
  const body = status === 407 ? undefined : parseErrorBody(response.body);
  const error = body?.error ?? (status === 401 && challenges.length > 0 ? 'invalid_client' : undefined);
  // A page with a success status comes from a proxy, or from maintenance. Another sign-in would get it as well.
  const isPage = status >= 200 && status < 300 && parseJsonObject(response.body) === undefined;
  const isTemporary = isPage || isTemporaryStatus(status);
  return {
    verdict: isTemporary ? 'temporary' : judgeError(body?.error),
    isClientUnknown: !isTemporary && isUnknownClientError(error),
    requiresNonce:
      body?.error === 'use_dpop_nonce' || challenges.some(({ params }) => params.error === 'use_dpop_nonce'),
    status,
    error,
    description: body?.description,
    retryAfter: isTemporary ? parseRetryAfter(response.header('retry-after')) : undefined,
  };
}

/** Returns the failure of a request without a usable response: `temporary` if nothing or not everything arrived. */
export function createTransportFailure(verdict: 'unrecognized' | 'temporary'): EndpointFailure {
  return { verdict, isClientUnknown: false, requiresNonce: false };
}

function judgeError(error: string | undefined): FailureVerdict {
  if (error === undefined) return 'unrecognized';
  if (error === 'invalid_grant') return 'revoked';
  if (REFUSALS.has(error)) return 'refused';
  return isTemporaryError(error) ? 'temporary' : 'unrecognized';
}

/** Returns the OAuth error in a body, which some servers send with the status 200. Undefined if there is none. */
export function parseErrorBody(text: string): { error: string; description: string | undefined } | undefined {
  const body = parseJsonObject(text);
  if (typeof body?.error !== 'string' || body.error === '') return undefined;
  const { error, error_description: description } = body;
  return { error, description: typeof description === 'string' ? description : undefined };
}
