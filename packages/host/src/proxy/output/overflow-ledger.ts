import { type Clock, TenonError, type Values } from '@tenon/base';

/** Stored content in the ledger. */
export interface OverflowEntry {
  readonly id: string;
  /** Size of the content, in characters. */
  readonly size: number;
  readonly end: number;
  readonly owner: string | null;
}

interface OverflowLedgerOptions {
  readonly values: Values;
  readonly clock: Clock;
  readonly maxBytes: number;
  readonly maxBytesPerOwner: number;
  readonly forget: (id: string, size: number) => Promise<void>;
}

export interface OverflowLedger {
  /** Adds an entry, and evicts others if necessary. Resolves with false if the entry is too large. */
  add(entry: OverflowEntry): Promise<boolean>;
  remove(id: string): Promise<void>;
}

const LEDGER_KEY = 'spill-ledger';
/** Maximum number of entries of all principals. The ledger is one value of a store. */
const MAX_ENTRIES = 2_000;
/** Maximum number of attempts to write when other processes write first. */
const MAX_TRIES = 50;

/** Tracks the size of the stored content over all processes of a store, and enforces the limits. */
export function createOverflowLedger({
  values,
  clock,
  maxBytes,
  maxBytesPerOwner,
  forget,
}: OverflowLedgerOptions): OverflowLedger {
  async function change(edit: (entries: OverflowEntry[]) => OverflowEntry[]): Promise<OverflowEntry[]> {
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const stored = await values.get(LEDGER_KEY);
      const entries = (stored?.value.entries ?? []) as OverflowEntry[];
      const changed = edit(entries.filter(({ end }) => end > clock.now()));
      const version = await values.put(LEDGER_KEY, { entries: changed }, { version: stored?.version ?? 0 });
      if (version !== undefined) return entries.filter(({ id }) => !changed.some(each => each.id === id));
    }
    throw new TenonError('overflow/busy', 'cannot update the index of stored results', {
      hint: 'configure a separate store for some processes, because too many write at once',
    });
  }

  return {
    async add(entry) {
      if (entry.size > maxBytesPerOwner || entry.size > maxBytes) return false;
      const evicted = await change(entries =>
        evictEntries([...entries, entry], { maxBytes, maxEach: maxBytesPerOwner }),
      );
      for (const { id, size } of evicted) await forget(id, size);
      return true;
    },
    async remove(id) {
      const evicted = await change(entries => entries.filter(each => each.id !== id));
      for (const { id: each, size } of evicted) await forget(each, size);
    },
  };
}

/**
 * Chooses the entries to evict, except the newest one. The oldest entry of the owner with the most data is evicted
 * first, so that no owner displaces a smaller one.
 */
function evictEntries(
  entries: OverflowEntry[],
  { maxBytes, maxEach }: { maxBytes: number; maxEach: number },
): OverflowEntry[] {
  const remaining = [...entries];
  const last = entries.at(-1);
  const sums = new Map<string | null, number>();
  let total = 0;
  const count = ({ owner, size }: OverflowEntry, sign: 1 | -1) => {
    sums.set(owner, (sums.get(owner) ?? 0) + sign * size);
    total += sign * size;
  };
  for (const each of entries) count(each, 1);
  const drop = (owner: string | null) => {
    const at = remaining.findIndex(each => each.owner === owner && each !== last);
    const [entry] = at < 0 ? [] : remaining.splice(at, 1);
    if (entry) count(entry, -1);
    return entry !== undefined;
  };
  while (last && (sums.get(last.owner) ?? 0) > maxEach && drop(last.owner));
  while (total > maxBytes || remaining.length > MAX_ENTRIES) {
    const others = remaining.filter(each => each !== last).map(({ owner }) => owner);
    const [owner] = others.toSorted((a, b) => (sums.get(b) ?? 0) - (sums.get(a) ?? 0));
    if (owner === undefined || !drop(owner)) break;
  }
  return remaining;
}
