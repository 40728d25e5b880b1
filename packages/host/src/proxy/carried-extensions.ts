import { isObject, type JsonObject, runWithTimeout } from '@tenon/base';
import type { ServerCapabilities } from 'tenon';
import type { RequesterInfo } from 'tenon/proxy';
import { SKILLS_EXTENSION } from '../catalog/page-meta.js';
import type { GatewayContext } from './gateway-context.js';

/** Time for which the declaration of extensions waits for servers that have not started, in milliseconds. */
const START_TIMEOUT = 5000;

/**
 * Starts the servers for a caller that declares extensions, because the caller learns only once which ones the servers
 * have. A server that takes too long counts by what it declared to another connection of the same user, if there is one.
 */
export async function startForExtensions(gateway: GatewayContext, requester: RequesterInfo): Promise<void> {
  const scope = gateway.getScope(requester);
  if (Object.keys(scope.extensions ?? {}).length === 0) return;
  const { clock, upstreams } = gateway.registry;
  const starting = [...upstreams.values()].map(async upstream => {
    // A server that needs a person to sign in, or that cannot start, declares nothing.
    if (upstream.canConnect(scope))
      await upstream
        .getConnection(scope)
        .getClient()
        .catch(() => undefined);
  });
  await runWithTimeout(() => Promise.all(starting), { clock, timeout: START_TIMEOUT, onTimeout: () => undefined });
}

/** Returns the end-to-end extensions that the known servers of a caller declare. */
export function getCarriedExtensions(gateway: GatewayContext, requester: RequesterInfo): { [id: string]: JsonObject } {
  const scope = gateway.getScope(requester);
  const declared: { [id: string]: JsonObject } = {};
  for (const upstream of gateway.registry.upstreams.values()) {
    for (const [id, settings] of listExtensions(upstream.findServerInfo(scope)?.capabilities)) {
      if (!gateway.carriesExtension(id)) continue;
      // Skills exist on versions whose requests need no session.
      if (id === SKILLS_EXTENSION && requester.dialect.opening !== 'per-request') continue;
      const before = declared[id];
      declared[id] = before === undefined ? settings : mergeSettings(id, before, settings);
    }
  }
  return declared;
}

function listExtensions(capabilities: ServerCapabilities | undefined): [string, JsonObject][] {
  return Object.entries(capabilities?.extensions ?? {}).filter((entry): entry is [string, JsonObject] =>
    isObject(entry[1]),
  );
}

/** Merges the settings of two servers. Lists contain the values of both. */
function mergeSettings(id: string, one: JsonObject, other: JsonObject): JsonObject {
  const merged: JsonObject = { ...one };
  for (const [key, value] of Object.entries(other)) {
    const before = one[key];
    merged[key] = Array.isArray(before) && Array.isArray(value) ? [...new Set([...before, ...value])] : value;
  }
  if (id !== SKILLS_EXTENSION || (one.directoryRead === true && other.directoryRead === true)) return merged;
  // The flag promises that each folder of skills can be read.
  const { directoryRead: _, ...others } = merged;
  return others;
}
