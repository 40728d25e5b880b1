import { rpcError } from '../../jsonrpc/error.js';
import type { JsonObject } from '../../jsonrpc/message.js';
import type { Turn } from '../../server/turn.js';
import type { Named, Place, Route } from '../catalog.js';
import type { Hub } from '../hub.js';
import { toSignInError } from './signing-in.js';

/** Finds the tool or prompt that a request names. What is not found is recorded as refused. */
export async function findRoute<K extends Named>(
  hub: Hub,
  kind: K,
  name: string,
  turn: Turn,
  method: string,
): Promise<Route<K>> {
  const audience = hub.audience(turn);
  try {
    return await hub.catalog(audience).route(kind, name);
  } catch (error) {
    const { principal } = audience.identity;
    await hub.guard.refused({ method, kind: kind === 'tools' ? 'tool' : 'prompt', name, principal, error });
    throw method === 'tools/call' ? error : toSignInError(error, audience, turn.dialect);
  }
}

/** Finds the server whose resource a URI is. What is not found is recorded as refused, and told in the words of the caller's revision. */
export async function findPlace(hub: Hub, uri: string, turn: Turn, method: string): Promise<Place> {
  const audience = hub.audience(turn);
  const { principal } = audience.identity;
  try {
    return await placeOf(hub, uri, turn);
  } catch (error) {
    await hub.guard.refused({ method, kind: 'resource', name: uri, principal, error });
    throw toSignInError(error, audience, turn.dialect);
  }
}

async function placeOf(hub: Hub, uri: string, turn: Turn): Promise<Place> {
  const catalog = hub.catalog(hub.audience(turn));
  const place = await catalog.place(uri);
  if (place) return place;
  const { absent } = catalog;
  const code = turn.dialect.errors.resourceNotFound;
  if (absent.length === 0) throw rpcError(code, 'Resource not found', { uri });
  // Whoever is not there may have it.
  const who = absent.map(({ server }) => server).join(', ');
  const data = { uri, absent: absent as unknown as JsonObject[] };
  throw rpcError(code, `Resource not found. These servers are not there: ${who}`, data);
}
