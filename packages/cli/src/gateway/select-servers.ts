import { createUsageError } from '../usage-error.js';

/** Servers that the gateway offers at each path. An item is a server, or `server/name` with wildcards. */
export interface ServerSelections {
  /** Items at `/mcp` and on stdio. Absent for all servers. */
  readonly servers?: readonly string[];
  /** Items at the path `/NAME`, by name. */
  readonly virtual?: Readonly<Record<string, readonly string[]>>;
}

const RESERVED_PATHS: readonly string[] = ['mcp', 'sse', 'messages', 'healthz', 'readyz', 'metrics', 'sign-in'];

/** Checks the names, and replaces the names of virtual servers in `servers` by their items. */
export function selectServers(known: readonly string[], { servers, virtual = {} }: ServerSelections): ServerSelections {
  const reserved = RESERVED_PATHS.find(name => Object.hasOwn(virtual, name));
  if (reserved) throw createUsageError(`the path /${reserved} is reserved`, 'rename the virtual server');
  const expanded = servers?.flatMap(item =>
    Object.hasOwn(virtual, item) && !known.includes(item) ? (virtual[item] ?? []) : [item],
  );
  const missing = [...(expanded ?? []), ...Object.values(virtual).flat()]
    .map(item => item.split('/', 1)[0] ?? '')
    .find(name => !known.includes(name));
  if (missing === undefined) return { ...(expanded ? { servers: expanded } : {}), virtual };
  const names = [...known, ...Object.keys(virtual)];
  throw createUsageError(`server "${missing}" not found`, `use one of: ${names.join(', ')}`);
}
