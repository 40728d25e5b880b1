import { type AuthInfo, type ErrorObject, INTERNAL_ERROR, TenonError } from '@tenon/base';
import { createFailure, type JsonRpcResponse } from '../../../../jsonrpc/message.js';
import type { EventStream } from '../../sse/event-streams.js';
import type { HeaderFields } from '../exchange.js';

/** Options for starting a stream of a session. */
export interface SessionStreamOptions {
  /** Headers of the response, if it opens the session. */
  readonly headers?: HeaderFields | undefined;
  /** Authorization whose expiry ends the stream. */
  readonly auth?: AuthInfo | undefined;
  readonly onClosed?: (stream: EventStream) => void;
}

/** Name of the client in errors. */
export const PEER = 'HTTP client';

/** Error of a request whose changes of the session could not be stored. */
export const NOT_STORED: ErrorObject = {
  code: INTERNAL_ERROR,
  message: 'The session could not be stored. Retry later',
};

/**
 * Creates the response to a request when the changes of the session could not be stored. Other requests than those that
 * change the session keep their result, because their clients must not send them again.
 */
export function createNotStoredResponse(response: JsonRpcResponse): JsonRpcResponse {
  if ('error' in response) return response;
  const isChange = 'protocolVersion' in response.result || Object.keys(response.result).length === 0;
  return isChange ? createFailure(response.id, NOT_STORED) : response;
}

export function createClosedError(): TenonError {
  return new TenonError('connection/closed', 'the session has ended', {
    peer: PEER,
    hint: 'stop sending, because the client opens a new session if needed',
  });
}
