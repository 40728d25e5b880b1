import type { SnapshotsView } from '@tenon/console/api';
import { compareWithLock, createLock, type ServerEntry, type ServerInventory } from '@tenon/host';
import type { ServerListing } from '../tools/read-listing.js';
import { toDriftView } from './gateway/gateway-lock.js';

/** Maximum number of snapshots of a server. The oldest are dropped. */
const MAX_SNAPSHOTS = 10;
/** Maximum number of changes that the page gets. */
const MAX_SHOWN = 200;

/** Definitions of a server at one time. */
interface Snapshot {
  readonly id: number;
  readonly time: number;
  readonly inventory: ServerInventory;
  readonly text: string;
}

/** The definitions that a server has had since it was added, also over its connections. */
export class ServerSnapshots {
  readonly #entry: ServerEntry;
  readonly #now: () => number;
  #snapshots: readonly Snapshot[] = [];

  /** @param now Returns the time in milliseconds since 1970. */
  constructor(server: string, now: () => number = Date.now) {
    // A lock compares sources as well. The source of a server does not change here.
    this.#entry = { name: server, target: { command: server } };
    this.#now = now;
  }

  /** Adds the definitions of a server, if they are not those of the last snapshot, and if all lists were read. */
  add(listing: ServerListing): void {
    if (listing.failedLists.length > 0) return;
    const inventory = toInventory(this.#entry.name, listing);
    const text = JSON.stringify(inventory);
    const last = this.#snapshots.at(-1);
    if (last?.text === text) return;
    const next = { id: (last?.id ?? 0) + 1, time: this.#now(), inventory, text };
    this.#snapshots = [...this.#snapshots, next].slice(-MAX_SNAPSHOTS);
  }

  /** Compares two snapshots. Default: the first and the last one. */
  async read(before?: number, after?: number): Promise<SnapshotsView> {
    const find = (id: number | undefined) => this.#snapshots.find(each => each.id === id);
    const one = find(before) ?? this.#snapshots[0];
    const other = find(after) ?? this.#snapshots.at(-1);
    const drifts =
      one && other && one !== other
        ? await compareWithLock(await createLock([one.inventory], [this.#entry]), this.#entry, other.inventory)
        : [];
    return {
      snapshots: this.#snapshots.map(({ id, time }) => ({ id, time })),
      before: one?.id ?? null,
      after: other?.id ?? null,
      count: drifts.length,
      changes: drifts.slice(0, MAX_SHOWN).map(drift => {
        const { id, title, lines } = toDriftView(drift);
        return { id, title, lines };
      }),
    };
  }
}

function toInventory(server: string, listing: ServerListing): ServerInventory {
  const { server: info, protocolVersion, instructions, resources, resourceTemplates, prompts } = listing;
  const tools = listing.tools.map(({ signature: _, tokens: __, ...tool }) => tool);
  return {
    server,
    info: info ?? undefined,
    instructions: instructions ?? undefined,
    protocolVersion,
    tools,
    prompts,
    resources,
    templates: resourceTemplates,
  };
}
