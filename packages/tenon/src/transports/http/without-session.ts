import type { Dialect } from '../../dialects/dialect.js';
import type { AuthInfo } from '../../jsonrpc/channel.js';
import { kindOf, type Request } from '../../jsonrpc/message.js';
import type { Exchange } from './exchange.js';
import { openConnection, receiveInSession } from './in-session.js';
import type { Road } from './road.js';
import type { Sessions } from './sessions.js';

/** Serves one POST of a version with sessions by itself: in a session without id that ends with the answers. */
export function receiveWithoutSession(
  road: Road,
  sessions: Sessions,
  exchange: Exchange,
  value: unknown,
  dialect: Dialect,
  auth?: AuthInfo,
) {
  const id = kindOf(value) === 'request' ? (value as Request).id : undefined;
  const address = road.getAddress(exchange);
  const session = sessions.createForPost(auth, address);
  openConnection(session, exchange, { ...(auth && { auth }), address, dialect }, id, () => {
    receiveInSession(session, exchange, value, auth);
    if (session.waiting === 0) session.end();
  });
}
