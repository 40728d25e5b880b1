import type { Host } from '@tenon/host';
import type { CliContext } from '../cli-context.js';
import type { ConsoleListener } from './console-listener.js';
import { ConsoleGateway, type GatewayParts } from './gateway/console-gateway.js';
import { type NamedTarget, openConsole } from './open-console.js';

/** The console of a gateway. */
export interface GatewayConsole extends ConsoleListener {
  /** Connects to servers that the gateway has got since, and forgets those that it no longer has. */
  updateServers(): Promise<void>;
}

/** Creates the target of one server of a gateway. */
export function createGatewayTarget(host: Pick<Host, 'toServer'>, name: string): NamedTarget {
  const target = host.toServer({ name, servers: [name] });
  return { name, target: { resolved: { target, label: `${name}, through the gateway` } } };
}

/** Opens a console with each server of a gateway. Calls take the way of any other caller of the gateway. */
export async function openGatewayConsole(
  context: CliContext,
  gateway: GatewayParts,
  options: { readonly port: number; readonly pageFolder?: string },
): Promise<GatewayConsole> {
  const { host, traffic } = gateway;
  const listTargets = (): NamedTarget[] => host.getServers().map(({ name }) => createGatewayTarget(host, name));
  const opened = await openConsole(context, {
    ...options,
    portOption: '--console-port',
    targets: listTargets(),
    gateway: new ConsoleGateway(gateway),
    traffic,
  });
  return { ...opened, updateServers: () => opened.setTargets(listTargets()) };
}
