import { isObject } from '@tenon/base';
import { classifyMessage, type Id, isId } from '../../../../jsonrpc/message.js';

/** Returns the ID of the server's request that a client message belongs to: a response or a progress notification. */
export function findServerRequestId(message: unknown): unknown {
  if (!isObject(message)) return undefined;
  const kind = classifyMessage(message);
  if (kind === 'success' || kind === 'failure') return message.id;
  return message.method === 'notifications/progress' && isObject(message.params)
    ? message.params.progressToken
    : undefined;
}

/** Returns the ID of the request that a message cancels, or `undefined` for other messages. */
export function findCancelledId(message: unknown): Id | undefined {
  if (!isObject(message) || message.method !== 'notifications/cancelled' || !isObject(message.params)) return undefined;
  const { requestId } = message.params;
  return isId(requestId) ? requestId : undefined;
}
