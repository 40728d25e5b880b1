import { isDeepStrictEqual } from 'node:util';
import { isObject, toJsonObject } from '@tenon/base';
import type { CommandTarget, UrlTarget } from '@tenon/host';
import { TenonError } from 'tenon';
import { readConfigText } from './config-file.js';
import { type HostConfig, listHostEntries, removeHostEntry, setHostEntry } from './host-config.js';
import { formatEntry, type HostEntry } from './hosts/format-entry.js';
import type { McpHost } from './hosts/mcp-host.js';
import { listOwnKeys } from './hosts/own-keys.js';
import { listReferenceNames } from './hosts/variable-text.js';
import { readHostTargets } from './read-host-targets.js';

/** Change of one file that is not written yet. */
export interface PlannedChange {
  readonly host: McpHost;
  readonly file: string;
  /** `undefined`: the file does not exist. */
  readonly before: string | undefined;
  readonly after: string;
  readonly actions: readonly PlannedAction[];
  /** Servers of the text that can be read, by name. */
  readonly targets: ReadonlyMap<string, CommandTarget | UrlTarget>;
  /** Names of the servers of the text that cannot be read, and their errors. They are never removed. */
  readonly unread: ReadonlyMap<string, string>;
  /** Platform that starts the servers of the file. Absent for the file of a project, which all platforms use. */
  readonly platform?: string | undefined;
}

export interface PlannedAction {
  readonly name: string;
  readonly action: 'add' | 'change' | 'remove' | 'keep';
  /** Variables that the user must replace in the file, because the host does not. */
  readonly unsupported: readonly string[];
}

/** Reads the configuration of a host as the start of a plan. */
export async function openPlan(host: McpHost, file: string, platform?: string): Promise<PlannedChange> {
  const before = await readConfigText(file);
  const empty = {
    host,
    file,
    before,
    after: before ?? '',
    actions: [],
    platform,
    targets: new Map(),
    unread: new Map(),
  };
  // The writer of a format names the line and the column of a mistake, so it reads the file first.
  if (before === undefined || listHostEntries(toConfig(empty)).size === 0) return empty;
  const read = await readHostTargets(file, host).catch(error => {
    // Claude Code keeps its history in the file. The servers are then changed without a comparison.
    if (TenonError.is(error) && error.code === 'config/too-large') return undefined;
    throw error;
  });
  if (!read) return empty;
  const { servers, unread } = read;
  const targets = new Map([...servers].map(([name, { target }]) => [name, target]));
  return { ...empty, targets, unread };
}

/**
 * Plans to set a server. A server that is the same, apart from settings of the user, is kept.
 *
 * @param kept Parts such as `env.TOKEN` whose values in the file are kept.
 */
export function setPlannedServer(
  plan: PlannedChange,
  name: string,
  target: CommandTarget | UrlTarget,
  kept: readonly string[] = [],
): PlannedChange {
  const { host, platform, targets } = plan;
  const config = toConfig(plan);
  const existing = listHostEntries(config).get(name);
  const before = targets.get(name);
  const { unsupported } = formatEntry(host, name, target, platform);
  const { entry } = formatEntry(host, name, keepValues(target, before, kept, unsupported), platform);
  const isSame = before !== undefined && isDeepStrictEqual(formatEntry(host, name, before, platform).entry, entry);
  if (isSame) return withAction(plan, plan.after, { name, action: 'keep', unsupported: [] });
  const text = setHostEntry(config, name, mergeEntry(host, existing, entry));
  const missing = unsupported.filter(variable => JSON.stringify(entry).includes(`<${variable}>`));
  const action = existing === undefined ? 'add' : 'change';
  const changed = withAction(plan, text, { name, action, unsupported: missing });
  return { ...changed, targets: new Map([...targets, [name, target]]) };
}

/** Keeps values of the file: those in `kept`, and those that the user wrote for variables that the host does not replace. */
function keepValues(
  target: CommandTarget | UrlTarget,
  before: CommandTarget | UrlTarget | undefined,
  kept: readonly string[],
  unsupported: readonly string[],
): CommandTarget | UrlTarget {
  const keep = (kind: string, wanted: Values = {}, present: Values = {}) =>
    Object.fromEntries(
      Object.entries(wanted).map(([key, value]) => {
        const isKept =
          kept.includes(`${kind}.${key}`) || listReferenceNames(value).some(each => unsupported.includes(each));
        return [key, (isKept && present[key]) || value];
      }),
    );
  if (before === undefined) return target;
  if ('command' in target)
    return 'command' in before ? { ...target, env: keep('env', target.env, before.env) } : target;
  return 'url' in before ? { ...target, headers: keep('headers', target.headers, before.headers) } : target;
}

type Values = Readonly<Record<string, string>>;

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
  if (!isObject(existing)) return entry;
  const keys = listOwnKeys(host);
  const others = Object.entries(existing).filter(([key]) => !keys.has(key));
  const merged = { ...entry, ...Object.fromEntries(others) };
  // Headers may be one of several settings of requests.
  const [outer = '', inner] = host.url?.headers ?? [];
  const [before, after] = [existing[outer], entry[outer]];
  if (inner === undefined || !isObject(before)) return merged;
  const { [inner]: _, ...settings } = before;
  const both = { ...settings, ...toJsonObject(after) };
  return Object.keys(both).length === 0 ? merged : { ...merged, [outer]: both };
}
