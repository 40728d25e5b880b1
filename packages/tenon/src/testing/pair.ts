import type { Client, Offers } from '../client/client.js';
import { byChannel, connectTo } from '../client/connect.js';
import type { ClientOptions } from '../client/options.js';
import type { Service } from '../conversation/service.js';
import { dialects } from '../dialects/index.js';
import type { Channel } from '../jsonrpc/channel.js';
import { createPair, type Tap } from '../transports/memory.js';

/** Every revision, newest first, to run the same test over each. */
export const eachRevision: readonly string[] = dialects.map(({ revision }) => revision);

/** How a client and a server in one process are connected: as any client is, and the following. */
export interface PairOptions extends ClientOptions {
  /** Sees every message that crosses, in the words of the revision. */
  readonly tap?: Tap | undefined;
  /** Wraps the client's end of the road: see `faulty`. */
  readonly through?: ((channel: Channel) => Channel) | undefined;
}

/**
 * Connects a client to a server in this process. On the revision of `options.revision`, or on the newest. No timers run
 * but those of `options.clock`.
 */
export function connectPair<S extends Offers = Offers>(
  server: S & Service,
  options: PairOptions = {},
): Promise<Client<S>> {
  const { tap, through = channel => channel, ...rest } = options;
  const endpoint = byChannel(async () => {
    const pair = createPair(tap, rest);
    await server.connect(pair.server);
    return through(pair.client);
  });
  return connectTo<S>(endpoint, rest);
}
