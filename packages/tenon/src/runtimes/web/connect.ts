import type { Client, ServerTypes } from '../../client/client.js';
import { connectTo } from '../../client/connect.js';
import type { ClientOptions } from '../../client/options.js';
import { type ConnectTarget, resolveEndpoint } from '../../client/target.js';
import { webTransports } from './transports.js';

/**
 * Connects to a server: a URL, a server in this process, a channel of your own. With the type of a server of yours,
 * `connect<typeof server>(…)`, its tools and prompts are typed. Rejects with a `TenonError` when there is none.
 */
export function connect<S extends ServerTypes = ServerTypes>(
  target: ConnectTarget,
  options?: ClientOptions,
): Promise<Client<S>> {
  return connectTo<S>(resolveEndpoint(target, webTransports, options), options);
}
