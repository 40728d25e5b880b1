import type { Client, ServerTypes } from '../../client/client.js';
import { connectTo } from '../../client/connect.js';
import type { ClientOptions } from '../../client/options.js';
import { type ConnectTarget, resolveEndpoint } from '../../client/target.js';
import { nodeTransports } from './transports.js';

/**
 * Connects to a server: a URL, a command, a server in this process, or a custom transport. With the type of your
 * server, `connect<typeof server>(…)`, its tools and prompts are typed.
 * @throws TenonError `connect/…`, `stdio/spawn`, `call/timeout` or `auth/…` when no connection can be made.
 */
export async function connect<S extends ServerTypes = ServerTypes>(
  target: ConnectTarget,
  options?: ClientOptions,
): Promise<Client<S>> {
  return connectTo<S>(resolveEndpoint(target, nodeTransports, options), options);
}
