import { KeepAlive } from '../conversation/keep-alive.js';
import type { PingOptions } from '../conversation/service.js';
import type { Dialect } from '../dialects/dialect.js';
import { TenonError } from '../jsonrpc/error.js';
import type { Peer } from '../jsonrpc/peer.js';
import type { Blueprint } from './blueprint.js';

const TIMEOUT = 5_000;

/** Pings the client of a session. A ping that is not answered in time ends the connection. */
export async function pingClient(peer: Peer, dialect: Dialect | undefined, options: PingOptions = {}): Promise<void> {
  const { timeout = TIMEOUT, signal } = options;
  if (dialect === undefined)
    throw new TenonError('connection/not-open', 'the client has opened no session', {
      peer: peer.peer,
      method: 'ping',
      next: 'wait for `initialize`; a client of requests that stand alone has no session and cannot be pinged',
    });
  try {
    await peer.call('ping', undefined, { idleTimeout: timeout, signal });
  } catch (error) {
    if (TenonError.is(error) && error.code === 'call/timeout') void peer.channel.close();
    throw error;
  }
}

/** Watches the client of a session; by default only where a stream over a network is open between calls. */
export function createSessionKeepAlive(peer: Peer, blueprint: Blueprint): KeepAlive | undefined {
  const { keepAlive } = blueprint.options;
  const { channel } = peer;
  if (keepAlive === false || (keepAlive === undefined && channel.listening === undefined)) return undefined;
  const watching = new KeepAlive(blueprint.clock, keepAlive ?? {}, {
    peer: peer.peer,
    takeSign: () => peer.takeSign(),
    // Whoever waits for an answer hears of it: its connection is not ended for the sake of another stream.
    isLongLived: () => channel.listening !== false && peer.inFlight === 0,
    ping: timeout => peer.call('ping', undefined, { idleTimeout: timeout }),
    fail(error) {
      blueprint.problem(error);
      void channel.close();
    },
  });
  watching.start();
  return watching;
}
