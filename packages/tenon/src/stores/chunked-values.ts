import { TenonError } from '../jsonrpc/error.js';
import { isObject, type JsonObject } from '../jsonrpc/message.js';
import type { PutOptions, Stored, Values } from './stores.js';

declare const crypto: { randomUUID(): string };

/** Characters of one chunk. JSON may write six for each of them, and a store takes 1 Mi unless told otherwise. */
const CHUNK = 131_072;
/** Characters of JSON that stay in the value itself. */
const MAX_REST = 131_072;
/** Large values whose chunks are remembered, so that a write that leaves them alone does not write them again. */
const MAX_KNOWN = 1000;
/** Member of a value that says where the rest of it is. */
const MARKER = '$chunks';

interface Marker {
  readonly id: string;
  readonly count: number;
  /** All members in their order. */
  readonly members: readonly string[];
}

interface Known {
  readonly version: number;
  readonly marker: Marker;
  /** Members that are in the chunks. */
  readonly moved: JsonObject;
}

/**
 * Values that may be larger than one value of a store: large members of a value lie in values of their own. `maxSize` is
 * the most that they may have together, in characters of JSON; beyond it a write throws `store/value-too-large`.
 */
export function chunkLargeValues(values: Values, maxSize: number): Values {
  const known = new Map<string, Known>();

  function remember(key: string, entry: Known): void {
    known.delete(key);
    known.set(key, entry);
    const oldest = known.keys().next();
    if (known.size > MAX_KNOWN && !oldest.done) known.delete(oldest.value);
  }

  async function drop({ id, count }: Omit<Marker, 'members'>): Promise<void> {
    for (let n = 0; n < count; n++) await values.delete(chunkKey(id, n));
  }

  async function writeChunks(moved: JsonObject, { ttl, owner }: PutOptions): Promise<Omit<Marker, 'members'>> {
    const text = JSON.stringify(moved);
    if (text.length > maxSize) throw tooLarge(text.length, maxSize);
    const marker = { id: crypto.randomUUID(), count: Math.ceil(text.length / CHUNK) };
    for (let n = 0; n < marker.count; n++)
      await values.put(chunkKey(marker.id, n), { data: text.slice(n * CHUNK, (n + 1) * CHUNK) }, { ttl, owner });
    return marker;
  }

  async function putLarge(key: string, value: JsonObject, options: PutOptions): Promise<number | undefined> {
    const [rest, moved] = split(value);
    const before = known.get(key);
    const isSame = before !== undefined && isSameMembers(before.moved, moved);
    const written = isSame ? before.marker : await writeChunks(moved, options);
    const marker = { ...written, members: Object.keys(value) };
    const version = await values.put(key, { ...rest, [MARKER]: marker }, options);
    if (version === undefined) {
      if (!isSame) await drop(marker);
      return undefined;
    }
    if (before && !isSame && before.version === version - 1) await drop(before.marker);
    remember(key, { version, marker, moved });
    return version;
  }

  /** Puts the members together again. `undefined`: a chunk is gone. */
  async function join(stored: Stored): Promise<Stored | undefined> {
    const { [MARKER]: marker, ...rest } = stored.value;
    if (!isMarker(marker)) return stored;
    const parts: unknown[] = [];
    for (let n = 0; n < marker.count; n++) parts.push((await values.get(chunkKey(marker.id, n)))?.value.data);
    if (parts.some(part => typeof part !== 'string')) return undefined;
    const moved = JSON.parse(parts.join('')) as JsonObject;
    const all: JsonObject = { ...rest, ...moved };
    const value = Object.fromEntries(marker.members.filter(name => name in all).map(name => [name, all[name]]));
    if (known.get(stored.key)?.version !== stored.version)
      remember(stored.key, { version: stored.version, marker, moved });
    return { ...stored, value };
  }

  async function get(key: string): Promise<Stored | undefined> {
    for (let last: number | undefined; ; ) {
      const stored = await values.get(key);
      const whole = stored && (await join(stored));
      // A newer value may have replaced the chunks between the two reads.
      if (whole || stored === undefined || stored.version === last) return whole;
      last = stored.version;
    }
  }

  return {
    get,
    async put(key, value, options = {}) {
      try {
        const version = await values.put(key, value, options);
        const before = known.get(key);
        if (version === undefined || before === undefined) return version;
        known.delete(key);
        if (before.version === version - 1) await drop(before.marker);
        return version;
      } catch (error) {
        if (!TenonError.is(error) || error.code !== 'store/value-too-large') throw error;
        return putLarge(key, value, options);
      }
    },
    async delete(key, version) {
      // Both are asked for at once, so that calls take effect in the order in which they are made.
      const [before, deleted] = await Promise.all([values.get(key), values.delete(key, version)]);
      if (!deleted) return false;
      const marker = before?.value[MARKER];
      known.delete(key);
      if (isMarker(marker)) await drop(marker);
      return true;
    },
    async list(prefix, options) {
      const all = await Promise.all((await values.list(prefix, options)).map(join));
      return all.filter(each => each !== undefined);
    },
  };
}

/** Moves the largest members, until the others fit into one value. */
function split(value: JsonObject): [rest: JsonObject, moved: JsonObject] {
  const sizes = Object.keys(value).map(name => [name, JSON.stringify(value[name])?.length ?? 0] as const);
  let left = sizes.reduce((sum, [, size]) => sum + size, 0);
  const moved = new Set<string>();
  for (const [name, size] of sizes.toSorted(([, a], [, b]) => b - a)) {
    if (left <= MAX_REST) break;
    moved.add(name);
    left -= size;
  }
  const pick = (isMoved: boolean) =>
    Object.fromEntries(Object.entries(value).filter(([name]) => moved.has(name) === isMoved));
  return [pick(false), pick(true)];
}

function isSameMembers(one: JsonObject, other: JsonObject): boolean {
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every(name => one[name] === other[name]);
}

function isMarker(value: unknown): value is Marker {
  return isObject(value) && typeof value.id === 'string' && typeof value.count === 'number';
}

const chunkKey = (id: string, n: number) => `chunk/${id}/${String(n).padStart(6, '0')}`;

function tooLarge(size: number, maxSize: number): TenonError {
  return new TenonError('store/value-too-large', 'the value is too large for the store', {
    expected: `at most ${maxSize} characters of JSON`,
    got: `${size}`,
  });
}
