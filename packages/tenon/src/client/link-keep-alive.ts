import { KeepAlive, type KeepAliveOptions } from '../conversation/keep-alive.js';
import type { Clock } from '../jsonrpc/clock.js';
import type { Peer } from '../jsonrpc/peer.js';
import type { Link } from './link.js';
import type { ClientOptions } from './options.js';

/** By default only streams over a network are pinged: a process that ends, or a server in memory, is noticed at once. */
const ONLY_IN_DOUBT: KeepAliveOptions = { interval: Number.POSITIVE_INFINITY };

/** Watches the server of a link; not at all with `keepAlive: false`. */
export function createKeepAlive(
  link: Link,
  { keepAlive }: Pick<ClientOptions, 'keepAlive'>,
  clock: Clock,
  peer: Peer,
): KeepAlive | undefined {
  if (keepAlive === false) return undefined;
  const { channel } = link;
  return new KeepAlive(clock, keepAlive ?? (channel.listening === undefined ? ONLY_IN_DOUBT : {}), {
    get peer() {
      return link.peer;
    },
    takeSign: () => peer.takeSign(),
    // Over Streamable HTTP each call has a connection of its own: only the stream for all else is open for long.
    isLongLived: () => channel.listening !== false,
    ping: timeout => {
      const method = link.dialect.vocabulary.client.has('ping') ? 'ping' : 'server/discover';
      return link.call(method, {}, { idleTimeout: timeout });
    },
    fail: error => link.fail(error),
  });
}
