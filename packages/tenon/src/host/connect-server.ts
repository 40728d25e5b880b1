import type { UpstreamConnection } from './connections/upstream-connection.js';
import type { UpstreamServer } from './connections/upstream-server.js';
import type { ServerState } from './host.js';
import type { HostGuard } from './security/guard/host-guard.js';

/** Returns the state of a server: that of an open connection, if there is one. */
export function getServerState({ name, connections }: UpstreamServer): ServerState {
  const best = connections.find(({ openClient }) => openClient) ?? connections[0];
  const server = best?.openClient?.server;
  return {
    name,
    state: best?.state ?? 'idle',
    reason: best?.lastError?.summary,
    protocolVersion: server?.protocolVersion,
    serverInfo: server?.info,
  };
}

/** Opens a connection, unless it is open. The state of the connection contains the reason of a failure. */
export async function connectUpstream(connection: UpstreamConnection, guard: HostGuard): Promise<void> {
  try {
    await connection.getClient();
  } catch {
    return;
  }
  // The server may respond slowly. The guard reports its findings itself.
  void readOfferedTools(connection, guard);
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
