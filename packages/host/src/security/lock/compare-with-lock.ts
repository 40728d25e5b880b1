import { checkArray, checkOptional, type JsonObject, requireArgument } from '@tenon/base';
import { checkInventory, type ServerInventory } from '../../catalog/server-inventory.js';
import { checkServerEntry, type ServerEntry } from '../../config/server-entry.js';
import { createLockedServer } from './create-lock.js';
import { type Drift, getDriftKind, getDriftSeverity } from './drift.js';
import {
  type Definitions,
  type Lock,
  type LockedServer,
  PINNED_KINDS,
  type PinnedDefinition,
  type PinnedKind,
  requireLock,
  SECTIONS,
} from './lock.js';
import {
  computeDigest,
  getMember,
  getServerDefinition,
  listDefinitions,
  listMembers,
  toCanonicalText,
} from './pin-definition.js';
import { describeSource } from './server-source.js';

/**
 * Compares a server with a lock, and returns the differences in the order of the lock. Without `inventory`, before the
 * server is started, only its source is compared.
 *
 * @throws TenonError `lock/unwritable` or `lock/too-large` when the server's definitions cannot be locked.
 */
export async function compareWithLock(lock: Lock, entry: ServerEntry, inventory?: ServerInventory): Promise<Drift[]> {
  requireLock('compareWithLock', lock);
  requireArgument('`entry` of compareWithLock', entry, checkServerEntry);
  requireArgument('`inventory` of compareWithLock', inventory, checkOptional(checkInventory));
  const source = await describeSource(entry);
  const locked = lock.servers.get(entry.name);
  if (locked === undefined) {
    const found = inventory === undefined ? { source } : await createLockedServer(inventory, entry);
    return [createServerDrift(entry.name, 'unknown server', { found })];
  }
  const drifts: Drift[] = [];
  if (toCanonicalText(locked.source) !== toCanonicalText(source)) {
    drifts.push(
      createServerDrift(entry.name, 'command' in source ? 'command' : 'url', { before: locked.source, after: source }),
    );
  }
  return inventory === undefined ? drifts : [...drifts, ...compareInventory(locked, inventory)];
}

/** Compares all servers of a host with a lock, including locked servers that the host no longer has. */
export async function compareAllWithLock(
  lock: Lock,
  entries: readonly ServerEntry[],
  inventories: readonly ServerInventory[],
): Promise<Drift[]> {
  requireLock('compareAllWithLock', lock);
  requireArgument('`entries` of compareAllWithLock', entries, checkArray(checkServerEntry));
  requireArgument('`inventories` of compareAllWithLock', inventories, checkArray(checkInventory));
  const byName = new Map(inventories.map(each => [each.server, each]));
  const found: Drift[] = [];
  for (const entry of entries) found.push(...(await compareWithLock(lock, entry, byName.get(entry.name))));
  const configured = new Set(entries.map(({ name }) => name));
  const removed = [...lock.servers.keys()].filter(name => !configured.has(name));
  return [...found, ...removed.map(name => createServerDrift(name, 'removed server', {}))];
}

/** Compares the inventory of a server with the locked one. Ignores the source of the server. */
function compareInventory(locked: LockedServer, inventory: ServerInventory): Drift[] {
  const server = inventory.server;
  const about = { server, of: 'server', name: server } as const;
  const drifts = compareMembers(about, locked.serverInfo, getServerDefinition(inventory));
  for (const kind of PINNED_KINDS)
    drifts.push(...compareKind(server, kind, locked[SECTIONS[kind]] ?? NO_DEFINITIONS, inventory));
  return drifts;
}

const NO_DEFINITIONS: Definitions = new Map();

function compareKind(server: string, of: PinnedKind, pinned: Definitions, inventory: ServerInventory): Drift[] {
  const drifts: Drift[] = [];
  const seen = new Map<string, string>();
  for (const [name, definition] of listDefinitions(inventory, of)) {
    const text = toCanonicalText(definition);
    const twin = seen.get(name);
    seen.set(name, twin ?? text);
    const approved = pinned.get(name);
    const place = { server, of, name };
    // With duplicate names it is unknown which tool a call reaches. The first one is pinned.
    if (twin !== undefined)
      drifts.push(...(twin === text ? [] : [createDrift(place, 'duplicate', { after: definition })]));
    else if (approved === undefined) drifts.push(createDrift(place, 'added', { after: definition }));
    else drifts.push(...compareMembers(place, approved, definition));
  }
  // A server that did not send a list has not shown that it removed all entries.
  if (inventory.missing?.includes(SECTIONS[of])) return drifts;
  for (const [name, { definition }] of pinned) {
    if (!seen.has(name)) drifts.push(createDrift({ server, of, name }, 'removed', { before: definition }));
  }
  return drifts;
}

type DriftLocation = Pick<Drift, 'server' | 'of' | 'name'>;

/** Compares definitions member by member. The readable definition in the lock decides, not the digest next to it. */
function compareMembers(place: DriftLocation, pinned: PinnedDefinition, definition: JsonObject): Drift[] {
  const cut = pinned.cut ?? {};
  const now = listMembers(definition).map(([member]) => member);
  const members = new Set([...now, ...Object.keys(pinned.definition), ...Object.keys(cut)]);
  const drifts: Drift[] = [];
  for (const member of [...members].sort()) {
    const after = getMember(definition, member);
    const before = getMember(pinned.definition, member);
    const beforeCut = Object.hasOwn(cut, member) ? cut[member] : undefined;
    const same = beforeCut ? beforeCut.digest === computeDigest(after) : isSame(before, after);
    if (same) continue;
    const kind = getDriftKind(place.of, member);
    drifts.push(createDrift(place, kind, { member, before, after, ...(beforeCut && { beforeCut }) }));
  }
  return drifts;
}

/** Compares two values. Treats an absent value separately, because canonical JSON writes it as `null`. */
function isSame(before: unknown, after: unknown): boolean {
  return (before === undefined) === (after === undefined) && toCanonicalText(before) === toCanonicalText(after);
}

type DriftDetails = Omit<Drift, 'server' | 'of' | 'name' | 'kind' | 'severity'>;

const createServerDrift = (server: string, kind: Drift['kind'], rest: DriftDetails): Drift =>
  createDrift({ server, of: 'server', name: server }, kind, rest);

function createDrift(place: DriftLocation, kind: Drift['kind'], rest: DriftDetails): Drift {
  return { ...place, kind, severity: getDriftSeverity(kind), ...rest };
}
