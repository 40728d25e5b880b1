import { checkArray, checkObject, type JsonObject, requireArgument } from '@tenon/base';
import type { Drift } from './drift.js';
import {
  type Definitions,
  type Lock,
  type LockedServer,
  type PinnedDefinition,
  requireLock,
  SECTIONS,
  type ServerSource,
} from './lock.js';
import { createPinned, pinDefinition } from './pin-definition.js';

/** Applies approved changes to a lock. Skips changes that have become obsolete. Duplicate names cannot be approved. */
export async function acceptDrift(lock: Lock, drifts: readonly Drift[]): Promise<Lock> {
  requireLock('acceptDrift', lock);
  requireArgument('`drifts` of acceptDrift', drifts, checkArray(checkObject()));
  const servers = new Map(lock.servers);
  for (const drift of drifts) {
    const before = servers.get(drift.server);
    if (drift.kind === 'removed server') servers.delete(drift.server);
    else if (drift.kind === 'unknown server') {
      if (isLockedServer(drift.found)) servers.set(drift.server, drift.found);
    } else if (before !== undefined) servers.set(drift.server, applyToServer(before, drift));
  }
  return { servers };
}

/** Tells if an inventory can be locked. A server that was not started has none. */
const isLockedServer = (found: Drift['found']): found is LockedServer => found?.serverInfo !== undefined;

function applyToServer(server: LockedServer, drift: Drift): LockedServer {
  const { kind, of } = drift;
  if (kind === 'command' || kind === 'url') return { ...server, source: drift.after as ServerSource };
  if (of === 'server') return { ...server, serverInfo: replaceMember(server.serverInfo, drift) };
  const section = SECTIONS[of];
  return { ...server, [section]: applyToDefinitions(server[section] ?? new Map(), drift) };
}

function applyToDefinitions(definitions: Definitions, drift: Drift): Definitions {
  const result = new Map(definitions);
  const pinned = result.get(drift.name);
  if (drift.kind === 'removed') result.delete(drift.name);
  else if (drift.kind === 'added') result.set(drift.name, pinDefinition(drift.after as JsonObject));
  else if (drift.member !== undefined && pinned) result.set(drift.name, replaceMember(pinned, drift));
  return result;
}

function replaceMember({ definition, cut = {} }: PinnedDefinition, { member = '', after }: Drift): PinnedDefinition {
  const put = pinDefinition(after === undefined ? {} : Object.fromEntries([[member, after]]));
  return createPinned(replaceEntry(definition, member, put.definition), replaceEntry(cut, member, put.cut ?? {}));
}

function replaceEntry<T>(members: Readonly<Record<string, T>>, member: string, put: Readonly<Record<string, T>>) {
  const others = Object.entries(members).filter(([name]) => name !== member);
  return Object.fromEntries([...others, ...Object.entries(put)].sort(([a], [b]) => (a < b ? -1 : 1)));
}
