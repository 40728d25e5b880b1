import { isUnreachable } from './connections/connection-health.js';
import type { UpstreamConnection } from './connections/upstream-connection.js';
import type { UpstreamServer } from './connections/upstream-server.js';
import type { ServerState } from './host.js';
import type { HostGuard } from './security/guard/host-guard.js';

/** Age of the last response after which a server at a URL is asked if it still responds, in milliseconds. */
const MAX_AGE = 10_000;

/**
 * Returns the state of a server. That it cannot be reached applies to all connections. Otherwise the state is that of a
 * connection that can take calls, if there is one.
 */
export function getServerState({ name, connections }: UpstreamServer): ServerState {
  const last = connections.reduce<UpstreamConnection | undefined>(
    (latest, each) => (latest && latest.health.sequence >= each.health.sequence ? latest : each),
    undefined,
  );
  const best =
    last?.health.error && isUnreachable(last.health.error)
      ? last
      : (connections.find(({ state }) => state === 'connected') ??
        connections.find(({ openClient }) => openClient) ??
        connections[0]);
  const server = best?.openClient?.server;
  return {
    name,
    state: best?.state ?? 'idle',
    reason: best?.lastError?.summary,
    protocolVersion: server?.protocolVersion,
    serverInfo: server?.info,
  };
}

/**
 * Opens a connection, or verifies an open one to a server at a URL. The state of the connection contains the reason of a
 * failure.
 */
export async function connectUpstream(connection: UpstreamConnection, guard: HostGuard): Promise<void> {
  const wasOpen = connection.openClient !== undefined;
  try {
    await connection.getClient();
    if (wasOpen) await connection.verifyWithin(MAX_AGE);
  } catch {
    return;
  }
  // The server may respond slowly. The guard reports its findings itself.
  if (!wasOpen || connection.lists.getLast('tools') === undefined) void readOfferedTools(connection, guard);
}

/** Reads the tools of a server, compares them with the lock, and screens them. */
export async function readOfferedTools(connection: UpstreamConnection, guard: HostGuard): Promise<void> {
  const { server, lists } = connection;
  try {
    await guard.filterList('tools', { server, connection, list: await lists.get('tools') });
  } catch {
    // The state of the server contains its error.
  }
}
