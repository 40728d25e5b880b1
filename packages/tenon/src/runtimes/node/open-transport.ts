import { openRawTransport } from '../../client/connection/raw-transport.js';
import { type HttpTarget, resolveEndpoint, type StdioTarget } from '../../client/target.js';
import type { Transport } from '../../jsonrpc/transport.js';
import { nodeTransports } from './transports.js';

/**
 * Opens a transport to a server, without a client. It sends and receives messages as they are, in any protocol version.
 * Over HTTP, it adds the headers of the version.
 * @throws TenonError `stdio/spawn` when the command cannot be started, or `connect/target`.
 */
export function openTransport(target: HttpTarget | StdioTarget): Promise<Transport> {
  return openRawTransport(resolveEndpoint(target, nodeTransports));
}
