import { TenonError, withDetails } from '@tenon/base';
import { formatId, isId, type JsonRpcResponse } from './message.js';

/** Maximum number of messages in one batch. */
export const MAX_BATCH = 50;

/** The peer, and its transport, by their names in errors. */
export interface NamedPeer {
  readonly peer: string;
  readonly transport: { readonly peer: string };
}

/** Names the peer and the method in an error of the transport, which knows neither. Other errors keep their names. */
export function withNames(error: TenonError, { peer, transport }: NamedPeer, method?: string): TenonError {
  return error.peer && error.peer === transport.peer ? withDetails(error, { peer, method }) : error;
}

/**
 * Creates the error of a response to an unknown request. A response without an ID means that the peer could not read a
 * message.
 */
export function createUnexpectedResponseError(peer: string, response: JsonRpcResponse): TenonError {
  const { id } = response;
  if (isId(id))
    return new TenonError('peer/unknown-response', `received a response to the unknown request ${formatId(id)}`, {
      peer,
    });
  const { message } = (response as { error: { message: string } }).error;
  return new TenonError('peer/unreadable', `the peer could not parse a message: ${message}`, { peer });
}

/** Creates the error of requests that are pending when a connection is closed. */
export function createClosedError(peer: string): TenonError {
  return new TenonError('connection/closed', 'the connection is closed', { peer });
}

export function createForbiddenRequestError(peer: string, method: string): TenonError {
  const methodName = method.slice(0, 128);
  return new TenonError(
    'peer/unexpected-request',
    `received the request ${methodName}, which servers may not send in this protocol version`,
    { peer },
  );
}
