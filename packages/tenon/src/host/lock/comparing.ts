import type { JsonObject } from '../../jsonrpc/message.js';
import type { ServerEntry } from '../config/server-entry.js';
import type { Offered } from '../offered.js';
import { type Drift, kindOfMember, severityOf } from './drift.js';
import {
  type Definitions,
  type Lock,
  type LockedServer,
  PINNED_KINDS,
  type Pinned,
  type PinnedKind,
  SECTIONS,
} from './lock.js';
import { lockedServer } from './making.js';
import { aboutOf, definitionsOf, digestOf, memberOf, membersOf, textOf } from './pin.js';
import { sourceOf } from './source.js';

/**
 * What of a server is another than in the lock, in the order of the lock. Without `offered` (before it was started) only
 * where it comes from is compared. Rejects with `lock/unwritable`, `lock/too-large`.
 */
export async function compare(lock: Lock, entry: ServerEntry, offered?: Offered): Promise<Drift[]> {
  const source = await sourceOf(entry);
  const locked = lock.servers.get(entry.name);
  if (locked === undefined) {
    const found = offered === undefined ? { source } : await lockedServer(offered, entry);
    return [drift(entry.name, 'unknown server', { found })];
  }
  const drifts: Drift[] = [];
  if (textOf(locked.source) !== textOf(source)) {
    drifts.push(drift(entry.name, 'command' in source ? 'command' : 'url', { before: locked.source, after: source }));
  }
  return offered === undefined ? drifts : [...drifts, ...(await compareOffered(locked, offered))];
}

/** The same for all servers of a host, and those of the lock that it has no longer. */
export async function compareAll(
  lock: Lock,
  entries: readonly ServerEntry[],
  offereds: readonly Offered[],
): Promise<Drift[]> {
  const byName = new Map(offereds.map(each => [each.server, each]));
  const found: Drift[] = [];
  for (const entry of entries) found.push(...(await compare(lock, entry, byName.get(entry.name))));
  const configured = new Set(entries.map(({ name }) => name));
  const gone = [...lock.servers.keys()].filter(name => !configured.has(name));
  return [...found, ...gone.map(name => drift(name, 'removed server', {}))];
}

/** What a server offers, against what was approved of it, whatever it comes from. */
async function compareOffered(locked: LockedServer, offered: Offered): Promise<Drift[]> {
  const server = offered.server;
  const about = { server, of: 'server', name: server } as const;
  const drifts = await compareMembers(about, locked.about, aboutOf(offered));
  for (const kind of PINNED_KINDS) drifts.push(...(await compareKind(server, kind, locked[SECTIONS[kind]], offered)));
  return drifts;
}

async function compareKind(server: string, of: PinnedKind, pinned: Definitions, offered: Offered): Promise<Drift[]> {
  const drifts: Drift[] = [];
  const seen = new Map<string, string>();
  for (const [name, definition] of definitionsOf(offered, of)) {
    const text = textOf(definition);
    const twin = seen.get(name);
    seen.set(name, twin ?? text);
    const approved = pinned.get(name);
    const place = { server, of, name };
    // Nobody can tell which of them is called. What is pinned is the first.
    if (twin !== undefined) drifts.push(...(twin === text ? [] : [change(place, 'duplicate', { after: definition })]));
    else if (approved === undefined) drifts.push(change(place, 'added', { after: definition }));
    else drifts.push(...(await compareMembers(place, approved, definition)));
  }
  for (const [name, { definition }] of pinned) {
    if (!seen.has(name)) drifts.push(change({ server, of, name }, 'removed', { before: definition }));
  }
  return drifts;
}

type Place = Pick<Drift, 'server' | 'of' | 'name'>;

/** Member by member, so that what stands in the lock to be read is what decides, not a digest beside it. */
async function compareMembers(place: Place, pinned: Pinned, definition: JsonObject): Promise<Drift[]> {
  const cut = pinned.cut ?? {};
  const now = membersOf(definition).map(([member]) => member);
  const members = new Set([...now, ...Object.keys(pinned.definition), ...Object.keys(cut)]);
  const drifts: Drift[] = [];
  for (const member of [...members].sort()) {
    const after = memberOf(definition, member);
    const before = memberOf(pinned.definition, member);
    const beforeCut = Object.hasOwn(cut, member) ? cut[member] : undefined;
    const same = beforeCut ? beforeCut.digest === (await digestOf(after)) : isSame(before, after);
    if (same) continue;
    const kind = kindOfMember(place.of, member);
    drifts.push(change(place, kind, { member, before, after, ...(beforeCut && { beforeCut }) }));
  }
  return drifts;
}

/** Canonical JSON has no word for what is not there, and says `null`. */
function isSame(before: unknown, after: unknown): boolean {
  return (before === undefined) === (after === undefined) && textOf(before) === textOf(after);
}

type Rest = Omit<Drift, 'server' | 'of' | 'name' | 'kind' | 'severity'>;

const drift = (server: string, kind: Drift['kind'], rest: Rest): Drift =>
  change({ server, of: 'server', name: server }, kind, rest);

function change(place: Place, kind: Drift['kind'], rest: Rest): Drift {
  return { ...place, kind, severity: severityOf(kind), ...rest };
}
