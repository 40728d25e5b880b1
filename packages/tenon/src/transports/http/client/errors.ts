import {
  type AbortSignalLike,
  createPeerError,
  hasUnknownOutcome,
  INVALID_PARAMS,
  INVALID_REQUEST,
  isObject,
  METHOD_NOT_FOUND,
  OUTCOME_ADVICE,
  OUTCOME_UNKNOWN,
  parseRetryAfter,
  TenonError,
  tryParseJson,
} from '@tenon/base';
import { classifyMessage, type Id, type JsonRpcFailure } from '../../../jsonrpc/message.js';
import { answersId } from '../../../jsonrpc/numeric-id.js';
import type { HttpReply } from './requester.js';

/** Maximum number of bytes that are read from the body of an error response. */
const MAX_REFUSAL_BODY = 65_536;
const MAX_SHOWN = 200;

export function createTransportClosedError(peer: string): TenonError {
  return new TenonError('connection/closed', 'the connection was closed', { peer });
}

/** Creates the error of an aborted request. */
export function createAbortError(signal: AbortSignalLike, peer: string): TenonError {
  if (TenonError.is(signal.reason)) return signal.reason;
  return new TenonError('call/aborted', 'the call was cancelled', { peer, cause: signal.reason });
}

/**
 * Converts an error of the HTTP client. It copies only the message, because errors of HTTP clients may contain the
 * request with its credentials.
 */
export function toRequestError(error: unknown, peer: string, url: string): TenonError {
  const known = TenonError.is(error) ? error : undefined;
  const code = known?.code ?? 'http/interrupted';
  const { search } = new URL(url);
  const message = known?.summary ?? (error instanceof Error ? error.message : 'the request failed');
  const summary = search ? message.replaceAll(search, '?…') : message;
  const hint = known?.hint ?? (code === 'http/unreachable' ? UNREACHABLE_HINT : undefined);
  return new TenonError(code, summary, { peer, expected: known?.expected, hint });
}

/** Creates the error of a request whose headers the HTTP client refuses. It does not show a value, which may be a secret. */
export function createHeaderError(error: unknown): TenonError {
  const [, name] = /\["([\w-]{1,100})"\]/.exec(error instanceof Error ? error.message : '') ?? [];
  return new TenonError(
    'http/invalid-header',
    `the ${name === undefined ? 'request' : `header ${name}`} cannot be sent`,
    {
      expected: 'header names of HTTP, and values in one line of Latin-1',
      hint: 'encode the value (nothing was sent)',
    },
  );
}

/** Next step after a request that was not sent. */
const UNREACHABLE_HINT = 'check the address, and check that the server is running (nothing was sent)';

/** Creates the error of a request that gets no response and may have been executed. */
export function createOutcomeUnknownError(peer: string, reason: string, cause?: TenonError): TenonError {
  return new TenonError(OUTCOME_UNKNOWN, reason, { peer, hint: OUTCOME_ADVICE, status: cause?.status, cause });
}

/** Creates the error for a response that does not contain the JSON-RPC response. */
export function createMissingResponseError(peer: string, received: string): TenonError {
  return new TenonError('peer/no-answer', 'the response is missing', {
    peer,
    expected: 'the response to the request',
    received,
  });
}

export function createUnreadableError(peer: string, received: string, cause?: unknown): TenonError {
  return new TenonError('peer/unreadable', 'received data that cannot be parsed', {
    peer,
    expected: 'JSON',
    received,
    cause,
  });
}

/** Creates the error for data that is larger than `maxMessageSize`. */
export function createTooLargeError(peer: string, kind: 'a response' | 'an event', limit: string): TenonError {
  return new TenonError('peer/unreadable', `received ${kind} that is too large`, {
    peer,
    expected: `at most ${limit}, by \`maxMessageSize\``,
    received: `${kind} of more than ${limit}`,
    hint: 'ask for less data, such as one page or a filter',
  });
}

/** Returns the error of a body that cannot be decoded, with the peer. `undefined` if the body broke off instead. */
export function findDecodingError(error: unknown, peer: string): TenonError | undefined {
  if (!TenonError.is(error) || error.code !== 'peer/unreadable') return undefined;
  const { code, summary, expected, received } = error;
  return new TenonError(code, summary, { peer, expected, received });
}

/** The message that got an error response. */
export interface RefusedMessage {
  /** JSON-RPC ID of the message. Absent if it is not a request. */
  readonly id?: Id | undefined;
  /** True if the message had a session ID. */
  readonly hadSession: boolean;
  /** True if a 404 may have other meanings than a lost session. The text of the response then decides. */
  readonly checkBody?: boolean | undefined;
}

/** Reads a response with an error status and returns the error for the message. Never rejects. */
export async function readRefusal(reply: HttpReply, peer: string, message: RefusedMessage): Promise<TenonError> {
  const { status } = reply;
  const body = await reply.text(MAX_REFUSAL_BODY).catch(() => '');
  const value = tryParseJson(body);
  const failure = classifyMessage(value) === 'failure' ? (value as JsonRpcFailure) : undefined;
  const loss = message.hadSession ? findSessionLoss(status, peer, message, failure, body) : undefined;
  if (loss) return loss;
  const retryAfterMs = parseRetryAfter(reply.header('retry-after'));
  const hint = getAdvice(reply, retryAfterMs);
  if (failure) return createPeerError(failure.error, { peer, status, hint, retryAfterMs });
  return new TenonError('http/status', 'the server rejected the request', {
    peer,
    status,
    received: `status ${status}${/^\s*(<|$)/.test(body) ? '' : `: ${body.slice(0, MAX_SHOWN)}`}`,
    retryAfterMs,
    hint: status === 404 ? 'check that the server serves this path, which is /mcp by default in Tenon' : hint,
  });
}

/**
 * Returns the error of a response that tells that the session is lost. The specification requires 404. Servers and proxies
 * also send 410, 400, and "Session not found" with any status, or as a JSON-RPC error with 200.
 *
 * The error is `session/gone` if the request was not executed, and `session/rejected` if a handler may have answered.
 */
export function findSessionLoss(
  status: number,
  peer: string,
  { id, checkBody }: Pick<RefusedMessage, 'id' | 'checkBody'>,
  failure: JsonRpcFailure | undefined,
  body = '',
): TenonError | undefined {
  // The session ended while the server executed the request. The next request detects the loss of the session.
  if (hasUnknownOutcome(failure?.error.data)) return undefined;
  const isGone = status === 404 || status === 410;
  if (isGone && !checkBody) return createSessionGoneError(peer, status, failure);
  // These statuses are about a sign-in, which may have a session of its own.
  if (status === 401 || status === 407) return undefined;
  const isAboutMessage = isGone || status === 400;
  if (!isAboutSession(failure, body, isAboutMessage)) return undefined;
  const isAnswer = answersId(failure?.id, id);
  const isFromTransport = isAboutMessage && failure !== undefined && TRANSPORT_MESSAGE.test(failure.error.message);
  const isRejection = (isAnswer && !isFromTransport) || status >= 500;
  if (!isRejection) return createSessionGoneError(peer, status, failure);
  const { error } = failure ?? {};
  const reason = `the server rejected the session: ${error?.message ?? 'session not found'}`;
  return new TenonError('session/rejected', reason, {
    peer,
    status,
    received: `status ${status}`,
    rpcCode: error?.code,
    data: error?.data,
    cause: error,
  });
}

/** Matches texts that the transports of the official SDKs and similar code send. Handlers do not use such texts. */
const TRANSPORT_MESSAGE = /^(bad request|not found):/i;

/** Matches a text that says nothing but that a session is lost. The text of a handler names a session of its own. */
const LOST_SESSION =
  /^\W*(?:(?:bad request|not found|error|invalid request|conflict|gone): ?)?(?:(?:mcp )?session(?: id)?\b.{0,60}\b(?:not found|not exist|unknown|invalid|expired|gone|ended|terminated|closed|no longer)\b|(?:unknown|invalid|expired|no valid|no such|unrecognized)(?: or \w+)? (?:mcp )?session\b|server not initialized)/i;

/**
 * Tells if the body of an error response is about the session. After a restart the official SDKs respond with 400 and
 * "Bad Request: No valid session ID provided" or "Bad Request: Server not initialized". With other statuses, only a text
 * about a lost session counts.
 */
function isAboutSession(failure: JsonRpcFailure | undefined, body: string, isAboutMessage: boolean): boolean {
  if (failure === undefined) {
    const start = body.slice(0, MAX_SHOWN);
    if (isAboutMessage) return /\bsession\b|not initialized/i.test(start);
    // The text of a JSON error that is none of JSON-RPC: `{ "error": "…" }`, `{ "detail": "…" }`.
    const value = tryParseJson(body);
    const { error, message, detail } = isObject(value) ? value : {};
    const texts = [isObject(error) ? error.message : error, message, detail];
    return LOST_SESSION.test(texts.find(each => typeof each === 'string') ?? start);
  }
  const { code, message } = failure.error;
  // Other codes, such as -32602, describe the params of the request.
  const describesTransport = code === INVALID_REQUEST || (code <= -32_000 && code >= -32_099);
  if (isAboutMessage) return describesTransport && /\bsession\b|not initialized/i.test(message);
  return code !== INVALID_PARAMS && code !== METHOD_NOT_FOUND && LOST_SESSION.test(message);
}

export function createSessionGoneError(peer: string, status?: number, failure?: JsonRpcFailure): TenonError {
  const { error } = failure ?? {};
  const message = error ? `: ${error.message.slice(0, MAX_SHOWN)}` : '';
  return new TenonError('session/gone', 'the server no longer knows the session', {
    peer,
    status,
    received: status === undefined ? undefined : `status ${status}${message}`,
    rpcCode: error?.code,
    data: error?.data,
    cause: error,
    hint: 'open a new session',
  });
}

function getAdvice({ status, hadToken }: HttpReply, retryAfterMs: number | undefined): string | undefined {
  if (status === 401)
    return hadToken
      ? 'pass a valid token: it may have expired or be for another server; after `signIn`, call `signOut` and sign in again'
      : 'pass `auth` in the target, `connect({ url, auth })`: an access token for this server, or `signIn({ redirect })` of tenon/auth';
  if (status === 403) return 'check the scopes of the token, and the allowed origins';
  if ([414, 431].includes(status)) return 'shorten the URL, token or `x-mcp-header` values';
  if ([429, 503].includes(status) && retryAfterMs !== undefined)
    return `try again after ${Math.ceil(retryAfterMs / 1000)} s`;
  return status >= 500 ? 'check the log of the server' : undefined;
}
