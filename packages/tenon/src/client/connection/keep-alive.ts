import { type Clock, isConnectionFailure, type JsonObject, type TenonError } from '@tenon/base';
import { DEFAULT_INTERVAL, KeepAlive, type KeepAliveOptions, SILENT_INTERVALS } from '../../jsonrpc/keep-alive.js';
import type { Peer } from '../../jsonrpc/peer.js';
import type { Transport } from '../../jsonrpc/transport.js';
import type { Dialect } from '../../protocol/versions/dialect.js';
import type { ClientOptions } from '../options.js';

/** A connection whose server is pinged. */
interface PingedConnection {
  readonly channel: Transport;
  /** Name of the server in errors. */
  readonly peer: string;
  readonly dialect: Dialect;
  call(method: string, params: JsonObject, parameters: { readonly idleTimeout: number }): Promise<JsonObject>;
  fail(error: TenonError): void;
}

/** Creates the keep-alive of a connection. Returns `undefined` with `keepAlive: false`. */
export function createKeepAlive(
  connection: PingedConnection,
  { keepAlive }: Pick<ClientOptions, 'keepAlive'>,
  clock: Clock,
  peer: Peer,
): KeepAlive | undefined {
  if (keepAlive === false) return undefined;
  const { channel } = connection;
  // By default only network streams are pinged, because the end of a process or of a server in memory is detected at once.
  const options: KeepAliveOptions =
    keepAlive ?? (channel.hasOpenStream === undefined ? { interval: Number.POSITIVE_INFINITY } : {});
  const { interval = DEFAULT_INTERVAL } = options;
  // A server without heartbeats may be silent for a long time, so a short interval must not end its streams.
  const resumable = Math.max(SILENT_INTERVALS, Math.ceil((SILENT_INTERVALS * DEFAULT_INTERVAL) / interval));
  return new KeepAlive(clock, options, {
    get peer() {
      return connection.peer;
    },
    takeActivity: () => peer.takeActivity(),
    checkStreams: () => channel.checkStreams?.({ withHeartbeats: SILENT_INTERVALS, resumable }),
    // Over Streamable HTTP each call has its own connection, so only the streams for changes stay open for long. A server
    // may answer no ping while it runs a call, so by default only the timeouts of the call end it.
    isLongLived: () => channel.hasOpenStream !== false && (keepAlive !== undefined || !peer.hasDeadline),
    ping: timeout => {
      const method = connection.dialect.methods.client.has('ping') ? 'ping' : 'server/discover';
      return connection.call(method, {}, { idleTimeout: timeout }).catch(error => {
        if (isConnectionFailure(error)) channel.endStreams?.();
        throw error;
      });
    },
    fail: error => connection.fail(error),
  });
}
