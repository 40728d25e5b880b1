import type { Clock } from '../jsonrpc/clock.js';
import { TenonError } from '../jsonrpc/error.js';
import type { JsonObject } from '../jsonrpc/message.js';
import { SharedLimit } from '../jsonrpc/shared-limit.js';
import { checkKey, checkVersion, endOf, pageOf, textOf } from './rules.js';
import { createSortedKeys } from './sorted-keys.js';
import type { Stored, Values } from './stores.js';

export interface MemoryBounds {
  readonly maxEntries: number;
  readonly maxTotalSize: number;
  readonly maxValueSize: number;
  /** Part of the room that the values of one owner may take alone. */
  readonly maxShare: number;
}

interface Entry {
  readonly text: string;
  readonly version: number;
  /** When its time is up, by the clock. */
  readonly end: number;
  /** Absent where nobody was named: such values only count towards the whole. */
  readonly owner: string | undefined;
}

/** How many entries each write looks at, to free those whose time is up. */
const SWEPT_PER_WRITE = 2;

export interface MemoryValues extends Values {
  /** How many are held, those included that have ended and are not swept yet. */
  readonly held: number;
  clear(): void;
}

/** Values in the memory of this process. `check` is called first, whatever is asked. */
export function createMemoryValues(clock: Clock, bounds: MemoryBounds, check: () => void): MemoryValues {
  const entries = new Map<string, Entry>();
  const keys = createSortedKeys();
  const counts = new SharedLimit(bounds.maxEntries, bounds.maxShare);
  const sizes = new SharedLimit(bounds.maxTotalSize, bounds.maxShare);
  let sweeping = entries.entries();
  /** No entry ends before: until then there is no use in sweeping all of them. */
  let soonest = Number.POSITIVE_INFINITY;

  const live = (key: string): Entry | undefined => {
    const entry = entries.get(key);
    return entry && entry.end > clock.now() ? entry : undefined;
  };

  function remove(key: string): void {
    const there = entries.get(key);
    if (there === undefined) return;
    counts.release(there.owner ?? '');
    sizes.release(there.owner ?? '', there.text.length);
    entries.delete(key);
    keys.delete(key);
  }

  /** Goes round the entries, a few at a time, so that those that nobody asks for again go as well. */
  function sweepSome(): void {
    for (let looked = 0; looked < SWEPT_PER_WRITE; looked++) {
      const { value, done } = sweeping.next();
      if (done) sweeping = entries.entries();
      else if (value[1].end <= clock.now()) remove(value[0]);
    }
  }

  function sweepAll(): void {
    if (clock.now() < soonest) return;
    soonest = Number.POSITIVE_INFINITY;
    for (const [key, { end }] of entries)
      if (end <= clock.now()) remove(key);
      else soonest = Math.min(soonest, end);
  }

  function fits(key: string, size: number, owner: string | undefined): boolean {
    const there = entries.get(key);
    const [more, growth] = [there ? 0 : 1, size - (there?.text.length ?? 0)];
    if (counts.total + more > bounds.maxEntries || sizes.total + growth > bounds.maxTotalSize) return false;
    // A value that becomes no larger may always be written, so that what was begun comes to its end.
    if (owner === undefined || (more === 0 && growth <= 0)) return true;
    return (more === 0 || counts.isWithinShare(owner)) && (growth <= 0 || sizes.isWithinShare(owner, growth));
  }

  function makeRoom(key: string, { text, owner }: Entry): void {
    if (!fits(key, text.length, owner)) sweepAll();
    if (!fits(key, text.length, owner)) throw fullError(bounds);
  }

  function write(key: string, entry: Entry): void {
    makeRoom(key, entry);
    const there = entries.get(key);
    if (there === undefined) keys.add(key);
    else {
      counts.release(there.owner ?? '');
      sizes.release(there.owner ?? '', there.text.length);
    }
    counts.add(entry.owner ?? '');
    sizes.add(entry.owner ?? '', entry.text.length);
    entries.set(key, entry);
    soonest = Math.min(soonest, entry.end);
    sweepSome();
  }

  return {
    async get(key) {
      check();
      checkKey(key);
      const entry = live(key);
      return entry && stored(key, entry);
    },
    async put(key, value, options = {}) {
      check();
      checkKey(key);
      checkVersion(options.version);
      const end = endOf(options, clock.now()) ?? Number.POSITIVE_INFINITY;
      const text = textOf(value, bounds.maxValueSize);
      const there = live(key);
      const version = there?.version ?? 0;
      if (options.version !== undefined && options.version !== version) return undefined;
      write(key, { text, version: version + 1, end, owner: options.owner ?? there?.owner });
      return version + 1;
    },
    async delete(key, version) {
      check();
      checkKey(key);
      checkVersion(version);
      const entry = live(key);
      if (entry === undefined || (version !== undefined && version !== entry.version)) return false;
      remove(key);
      return true;
    },
    async list(prefix, options = {}) {
      check();
      const { first, limit } = pageOf(prefix, options);
      const found: Stored[] = [];
      for (const key of keys.from(first)) {
        if (found.length === limit || !key.startsWith(prefix)) break;
        const entry = live(key);
        if (entry) found.push(stored(key, entry));
      }
      return found;
    },
    get held() {
      return entries.size;
    },
    clear() {
      for (const key of [...entries.keys()]) remove(key);
    },
  };
}

function stored(key: string, { text, version }: Entry): Stored {
  return { key, value: JSON.parse(text) as JsonObject, version };
}

function fullError({ maxEntries, maxTotalSize }: MemoryBounds): TenonError {
  const expected = `at most ${maxEntries} entries of ${maxTotalSize} characters together, of which one owner has a part`;
  const next = 'raise `maxEntries` or `maxTotalSize`, give values a `ttl`, or keep them in a file: `tenon/sqlite`';
  return new TenonError('store/full', 'the store in memory is full', { expected, next });
}
