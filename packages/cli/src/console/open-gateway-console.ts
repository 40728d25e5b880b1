import type { Host } from '@tenon/host';
import type { CliContext } from '../cli-context.js';
import type { ConsoleListener } from './console-listener.js';
import { openConsole } from './open-console.js';

/** Opens a console with each server of a host. Calls take the way of any other caller of the host. */
export function openGatewayConsole(context: CliContext, host: Host, port: number): Promise<ConsoleListener> {
  const targets = host.getServers().map(({ name }) => {
    const target = host.toServer({ name, servers: [name] });
    return { name, target: { resolved: { target, label: `${name}, through the gateway` } } };
  });
  return openConsole(context, { port, portOption: '--console-port', targets });
}
