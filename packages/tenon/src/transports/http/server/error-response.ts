import {
  type ErrorObject,
  getRetryAfterMs,
  INSUFFICIENT_SCOPE,
  INTERNAL_ERROR,
  INVALID_REQUEST,
  METHOD_NOT_FOUND,
  PARSE_ERROR,
  UNAVAILABLE,
} from '@tenon/base';
import { createFailure, diagnoseMessage, type Id } from '../../../jsonrpc/message.js';
import { HEADER_MISMATCH, MISSING_CLIENT_CAPABILITY, UNSUPPORTED_VERSION } from '../../../protocol/error-codes.js';
import type { HttpServerContext } from './context.js';
import type { Exchange, HeaderFields } from './exchange.js';

/** Responds with an error. `id` is the ID of the request, or absent or null if it is not known. */
export function refuse(
  exchange: Exchange,
  status: number,
  error: ErrorObject,
  id?: Id | null,
  headers?: HeaderFields,
): void {
  exchange.reply(status, JSON.stringify(createFailure(id, error)), headers);
}

export function createInvalidRequest(message: string): ErrorObject {
  return { code: INVALID_REQUEST, message };
}

/** Refuses a batch. Each request with a readable ID gets the error. */
export function refuseBatch(
  exchange: Exchange,
  status: number,
  error: ErrorObject,
  batch: readonly unknown[],
  unreadableId?: null,
): void {
  const ids = batch.flatMap(message => diagnoseMessage(message).id ?? []);
  // Clients of every version can read a single error.
  if (ids.length <= 1) return refuse(exchange, status, error, ids[0] ?? unreadableId);
  exchange.reply(status, JSON.stringify(ids.map(id => createFailure(id, error))));
}

/** Refuses a request because a limit is reached. The client may retry later. */
export function refuseBusy(exchange: Exchange, message: string, id?: Id): void {
  refuse(exchange, 503, { code: INTERNAL_ERROR, message }, id, { 'retry-after': '5' });
}

/**
 * Returns the HTTP status of an error. Errors without a status in the specification get 200, except an internal error
 * with a time after which the client may retry.
 */
export function getHttpStatus(error: ErrorObject): number {
  switch (error.code) {
    case METHOD_NOT_FOUND:
      return 404;
    case PARSE_ERROR:
    case INVALID_REQUEST:
    case HEADER_MISMATCH:
    case MISSING_CLIENT_CAPABILITY:
    case UNSUPPORTED_VERSION:
      return 400;
    case INSUFFICIENT_SCOPE:
      return 403;
    case UNAVAILABLE:
      return 503;
    case INTERNAL_ERROR:
      return getRetryAfterMs(error.data) === undefined ? 200 : 503;
    default:
      return 200;
  }
}

/** Responds with an internal error. Only the operator gets the details. */
export function replyInternalError(context: HttpServerContext, exchange: Exchange, error: unknown, id?: Id) {
  context.report(error);
  if (!exchange.clientClosed) refuse(exchange, 500, { code: INTERNAL_ERROR, message: 'Internal error' }, id);
}
