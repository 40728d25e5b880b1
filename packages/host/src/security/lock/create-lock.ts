import { checkArray, requireArgument, TenonError } from '@tenon/base';
import { checkInventory, type ServerInventory } from '../../catalog/server-inventory.js';
import { checkServerEntry, type ServerEntry } from '../../config/server-entry.js';
import {
  type Definitions,
  type Lock,
  type LockedServer,
  MAX_PINNED,
  type PinnedDefinition,
  type PinnedKind,
  SECTIONS,
} from './lock.js';
import { getServerDefinition, listDefinitions, pinDefinition } from './pin-definition.js';
import { describeSource } from './server-source.js';

/**
 * Creates a lock of the current inventories. Servers without an inventory are omitted.
 *
 * @throws TenonError `lock/no-entry`, `lock/too-large` or `lock/unwritable`.
 */
export async function createLock(
  inventories: readonly ServerInventory[],
  entries: readonly ServerEntry[],
): Promise<Lock> {
  requireArgument('`inventories` of createLock', inventories, checkArray(checkInventory));
  requireArgument('`entries` of createLock', entries, checkArray(checkServerEntry));
  const byName = new Map(entries.map(entry => [entry.name, entry]));
  const servers = new Map<string, LockedServer>();
  for (const offered of inventories) {
    const entry = byName.get(offered.server);
    if (entry === undefined) {
      throw new TenonError('lock/no-entry', `no configuration entry for the server ${JSON.stringify(offered.server)}`, {
        hint: 'pass the configuration entry of each server together with its inventory',
      });
    }
    servers.set(offered.server, await createLockedServer(offered, entry));
  }
  return { servers };
}

/** Creates the lock entry of one server. */
export async function createLockedServer(inventory: ServerInventory, entry: ServerEntry): Promise<LockedServer> {
  return {
    source: await describeSource(entry),
    serverInfo: pinDefinition(getServerDefinition(inventory)),
    tools: pinDefinitions(inventory, 'tool'),
    prompts: pinDefinitions(inventory, 'prompt'),
    resources: pinDefinitions(inventory, 'resource'),
    templates: pinDefinitions(inventory, 'template'),
    ...(inventory.skills && inventory.skills.length > 0 ? { skills: pinDefinitions(inventory, 'skill') } : {}),
    ...(inventory.pages && inventory.pages.length > 0 ? { pages: pinDefinitions(inventory, 'page') } : {}),
  };
}

/** Pins all definitions of one kind. For a duplicate name, the first definition is pinned. */
function pinDefinitions(inventory: ServerInventory, kind: PinnedKind): Definitions {
  const pinned = new Map<string, PinnedDefinition>();
  for (const [name, definition] of listDefinitions(inventory, kind)) {
    if (!pinned.has(name)) pinned.set(name, pinDefinition(definition));
    if (pinned.size > MAX_PINNED) {
      throw new TenonError(
        'lock/too-large',
        `the server ${JSON.stringify(inventory.server)} has too many ${SECTIONS[kind]}`,
        {
          expected: `at most ${MAX_PINNED}`,
          hint: 'lock a selection of its definitions',
        },
      );
    }
  }
  return pinned;
}
