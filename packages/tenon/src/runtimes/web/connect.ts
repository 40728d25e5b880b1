import type { Client, ServerTypes } from '../../client/client.js';
import { connectTo } from '../../client/connect.js';
import type { ClientOptions } from '../../client/options.js';
import { type ConnectTarget, resolveEndpoint } from '../../client/target.js';
import type { RequestHandler } from '../../protocol/request-handler.js';
import { webTransports } from './transports.js';

/**
 * Connects a client to a server: a URL, a server in this process, or a transport. The tools and prompts of a server in
 * this process are typed. `connect<typeof server>(…)` types those of your server at another place.
 * @throws TenonError `connect/…`, `stdio/spawn`, `call/timeout` or `auth/…` when no connection can be made.
 */
export function connect<S extends ServerTypes = ServerTypes>(
  target: ConnectTarget | (S & RequestHandler),
  options?: ClientOptions,
): Promise<Client<S>> {
  return connectTo<S>(resolveEndpoint(target, webTransports, options), options);
}
