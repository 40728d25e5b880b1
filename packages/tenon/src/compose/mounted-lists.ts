import { isObject, type JsonObject, mapPageAddresses } from '@tenon/base';
import type { ListName } from '../protocol/lists.js';
import { createListPage } from '../server/methods/list-pages.js';
import type { MethodCall, ServerMethodHandler, ServerRuntime } from '../server/server-runtime.js';
import { type MountedServer, toPublicName } from './mount-names.js';
import { runAtMounted, toPublicUri } from './run-mounted.js';

/** Methods of lists: the registry of the entries, the member of the result, and the member with the name of an entry. */
const LISTS = {
  'tools/list': { registry: 'tools', member: 'tools', nameMember: 'name' },
  'prompts/list': { registry: 'prompts', member: 'prompts', nameMember: 'name' },
  'resources/list': { registry: 'resources', member: 'resources', nameMember: 'uri' },
  'resources/templates/list': { registry: 'resources', member: 'resourceTemplates', nameMember: 'uriTemplate' },
} as const satisfies { readonly [method: string]: ListShape };

export type ListMethod = keyof typeof LISTS;

interface ListShape {
  readonly registry: ListName;
  readonly member: string;
  readonly nameMember: string;
}

/** Entries of one server in a list, with the cache hints of its result. */
interface ListPart {
  readonly entries: readonly JsonObject[];
  readonly ttlMs: number;
  readonly isPublic: boolean;
}

/**
 * Lists the entries of the server and of the mounted servers, each by the middleware and the rules of its server. Of two
 * entries with one name, the first one is listed: it is also the one that calls reach.
 */
export async function listWithMounted(
  call: MethodCall<ListMethod>,
  own: { readonly server: ServerRuntime; readonly handler: ServerMethodHandler<never> },
  mountedServers: readonly MountedServer[],
): Promise<JsonObject> {
  const { server, method, requestContext } = call;
  const { cursor, ...params } = call.params;
  const { registry, member, nameMember } = LISTS[method];
  const ownPart = async (): Promise<ListPart> =>
    readPart(await own.handler({ ...call, server: own.server, params } as never), member);
  const mountedPart = async (mounted: MountedServer): Promise<ListPart[]> => {
    if (!mounted.runtime[registry].isOffered) return [];
    try {
      const part = readPart(await runAtMounted(call, mounted, params, undefined), member);
      const toPublic = (entry: JsonObject): JsonObject => ({
        ...mapPageAddresses(entry, uri => toPublicUri(uri, mounted, requestContext)),
        [nameMember]: toPublicName(mounted.prefix, registry, String(entry[nameMember])),
      });
      return [{ ...part, entries: part.entries.map(toPublic) }];
    } catch (error) {
      // The lists of the other servers are still of use.
      requestContext.reportError(error, 'mount/list', `${method} of the server mounted as "${mounted.prefix}"`);
      return [];
    }
  };
  const [first, ...others] = await Promise.all([ownPart(), ...mountedServers.map(mountedPart)]);
  const parts = [first, ...others.flat()].flat();
  const byName = new Map<unknown, JsonObject>();
  for (const entry of parts.flatMap(({ entries }) => entries))
    if (!byName.has(entry[nameMember])) byName.set(entry[nameMember], entry);
  const getKey = (entry: JsonObject) => String(entry[nameMember]);
  const page = { key: member, all: [...byName.values()], getKey, cursor, pageSize: server.pageSize };
  return createListPage(server, page, {
    ttlMs: Math.min(...parts.map(({ ttlMs }) => ttlMs)),
    cacheScope: parts.every(({ isPublic }) => isPublic) ? 'public' : 'private',
  });
}

/** Reads the entries of one server. Middleware may have replaced the result. */
function readPart(result: JsonObject, member: string): ListPart {
  const entries: unknown = result[member];
  return {
    entries: Array.isArray(entries) ? entries.filter(isObject) : [],
    ttlMs: typeof result.ttlMs === 'number' ? result.ttlMs : 0,
    isPublic: result.cacheScope === 'public',
  };
}
