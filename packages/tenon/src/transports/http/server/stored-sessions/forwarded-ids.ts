import { classifyMessage, type Id, isId, isObject } from '../../../../jsonrpc/message.js';

/** Returns the request of the server that a message of the client belongs to: a response, or progress. */
export function findServerRequestId(message: unknown): unknown {
  if (!isObject(message)) return undefined;
  const kind = classifyMessage(message);
  if (kind === 'success' || kind === 'failure') return message.id;
  return message.method === 'notifications/progress' && isObject(message.params)
    ? message.params.progressToken
    : undefined;
}

/** Returns the request that the client cancels by a message, if it does. */
export function findCancelledId(message: unknown): Id | undefined {
  if (!isObject(message) || message.method !== 'notifications/cancelled' || !isObject(message.params)) return undefined;
  const { requestId } = message.params;
  return isId(requestId) ? requestId : undefined;
}
