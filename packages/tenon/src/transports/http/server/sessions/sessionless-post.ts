import type { JsonRpcRequest } from '../../../../jsonrpc/message.js';
import type { Dialect } from '../../../../protocol/versions/dialect.js';
import type { HttpServerContext } from '../context.js';
import type { Exchange } from '../exchange.js';
import type { PostedMessage } from './session-post.js';
import type { HttpSessionRegistry } from './session-registry.js';
import { connectSession, receiveInSession } from './session-requests.js';

/** Handles one POST of a version with sessions alone, in a session without an ID that ends with the responses. */
export function receiveSessionlessPost(
  context: HttpServerContext,
  sessions: HttpSessionRegistry,
  exchange: Exchange,
  posted: PostedMessage,
  dialect: Dialect,
) {
  const { value, kind, auth } = posted;
  const id = kind === 'request' ? (value as JsonRpcRequest).id : undefined;
  const address = context.getAddress(exchange);
  const session = sessions.createForPost(auth, address);
  connectSession(session, exchange, { auth, address, dialect }, id, () => {
    receiveInSession(session, exchange, posted);
    if (session.pendingCount === 0) void session.end();
  });
}
