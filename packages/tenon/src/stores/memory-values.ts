import {
  type Clock,
  checkKey,
  checkVersion,
  computeExpiry,
  type JsonObject,
  SharedLimit,
  type StoredValue,
  serializeValue,
  TenonError,
  toKeyRange,
  type Values,
} from '@tenon/base';
import { createSortedKeys } from './sorted-keys.js';

export interface MemoryLimits {
  readonly maxEntries: number;
  readonly maxTotalSize: number;
  readonly maxValueSize: number;
  /** Share of the limits that the values of one owner may use, from 0 to 1. */
  readonly maxShare: number;
}

interface MemoryEntry {
  readonly text: string;
  readonly version: number;
  /** Time of expiry, in milliseconds of the clock. */
  readonly expiresAt: number;
  /** Owner of the value. A value without an owner counts only towards the total limit. */
  readonly owner: string | undefined;
}

/** Number of entries that each write checks for expiry. */
const SWEPT_PER_WRITE = 2;

export interface MemoryValues extends Values {
  /** Number of entries, expired ones included until they are removed. */
  readonly entryCount: number;
  clear(): void;
}

/** Creates values in the memory of this process. Every operation calls `check` first. */
export function createMemoryValues(clock: Clock, limits: MemoryLimits, check: () => void): MemoryValues {
  const entries = new Map<string, MemoryEntry>();
  const keys = createSortedKeys();
  const counts = new SharedLimit(limits.maxEntries, limits.maxShare);
  const sizes = new SharedLimit(limits.maxTotalSize, limits.maxShare);
  let sweepIterator = entries.entries();
  /** Earliest expiry of all entries. A full sweep before this time would delete nothing. */
  let nextExpiry = Number.POSITIVE_INFINITY;

  const getLive = (key: string): MemoryEntry | undefined => {
    const entry = entries.get(key);
    return entry && entry.expiresAt > clock.now() ? entry : undefined;
  };

  function remove(key: string): void {
    const existing = entries.get(key);
    if (existing === undefined) return;
    counts.release(existing.owner ?? '');
    sizes.release(existing.owner ?? '', existing.text.length);
    entries.delete(key);
    keys.delete(key);
  }

  /** Checks a few entries, so that expired entries that are never read again are deleted. */
  function sweepSome(): void {
    for (let count = 0; count < SWEPT_PER_WRITE; count++) {
      const { value, done } = sweepIterator.next();
      if (done) sweepIterator = entries.entries();
      else if (value[1].expiresAt <= clock.now()) remove(value[0]);
    }
  }

  function sweepAll(): void {
    if (clock.now() < nextExpiry) return;
    nextExpiry = Number.POSITIVE_INFINITY;
    for (const [key, { expiresAt }] of entries)
      if (expiresAt <= clock.now()) remove(key);
      else nextExpiry = Math.min(nextExpiry, expiresAt);
  }

  function hasRoom(key: string, size: number, owner: string | undefined): boolean {
    const existing = entries.get(key);
    const [more, growth] = [existing ? 0 : 1, size - (existing?.text.length ?? 0)];
    if (counts.total + more > limits.maxEntries || sizes.total + growth > limits.maxTotalSize) return false;
    if (owner === undefined) return true;
    // A write that does not make the value larger is always allowed, so that work in progress can end.
    return (more === 0 || counts.isWithinShare(owner)) && (growth <= 0 || sizes.isWithinShare(owner, growth));
  }

  function makeRoom(key: string, { text, owner }: MemoryEntry): void {
    if (!hasRoom(key, text.length, owner)) sweepAll();
    if (hasRoom(key, text.length, owner)) return;
    const { maxEntries, maxTotalSize } = limits;
    throw new TenonError('store/full', 'the memory store is full', {
      expected: `at most ${maxEntries} entries and ${maxTotalSize} characters, with a maximum share for each owner`,
      hint: 'raise `maxEntries` or `maxTotalSize`, set a `ttl`, or use `tenon/sqlite`',
    });
  }

  function write(key: string, entry: MemoryEntry): void {
    makeRoom(key, entry);
    const existing = entries.get(key);
    if (existing === undefined) keys.add(key);
    else {
      counts.release(existing.owner ?? '');
      sizes.release(existing.owner ?? '', existing.text.length);
    }
    counts.add(entry.owner ?? '');
    sizes.add(entry.owner ?? '', entry.text.length);
    entries.set(key, entry);
    nextExpiry = Math.min(nextExpiry, entry.expiresAt);
    sweepSome();
  }

  return {
    async get(key) {
      check();
      checkKey(key);
      const entry = getLive(key);
      return entry && toStored(key, entry);
    },
    async put(key, value, options = {}) {
      check();
      checkKey(key);
      checkVersion(options.version);
      const existing = getLive(key);
      const keptExpiry = options.keepTtl ? existing?.expiresAt : undefined;
      const expiresAt = keptExpiry ?? computeExpiry(options, clock.now()) ?? Number.POSITIVE_INFINITY;
      const text = serializeValue(value, limits.maxValueSize);
      const version = existing?.version ?? 0;
      if (options.version !== undefined && options.version !== version) return undefined;
      write(key, { text, version: version + 1, expiresAt, owner: options.owner ?? existing?.owner });
      return version + 1;
    },
    async delete(key, version) {
      check();
      checkKey(key);
      checkVersion(version);
      const entry = getLive(key);
      if (entry === undefined || (version !== undefined && version !== entry.version)) return false;
      remove(key);
      return true;
    },
    async list(prefix, options = {}) {
      check();
      const { first, limit } = toKeyRange(prefix, options);
      const values: StoredValue[] = [];
      for (const key of keys.from(first)) {
        if (values.length === limit || !key.startsWith(prefix)) break;
        const entry = getLive(key);
        if (entry) values.push(toStored(key, entry));
      }
      return values;
    },
    get entryCount() {
      return entries.size;
    },
    clear() {
      for (const key of [...entries.keys()]) remove(key);
    },
  };
}

function toStored(key: string, { text, version }: MemoryEntry): StoredValue {
  return { key, value: JSON.parse(text) as JsonObject, version };
}
