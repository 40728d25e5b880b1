import { DEFAULT_INTERVAL, KeepAlive, type KeepAliveOptions, SILENT_INTERVALS } from '../conversation/keep-alive.js';
import type { Clock } from '../jsonrpc/clock.js';
import { TenonError } from '../jsonrpc/error.js';
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
  const { interval = DEFAULT_INTERVAL } = keepAlive ?? {};
  // A server that sends no heartbeats is silent for long by right, so a short interval must not end its streams each time.
  const resumable = Math.max(SILENT_INTERVALS, Math.ceil((SILENT_INTERVALS * DEFAULT_INTERVAL) / interval));
  return new KeepAlive(clock, keepAlive ?? (channel.listening === undefined ? ONLY_IN_DOUBT : {}), {
    get peer() {
      return link.peer;
    },
    takeSign: () => peer.takeSign(),
    checkStreams: () => channel.checkStreams?.({ withHeartbeats: SILENT_INTERVALS, resumable }),
    // Over Streamable HTTP each call has a connection of its own: only the streams for changes are open for long.
    isLongLived: () => channel.listening !== false,
    ping: timeout => {
      const method = link.dialect.vocabulary.client.has('ping') ? 'ping' : 'server/discover';
      return link.call(method, {}, { idleTimeout: timeout }).catch(error => {
        if (TenonError.is(error) && /^http\/(unreachable|interrupted)$/.test(error.code)) channel.endStreams?.();
        throw error;
      });
    },
    fail: error => link.fail(error),
  });
}
