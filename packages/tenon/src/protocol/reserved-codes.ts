import { INVALID_REQUEST, METHOD_NOT_FOUND, PARSE_ERROR } from '@tenon/base';
import { HEADER_MISMATCH, UNSUPPORTED_VERSION } from './error-codes.js';

/**
 * Tells if an error code describes the message itself or its transport, so that only the peer that received the message
 * may send it. In an error of another peer it would be taken for one of this peer.
 */
export function isReservedCode(code: number): boolean {
  return [PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, HEADER_MISMATCH, UNSUPPORTED_VERSION].includes(code);
}
