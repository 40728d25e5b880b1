import {
  isObject,
  type JsonObject,
  markVersioned,
  type PutOptions,
  type StoredValue,
  TenonError,
  toRecordValues,
  type Values,
} from '@tenon/base';
import { parseStoredValue } from './parse-stored.js';

declare const crypto: { randomUUID(): string };

/** Number of characters in one chunk. JSON may need six bytes for each of them, and a store accepts 1 Mi by default. */
const CHUNK = 131_072;
/** Maximum number of characters of JSON that stay in the value itself. */
const MAX_INLINE = 131_072;
/**
 * Maximum number of large values whose chunks are cached. A write that does not change the cached chunks does not write
 * them again.
 */
const MAX_CACHED = 1000;
/** Member of a value that locates its chunks. */
const MARKER = '$chunks';

interface Marker {
  readonly id: string;
  readonly count: number;
  /** All members of the value, in their order. */
  readonly members: readonly string[];
}

interface CachedChunks {
  readonly version: number;
  readonly marker: Marker;
  /** Members that are stored in the chunks. */
  readonly chunked: JsonObject;
}

/**
 * Wraps `values` so that a value may be larger than one value of the store. Large members are stored as separate values
 * (chunks).
 * @param maxSize Maximum size of the chunks of one value together, in characters of JSON. A larger value throws
 * `store/value-too-large`.
 */
export function chunkLargeValues(rawValues: Values, maxSize: number, maxCached: number = MAX_CACHED): Values {
  const values = toRecordValues(rawValues);
  const cache = new Map<string, CachedChunks>();

  function remember(key: string, entry: CachedChunks): void {
    cache.delete(key);
    cache.set(key, entry);
    if (cache.size <= maxCached) return;
    for (const oldest of cache.keys()) return void cache.delete(oldest);
  }

  async function deleteChunks({ id, count }: Omit<Marker, 'members'>): Promise<void> {
    for (let n = 0; n < count; n++) await values.delete(toChunkKey(id, n));
  }

  async function writeChunks(chunked: JsonObject, { ttl, owner }: PutOptions): Promise<Omit<Marker, 'members'>> {
    const text = JSON.stringify(chunked);
    if (text.length > maxSize)
      throw new TenonError('store/value-too-large', 'the value is too large for the store', {
        expected: `at most ${maxSize} characters of JSON`,
        received: `${text.length}`,
      });
    const marker = { id: crypto.randomUUID(), count: Math.ceil(text.length / CHUNK) };
    for (let n = 0; n < marker.count; n++)
      await values.put(toChunkKey(marker.id, n), { data: text.slice(n * CHUNK, (n + 1) * CHUNK) }, { ttl, owner });
    return marker;
  }

  async function putLarge(key: string, value: JsonObject, options: PutOptions): Promise<number | undefined> {
    const [rest, chunked] = splitValue(value);
    const cached = cache.get(key);
    const names = Object.keys(cached?.chunked ?? {});
    const isSame =
      cached !== undefined &&
      names.length === Object.keys(chunked).length &&
      names.every(name => cached.chunked[name] === chunked[name]);
    const written = isSame ? cached.marker : await writeChunks(chunked, options);
    const marker = { ...written, members: Object.keys(value) };
    const version = await values.put(key, { ...rest, [MARKER]: marker }, options);
    if (version === undefined) {
      if (!isSame) await deleteChunks(marker);
      return undefined;
    }
    if (cached && !isSame && cached.version === version - 1) await deleteChunks(cached.marker);
    remember(key, { version, marker, chunked });
    return version;
  }

  /** Combines the chunks into one value. Returns `undefined` when a chunk is missing. */
  async function join(stored: StoredValue): Promise<StoredValue | undefined> {
    const { [MARKER]: marker, ...rest } = stored.value;
    if (!isMarker(marker)) return stored;
    const parts: unknown[] = [];
    for (let n = 0; n < marker.count; n++) parts.push((await values.get(toChunkKey(marker.id, n)))?.value.data);
    if (parts.some(part => typeof part !== 'string')) return undefined;
    const chunked = parseStoredValue(stored.key, parts.join(''));
    const all: JsonObject = { ...rest, ...chunked };
    const value = Object.fromEntries(marker.members.filter(name => name in all).map(name => [name, all[name]]));
    if (cache.get(stored.key)?.version !== stored.version)
      remember(stored.key, { version: stored.version, marker, chunked });
    return { ...stored, value };
  }

  async function get(key: string): Promise<StoredValue | undefined> {
    for (let last: number | undefined; ; ) {
      const stored = await values.get(key);
      const joined = stored && (await join(stored));
      // A newer value may have replaced the chunks between the two reads.
      if (joined || stored === undefined || stored.version === last) return joined;
      last = stored.version;
    }
  }

  // The records below have format versions already.
  return markVersioned({
    get,
    async put(key, value, options = {}) {
      try {
        const version = await values.put(key, value, options);
        const cached = cache.get(key);
        if (version === undefined || cached === undefined) return version;
        cache.delete(key);
        if (cached.version === version - 1) await deleteChunks(cached.marker);
        return version;
      } catch (error) {
        if (!TenonError.is(error) || error.code !== 'store/value-too-large') throw error;
        return putLarge(key, value, options);
      }
    },
    async delete(key, version) {
      // Both calls are made at once, so that calls take effect in their order.
      const [cached, deleted] = await Promise.all([values.get(key), values.delete(key, version)]);
      if (!deleted) return false;
      const marker = cached?.value[MARKER];
      cache.delete(key);
      if (isMarker(marker)) await deleteChunks(marker);
      return true;
    },
    async list(prefix, options) {
      const all = await Promise.all((await values.list(prefix, options)).map(join));
      return all.filter(each => each !== undefined);
    },
  });
}

/** Moves the largest members out of a value until the others fit into one value of the store. */
function splitValue(value: JsonObject): [rest: JsonObject, moved: JsonObject] {
  const sizes = Object.keys(value).map(name => [name, JSON.stringify(value[name])?.length ?? 0] as const);
  let remaining = sizes.reduce((sum, [, size]) => sum + size, 0);
  const moved = new Set<string>();
  for (const [name, size] of sizes.toSorted(([, a], [, b]) => b - a)) {
    if (remaining <= MAX_INLINE) break;
    moved.add(name);
    remaining -= size;
  }
  const pick = (isMoved: boolean) =>
    Object.fromEntries(Object.entries(value).filter(([name]) => moved.has(name) === isMoved));
  return [pick(false), pick(true)];
}

function isMarker(value: unknown): value is Marker {
  return isObject(value) && typeof value.id === 'string' && typeof value.count === 'number';
}

const toChunkKey = (id: string, n: number) => `chunk/${id}/${String(n).padStart(6, '0')}`;
