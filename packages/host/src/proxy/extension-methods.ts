import {
  INTERNAL_ERROR,
  INVALID_PARAMS,
  isObject,
  type JsonObject,
  METHOD_NOT_FOUND,
  rpcError,
  TenonError,
} from '@tenon/base';
import type { ProxyBackend, RequestContext } from 'tenon/proxy';
import { readCacheHints } from '../connections/cache-hints.js';
import { getSkillSettings, readSkillPages } from '../connections/skill-entries.js';
import type { UpstreamConnection } from '../connections/upstream-connection.js';
import { createResourceRequest } from './action-requests.js';
import type { GatewayContext } from './gateway-context.js';
import { UNAVAILABLE } from './list-page.js';
import { resolveUpstreamResource } from './resolve-target.js';
import { translateError } from './translate-error.js';

const LIST = 'skills/list';
const GET = 'skills/get';
const READ_DIRECTORY = 'resources/directory/read';

type CustomMethodRequest = Parameters<NonNullable<ProxyBackend['runCustomMethod']>>[0];

/** Forwards a method of an extension. Returns `undefined` for a method that no carried extension has. */
export function forwardExtensionMethod(
  gateway: GatewayContext,
  { method, params, requestContext }: CustomMethodRequest,
): Promise<JsonObject> | undefined {
  if (requestContext.dialect.opening === 'per-request') {
    if (method === LIST) return listSkills(gateway, params, requestContext);
    if (method === GET || method === READ_DIRECTORY) return forwardByUri(gateway, method, params, requestContext);
  }
  const [only, ...others] = gateway.registry.servers;
  // The name of a method does not tell to which of several servers it belongs.
  if (!gateway.carriesUnknown || only === undefined || others.length > 0) return undefined;
  const connection = gateway.registry.getConnection(only, gateway.getScope(requestContext));
  return callServer(gateway, connection, method, params, requestContext);
}

/** Calls a method at a server. Errors of the server are for the caller. */
async function callServer(
  gateway: GatewayContext,
  connection: UpstreamConnection,
  method: string,
  params: JsonObject,
  { dialect, signal }: RequestContext,
): Promise<JsonObject> {
  try {
    const client = await connection.getClient();
    const { _meta: _, ...own } = params;
    return await client.call(method, own, { signal: signal as AbortSignal });
  } catch (error) {
    throw await translateError(gateway.guard, error, { connection, method, params, dialect });
  }
}

/** Lists the skills of all servers in the order of the configuration, each with the addresses that the caller reads. */
async function listSkills(
  gateway: GatewayContext,
  { cursor }: JsonObject,
  requestContext: RequestContext,
): Promise<JsonObject> {
  const scope = gateway.getScope(requestContext);
  const unavailable: object[] = [];
  const hints: JsonObject[] = [];
  const lists = await Promise.all(
    gateway.registry.servers.map(async server => {
      try {
        const connection = gateway.registry.getConnection(server, scope);
        const client = await connection.getClient();
        if (getSkillSettings(client) === undefined) return [];
        const entries = await readSkillPages(connection, async own => {
          const page = await callServer(gateway, connection, LIST, own, requestContext);
          hints.push(page);
          return page;
        });
        const shown = entries.filter(entry => isVisible(gateway, connection, entry, requestContext));
        const admitted = await gateway.guard.filterSkills(connection, shown);
        return admitted.map(entry => withPublicAddresses(gateway, connection, entry, requestContext));
      } catch (error) {
        const { code } = TenonError.from(error);
        unavailable.push({ server, reason: 'the server does not list its skills', code });
        return [];
      }
    }),
  );
  const all = lists.flat();
  const start = cursor === undefined ? 0 : Number(/^skills-(\d{1,7})$/.exec(String(cursor))?.[1] ?? Number.NaN);
  if (Number.isNaN(start) || (start > 0 && start >= all.length))
    throw rpcError(INVALID_PARAMS, 'Invalid params: unknown cursor. List again without a cursor');
  const end = start + gateway.pageSize;
  const times = hints.map(each => readCacheHints(each).ttlMs ?? 0);
  return {
    skills: all.slice(start, end),
    ...(end < all.length ? { nextCursor: `skills-${end}` } : {}),
    ttlMs: unavailable.length > 0 || times.length === 0 ? 0 : Math.min(...times),
    cacheScope: 'private',
    ...(unavailable.length > 0 ? { _meta: { [UNAVAILABLE]: unavailable } } : {}),
  };
}

function isVisible(
  gateway: GatewayContext,
  connection: UpstreamConnection,
  { uri }: JsonObject,
  { caller }: RequestContext,
): boolean {
  if (typeof uri !== 'string') return false;
  if (gateway.selection?.hasEntry(connection.server, uri) === false) return false;
  if (gateway.listDenied || !gateway.guard.hidesEntries) return true;
  return !gateway.guard.isAlwaysDenied(createResourceRequest(connection, uri, caller.auth), false);
}

/** Forwards a method about a resource to the server of the resource. */
async function forwardByUri(
  gateway: GatewayContext,
  method: typeof GET | typeof READ_DIRECTORY,
  params: JsonObject,
  requestContext: RequestContext,
): Promise<JsonObject> {
  const { uri: outer } = params;
  if (typeof outer !== 'string') throw rpcError(INVALID_PARAMS, 'Invalid params: uri is no string');
  const { connection, uri } = await resolveUpstreamResource(gateway, outer, requestContext, method);
  const request = createResourceRequest(connection, uri, requestContext.caller.auth);
  await gateway.guard.authorizePassive(request, connection, method);
  const client = await connection.getClient();
  const settings = getSkillSettings(client);
  if (settings === undefined || (method === READ_DIRECTORY && settings.directoryRead !== true))
    throw settings === undefined
      ? rpcError(INVALID_PARAMS, 'Invalid params: the server of the resource offers no skills', { uri: outer })
      : rpcError(METHOD_NOT_FOUND, `Method not found: the server of the resource has no ${method}`);
  const result = await callServer(gateway, connection, method, { ...params, uri }, requestContext);
  const { resultType: _, ...rest } = result;
  const cache = { ...rest, ttlMs: readCacheHints(rest).ttlMs ?? 0, cacheScope: 'private' };
  if (method === GET) {
    if (!isObject(rest.skill)) throw rpcError(INTERNAL_ERROR, `The server "${connection.server}" returned no skill`);
    // The skill may differ from the one that the lock has approved, or be another one than was requested.
    const admitted = await gateway.guard.filterSkills(connection, [rest.skill]);
    if (admitted.length === 0) {
      const returned = createResourceRequest(connection, String(rest.skill.uri), requestContext.caller.auth);
      await gateway.guard.authorizePassive(returned, connection, method);
    }
    return { ...cache, skill: withPublicAddresses(gateway, connection, rest.skill, requestContext) };
  }
  const catalog = gateway.getCatalog(gateway.getScope(requestContext));
  const children = Array.isArray(rest.resources) ? rest.resources.filter(isObject) : [];
  const resources = children.map(child =>
    typeof child.uri === 'string' ? { ...child, uri: catalog.toPublicUri(connection.server, child.uri) } : child,
  );
  return gateway.guard.processResult(request, { ...cache, resources }, false);
}

/** Replaces the addresses of a skill and its files. All files keep the folder of their skill. */
function withPublicAddresses(
  gateway: GatewayContext,
  { server }: UpstreamConnection,
  entry: JsonObject,
  requestContext: RequestContext,
): JsonObject {
  const { uri, resources } = entry;
  if (typeof uri !== 'string') return entry;
  const catalog = gateway.getCatalog(gateway.getScope(requestContext));
  const toPublic = (own: string) => catalog.toPublicUri(server, own);
  const files = Array.isArray(resources)
    ? resources.map((file: unknown) =>
        isObject(file) && typeof file.uri === 'string' ? { ...file, uri: toPublic(file.uri) } : file,
      )
    : resources;
  return { ...entry, uri: toPublic(uri), ...(resources === undefined ? {} : { resources: files }) };
}
