import { type AuthInfo, type ErrorObject, INTERNAL_ERROR, TenonError } from '@tenon/base';
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

export function createClosedError(): TenonError {
  return new TenonError('connection/closed', 'the session has ended', {
    peer: PEER,
    hint: 'stop sending, because the client opens a new session if needed',
  });
}
