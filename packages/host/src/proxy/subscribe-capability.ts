import type { ServerCapabilities } from 'tenon';
import { hasCapability } from 'tenon/host-internals';
import type { RequesterInfo } from 'tenon/proxy';
import type { UpstreamConnection } from '../connections/upstream-connection.js';
import type { GatewayContext } from './gateway-context.js';

const SUBSCRIBE = 'resources.subscribe';

/**
 * Declares subscriptions to resources only if a server notifies of changes of its resources. A server that has not
 * started may do so.
 */
export function getSubscribeCapability(gateway: GatewayContext, requester: RequesterInfo): ServerCapabilities {
  const scope = gateway.getScope(requester);
  const mayNotify = [...gateway.registry.upstreams.values()].some(upstream => {
    const known = upstream.findServerInfo(scope);
    return known === undefined || hasCapability(known.capabilities, SUBSCRIBE);
  });
  return { resources: { ...(mayNotify ? { subscribe: true } : {}), listChanged: true } };
}

/** Tells if the server of a connection notifies of changes of its resources. */
export async function canSubscribe(connection: UpstreamConnection): Promise<boolean> {
  const { capabilities } = (await connection.getClient()).server;
  return hasCapability(capabilities, SUBSCRIBE);
}
