import {
  INSUFFICIENT_SCOPE,
  INTERNAL_ERROR,
  INVALID_REQUEST,
  METHOD_NOT_FOUND,
  PARSE_ERROR,
} from '../../../jsonrpc/error-codes.js';
import { createFailure, diagnoseMessage, type ErrorObject, type Id } from '../../../jsonrpc/message.js';
import { HEADER_MISMATCH, MISSING_CLIENT_CAPABILITY, UNSUPPORTED_VERSION } from '../../../protocol/error-codes.js';
import type { Exchange, HeaderFields } from './exchange.js';

/** Answers with an error. `id` is that of the failing request, `null` or absent where there is none to name. */
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

/** Refuses a batch: each request whose id can be read gets the error. */
export function refuseBatch(
  exchange: Exchange,
  status: number,
  error: ErrorObject,
  batch: readonly unknown[],
  unreadableId?: null,
): void {
  const ids = batch.flatMap(message => diagnoseMessage(message).id ?? []);
  // A single error can be read under every version.
  if (ids.length <= 1) return refuse(exchange, status, error, ids[0] ?? unreadableId);
  exchange.reply(status, JSON.stringify(ids.map(id => createFailure(id, error))));
}

/** For now there is no room; it may be worth trying again. */
export function refuseBusy(exchange: Exchange, message: string, id?: Id): void {
  refuse(exchange, 503, { code: INTERNAL_ERROR, message }, id, { 'retry-after': '5' });
}

/** The status that goes with an error code. Errors to which the specification assigns none are answers like any other. */
export function getHttpStatus(code: number): number {
  switch (code) {
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
    default:
      return 200;
  }
}
