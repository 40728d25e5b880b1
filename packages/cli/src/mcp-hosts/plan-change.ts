import { isDeepStrictEqual } from 'node:util';
import type { CommandTarget, UrlTarget } from 'tenon/host';
import { readConfigText } from './config-file.js';
import { isJsonObject } from '../openapi/json-object.js';
import { type HostConfig, listHostEntries, removeHostEntry, setHostEntry } from './host-config.js';
import { formatEntry, type HostEntry } from './hosts/format-entry.js';
import type { McpHost } from './hosts/mcp-host.js';
import { listOwnKeys, parseHostEntry } from './hosts/parse-entry.js';

/** Change of one file that is not written yet. */
export interface PlannedChange {
  readonly host: McpHost;
  readonly file: string;
  /** `undefined`: the file does not exist. */
  readonly before: string | undefined;
  readonly after: string;
  readonly actions: readonly PlannedAction[];
}

export interface PlannedAction {
  readonly name: string;
  readonly action: 'add' | 'change' | 'remove' | 'keep';
  /** Variables that the user must replace in the file, because the host does not. */
  readonly unsupported: readonly string[];
}

/** Reads the configuration of a host as the start of a plan. */
export async function openPlan(host: McpHost, file: string): Promise<PlannedChange> {
  const before = await readConfigText(file);
  return { host, file, before, after: before ?? '', actions: [] };
}

/** Plans to set a server. A server that is the same, apart from settings of the user, is kept. */
export function setPlannedServer(plan: PlannedChange, name: string, target: CommandTarget | UrlTarget): PlannedChange {
  const config = toConfig(plan);
  const { entry, unsupported } = formatEntry(plan.host, name, target);
  const existing = listHostEntries(config).get(name);
  const wanted = parseHostEntry(plan.host, entry);
  const isSame = existing !== undefined && isDeepStrictEqual(parseHostEntry(plan.host, existing), wanted);
  if (isSame) return withAction(plan, plan.after, { name, action: 'keep', unsupported: [] });
  const text = setHostEntry(config, name, mergeEntry(plan.host, existing, entry));
  return withAction(plan, text, { name, action: existing === undefined ? 'add' : 'change', unsupported });
}

/** Plans to remove a server, if it is there. */
export function removePlannedServer(plan: PlannedChange, name: string): PlannedChange {
  const config = toConfig(plan);
  if (!listHostEntries(config).has(name)) return plan;
  return withAction(plan, removeHostEntry(config, name), { name, action: 'remove', unsupported: [] });
}

export const toConfig = ({ host, file, after }: PlannedChange): HostConfig => ({ host, file, text: after });

const withAction = (plan: PlannedChange, after: string, action: PlannedAction): PlannedChange => ({
  ...plan,
  after,
  actions: [...plan.actions, action],
});

/** Keeps the members of an entry that do not tell how to connect, such as `disabled`. */
function mergeEntry(host: McpHost, existing: unknown, entry: HostEntry): HostEntry {
  if (!isJsonObject(existing)) return entry;
  const own = listOwnKeys(host);
  const kept = Object.entries(existing).filter(([key]) => !own.has(key));
  const merged = { ...entry, ...Object.fromEntries(kept) };
  // Headers may be one of several settings of requests.
  const [outer = '', inner] = host.url?.headers ?? [];
  const [before, after] = [existing[outer], entry[outer]];
  if (inner === undefined || !isJsonObject(before)) return merged;
  const { [inner]: _, ...settings } = before;
  const both = { ...settings, ...(isJsonObject(after) ? after : {}) };
  return Object.keys(both).length === 0 ? merged : { ...merged, [outer]: both };
}
