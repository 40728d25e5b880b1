import { runWithTimeout } from '@tenon/base';
import type { RequesterInfo } from 'tenon/proxy';
import type { ConnectionScope } from '../connections/connection-scope.js';
import type { UpstreamConnection } from '../connections/upstream-connection.js';
import type { GatewayContext } from './gateway-context.js';
import { SERVER_NAMES_EXTENSION } from './hop-by-hop.js';

/** Timeout for the instructions of several servers during a handshake, in milliseconds. */
const INSTRUCTIONS_TIMEOUT = 1000;

/**
 * Collects the instructions of the servers that have started. A handshake waits only for a single server, not for
 * several.
 */
export async function collectInstructions(
  gateway: GatewayContext,
  requester: RequesterInfo,
): Promise<string | undefined> {
  const scope = gateway.getScope(requester);
  const { servers } = gateway.registry;
  const [only] = servers;
  const isOwn = requester.caller.capabilities.extensions?.[SERVER_NAMES_EXTENSION] !== undefined;
  if (servers.length === 1 && only !== undefined && !isOwn) return openForInstructions(gateway, only, scope);
  const known = [...gateway.registry.upstreams].map(async ([server, upstream]) => {
    // Instructions for another user or OAuth client are not shared.
    const connection = upstream.findOpenConnection(scope.identity, scope.values);
    // Instructions that take too long are omitted, so that a slow server delays no handshake.
    const text = await runWithTimeout(() => getInstructions(gateway, connection), {
      clock: gateway.registry.clock,
      timeout: INSTRUCTIONS_TIMEOUT,
      onTimeout: () => undefined,
    });
    return text === undefined ? [] : [`## ${server}\n\n${text}`];
  });
  const texts = (await Promise.all(known)).flat();
  return texts.length === 0 ? undefined : texts.join('\n\n');
}

/** Opens a connection for its instructions. Ignores an error, because lists report unavailable servers. */
async function openForInstructions(
  gateway: GatewayContext,
  server: string,
  scope: ConnectionScope,
): Promise<string | undefined> {
  try {
    const connection = gateway.registry.getConnection(server, scope);
    if (connection.serverInfo === undefined) await connection.getClient();
    return await getInstructions(gateway, connection);
  } catch {
    return undefined;
  }
}

async function getInstructions(
  gateway: GatewayContext,
  connection: UpstreamConnection | undefined,
): Promise<string | undefined> {
  const text = connection?.serverInfo?.instructions;
  if (connection === undefined || text === undefined) return undefined;
  return gateway.guard.screenInstructions(connection, text).catch(() => undefined);
}
