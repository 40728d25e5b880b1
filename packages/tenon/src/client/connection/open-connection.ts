import type { PausableClock } from '../calls/call-deadline.js';
import type { ClientOptions } from '../options.js';
import type { ConnectionEvents } from './connection.js';
import { Connection } from './connection.js';
import { openEndpoint, type ServerEndpoint } from './endpoint.js';
import { negotiateConnection } from './version-negotiator.js';

/** Opens a connection to a server. It continues the session of other processes, if there is one. */
export async function openConnection(
  endpoint: ServerEndpoint,
  options: ClientOptions,
  events: ConnectionEvents,
  clock: PausableClock,
): Promise<Connection> {
  const { sharedSession } = options;
  const negotiate = () => negotiateConnection(endpoint, options, events, clock);
  if (sharedSession === undefined || endpoint.kind !== 'http') return negotiate();
  return sharedSession.openConnection(negotiate, async continued => {
    const connection = new Connection(endpoint, await openEndpoint(endpoint), options, events, clock, continued);
    await connection.open();
    return connection;
  });
}
