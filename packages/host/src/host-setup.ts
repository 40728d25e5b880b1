import type { ServerEntry } from './config/server-entry.js';
import { toServerEntry } from './connections/connector.js';
import { DEFAULT_HOST_OPTIONS, type HostOptions } from './host-options.js';

/** Converts the enabled servers to the form that the lock, the policy and the configuration use. */
export function toEntries(servers: HostOptions['servers']): Map<string, ServerEntry> {
  const enabled = Object.entries(servers).filter(([, { disabled }]) => !disabled);
  return new Map(enabled.map(([name, server]) => [name, toServerEntry(name, server)]));
}

/** Chooses the prefix. Counts disabled servers too, so that names do not depend on which servers are enabled. */
export function choosePrefix({ prefix = DEFAULT_HOST_OPTIONS.prefix, servers }: HostOptions): 'always' | 'never' {
  if (prefix !== 'auto') return prefix;
  return Object.keys(servers).length > 1 ? 'always' : 'never';
}
