import { createCausedError, rpcError } from '@tenon/base';
import type { RequestContext, RequesterInfo } from 'tenon/proxy';
import { createUnknownNameError, describeUndeclared } from '../catalog/catalog-errors.js';
import type { NamedKind, ResolvedResource, ResolvedTool } from '../catalog/host-catalog.js';
import { getUnavailableCause } from '../connections/upstream-registry.js';
import type { GatewayContext } from './gateway-context.js';
import { toSignInError } from './sign-in-tools.js';
import { selectVisibleEntries } from './visible-entries.js';

/** Finds the tool or prompt that a request names. Records a request with an unknown name as refused. */
export async function resolveName<K extends NamedKind>(
  gateway: GatewayContext,
  kind: K,
  name: string,
  requestContext: RequestContext,
  method: string,
): Promise<ResolvedTool<K>> {
  const scope = gateway.getScope(requestContext);
  const catalog = gateway.getCatalog(scope);
  const listNames = async (): Promise<readonly string[]> => {
    try {
      const { items } = await catalog.listEntries(kind);
      return selectVisibleEntries(gateway, catalog, kind, items, requestContext).map(each => each.name);
    } catch {
      return [];
    }
  };
  try {
    const target = await catalog.resolveByName(kind, name, listNames);
    if (gateway.selection?.hasEntry(target.connection.server, target.name) ?? true) return target;
    throw createUnknownNameError(kind, name, { names: await listNames() });
  } catch (error) {
    const { principal } = scope.identity;
    await gateway.guard.recordDenied({ method, kind: kind === 'tools' ? 'tool' : 'prompt', name, principal, error });
    throw method === 'tools/call' ? error : toSignInError(error, scope, requestContext.dialect);
  }
}

/**
 * Finds the server that owns a resource URI. Records a request with an unknown URI as refused, and rejects it with the
 * error code of the caller's protocol version.
 */
export async function resolveUpstreamResource(
  gateway: GatewayContext,
  uri: string,
  requester: RequesterInfo,
  method: string,
): Promise<ResolvedResource> {
  const scope = gateway.getScope(requester);
  const { principal } = scope.identity;
  try {
    return await lookUpResource(gateway, uri, requester);
  } catch (error) {
    await gateway.guard.recordDenied({ method, kind: 'resource', name: uri, principal, error });
    throw toSignInError(error, scope, requester.dialect);
  }
}

async function lookUpResource(
  gateway: GatewayContext,
  uri: string,
  requester: RequesterInfo,
): Promise<ResolvedResource> {
  const catalog = gateway.getCatalog(gateway.getScope(requester));
  const place = await catalog.resolveResource(uri);
  const isSelected = (each: ResolvedResource) => gateway.selection?.hasEntry(each.connection.server, each.uri) ?? true;
  if (place && isSelected(place)) return place;
  const { unavailable } = catalog;
  const code = requester.dialect.errors.resourceNotFound;
  if (unavailable.length === 0) {
    const undeclared = catalog.listUndeclaredResources(uri);
    const advice = undeclared.length === 0 ? '' : `. ${describeUndeclared('resources', undeclared)}`;
    throw rpcError(code, `Resource not found${advice}`, { uri });
  }
  // An unavailable server may have the resource.
  const who = unavailable.map(({ server }) => server).join(', ');
  const summary = `Resource not found. These servers are unavailable: ${who}`;
  throw createCausedError(getUnavailableCause(unavailable), code, summary, { uri, unavailable });
}
