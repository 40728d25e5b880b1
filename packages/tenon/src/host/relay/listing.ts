import type { JsonObject } from '../../jsonrpc/message.js';
import type { Tool } from '../../model/content.js';
import type { Operation } from '../../server/middleware.js';
import { page } from '../../server/paging.js';
import type { Turn } from '../../server/turn.js';
import type { Hub } from '../hub.js';
import type { Absent } from '../switchboard.js';
import { type Kind, keyOf } from '../upstream/lists.js';
import { withinBudget } from './meta-tools.js';
import { listSignInTools } from './signing-in.js';

/** The key of `_meta` under which a list says which servers are missing from it, and why. */
export const ABSENT = 'tenon/absent';

const KEYS = {
  tools: 'tools',
  prompts: 'prompts',
  resources: 'resources',
  templates: 'resourceTemplates',
} as const;

/** One of the four lists, of all servers together. */
export async function list(hub: Hub, kind: Kind, { params, context }: Operation, turn: Turn): Promise<JsonObject> {
  const audience = hub.audience(turn);
  const offering = await hub.catalog(audience).offering(kind);
  const { absent, ttlMs = 0, cacheScope = 'private' } = offering;
  const items = kind === 'tools' ? shown(hub, offering.items as readonly Tool[], absent, turn) : offering.items;
  const { cursor } = params;
  const { items: some, nextCursor } = page(items, keyOf, (cursor ?? undefined) as string | undefined, hub.pageSize);
  if (absent.length > 0) context.log('warning', { absent }, 'tenon');
  return {
    [KEYS[kind]]: some,
    ...(nextCursor === undefined ? {} : { nextCursor }),
    ...(absent.length > 0 ? { _meta: { [ABSENT]: absent as unknown as JsonObject } } : {}),
    ttlMs,
    // A list for an authenticated caller may be meant for that caller only.
    cacheScope: audience.identity.principal === undefined ? cacheScope : 'private',
  };
}

function shown(hub: Hub, tools: readonly Tool[], absent: readonly Absent[], turn: Turn): readonly Tool[] {
  const listed = withTasks(withinBudget(tools, hub.budget)?.tools ?? tools, turn);
  const own = listSignInTools(hub, absent, hub.audience(turn));
  if (own.length === 0) return listed;
  const names = new Set(listed.map(({ name }) => name));
  return [...listed, ...own.filter(({ name }) => !names.has(name))];
}

const plain = new WeakMap<readonly Tool[], readonly Tool[]>();

/** Whether a call may become a task is said of a tool in some revisions, and nowhere in others. */
function withTasks(tools: readonly Tool[], { dialect }: Turn): readonly Tool[] {
  if (dialect.tasks === 'by-parameter' || !tools.some(({ execution }) => execution)) return tools;
  const known = plain.get(tools);
  if (known) return known;
  const without = tools.map(({ execution: _, ...tool }) => tool as Tool);
  plain.set(tools, without);
  return without;
}
