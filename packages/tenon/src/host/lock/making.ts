import { TenonError } from '../../jsonrpc/error.js';
import type { ServerEntry } from '../config/server-entry.js';
import type { Offered } from '../offered.js';
import {
  type Definitions,
  type Lock,
  type LockedServer,
  MAX_PINNED,
  type Pinned,
  type PinnedKind,
  SECTIONS,
} from './lock.js';
import { aboutOf, definitionsOf, pin } from './pin.js';
import { sourceOf } from './source.js';

/**
 * Locks all that servers offer now, each with the entry of its name. An entry whose server offered nothing (it is
 * disabled, or down) is not in the lock. Rejects with `lock/no-entry`, `lock/too-large`, `lock/unwritable`.
 */
export async function lockOf(offereds: readonly Offered[], entries: readonly ServerEntry[]): Promise<Lock> {
  const byName = new Map(entries.map(entry => [entry.name, entry]));
  const servers = new Map<string, LockedServer>();
  for (const offered of offereds) {
    const entry = byName.get(offered.server);
    if (entry === undefined) {
      throw new TenonError('lock/no-entry', `there is no entry for the server ${JSON.stringify(offered.server)}`, {
        next: 'hand over the entry of each server together with what it offers',
      });
    }
    servers.set(offered.server, await lockedServer(offered, entry));
  }
  return { servers };
}

/** One server as it is now. */
export async function lockedServer(offered: Offered, entry: ServerEntry): Promise<LockedServer> {
  return {
    source: await sourceOf(entry),
    about: await pin(aboutOf(offered)),
    tools: await pinAll(offered, 'tool'),
    prompts: await pinAll(offered, 'prompt'),
    resources: await pinAll(offered, 'resource'),
    templates: await pinAll(offered, 'template'),
  };
}

/** Of two definitions of the same name the first is pinned; the other will be found to differ. */
async function pinAll(offered: Offered, kind: PinnedKind): Promise<Definitions> {
  const pinned = new Map<string, Pinned>();
  for (const [name, definition] of definitionsOf(offered, kind)) {
    if (!pinned.has(name)) pinned.set(name, await pin(definition));
    if (pinned.size > MAX_PINNED) {
      throw new TenonError(
        'lock/too-large',
        `the server ${JSON.stringify(offered.server)} has too many ${SECTIONS[kind]}`,
        {
          expected: `${MAX_PINNED} at the most`,
          next: 'lock a selection of what it offers',
        },
      );
    }
  }
  return pinned;
}
