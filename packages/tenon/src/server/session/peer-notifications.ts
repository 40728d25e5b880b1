import type { JsonObject } from '@tenon/base';
import { isId } from '../../jsonrpc/message.js';
import type { Peer } from '../../jsonrpc/peer.js';

/** Handles a notification about a request in progress. Returns false for other notifications. */
export function handlePeerNotification(
  peer: Peer,
  method: string,
  { requestId, reason, progressToken, ...rest }: JsonObject,
): boolean {
  if (method === 'notifications/cancelled') {
    if (isId(requestId)) peer.cancel(requestId, typeof reason === 'string' ? reason : undefined);
    return true;
  }
  if (method !== 'notifications/progress') return false;
  if (isId(progressToken)) peer.resetIdleTimeout(progressToken, { progressToken, ...rest });
  return true;
}
