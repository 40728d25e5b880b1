import {
  type Clock,
  checkKey,
  checkVersion,
  computeExpiry,
  type ListOptions,
  type StoredValue,
  serializeValue,
  toKeyRange,
  type Values,
} from '@tenon/base';
import { parseStoredValue } from '../parse-stored.js';
import { type KeyPlace, type KeyPlaces, splitTag } from './key-places.js';
import type { RunScript, SendCommand } from './stores.js';

/** Greater than every character that a key may have. */
const AFTER_KEYS = '\x7f';
/** Time after which the text before a tag is written again, in milliseconds. Redis may have lost it. */
const HEAD_TTL = 60_000;
/** Maximum number of texts before tags that a process remembers. */
const MAX_HEADS = 1000;

export interface RedisValuesOptions {
  readonly places: KeyPlaces;
  readonly maxValueSize: number;
  readonly clock: Clock;
}

export function createRedisValues(
  send: SendCommand,
  runScript: RunScript,
  { places, maxValueSize, clock }: RedisValuesOptions,
): Values {
  const saveHead = createHeadWriter(send, places.heads, clock);

  async function listPlace(place: KeyPlace, prefix: string, options: ListOptions): Promise<StoredValue[]> {
    const { first, limit } = toKeyRange(prefix, options);
    const args = [place.values, `[${first}`, `(${prefix}${AFTER_KEYS}`, String(limit)];
    const found = (await runScript('list', [place.index, place.expiries], args)) as Reply;
    return Array.from({ length: found.length / 3 }, (_, index) =>
      toStored(String(found[3 * index]), String(found[3 * index + 1]), found[3 * index + 2]),
    );
  }

  /** Lists the keys with a tag. They are at all places. */
  async function listTagged(prefix: string, options: ListOptions): Promise<StoredValue[]> {
    const found = await Promise.all(places.listTagged().map(place => listPlace(place, prefix, options)));
    return found.flat();
  }

  return {
    async get(key) {
      checkKey(key);
      const { values } = places.find(key);
      const [text, version] = (await send(values + key, ['HMGET', values + key, 'v', 'n'])) as Reply;
      return typeof text === 'string' ? toStored(key, text, version) : undefined;
    },
    async put(key, value, options = {}) {
      const { version } = options;
      checkKey(key);
      checkVersion(version);
      const ttl = computeExpiry(options, 0);
      const lifetime = options.keepTtl && version ? 'keep' : (ttl?.toFixed() ?? '');
      const text = serializeValue(value, maxValueSize);
      const { values, index, expiries } = places.find(key);
      const args = [values, key, text, version?.toFixed() ?? '', lifetime];
      // Both commands are sent at once, so that calls take effect in their order.
      const head = saveHead(key);
      const written = runScript('put', [values + key, index, expiries], args);
      if (head) await Promise.all([head, written]);
      return Number(await written) || undefined;
    },
    async delete(key, version) {
      checkKey(key);
      checkVersion(version);
      const { values, index, expiries } = places.find(key);
      return Number(await runScript('delete', [values + key, index, expiries], [key, version?.toFixed() ?? ''])) === 1;
    },
    async list(prefix, options = {}) {
      const { limit } = toKeyRange(prefix, options);
      if (splitTag(prefix)) return listPlace(places.find(prefix), prefix, options);
      const [found, heads] = await Promise.all([
        listPlace(places.base, prefix, options),
        send(places.heads, ['SMEMBERS', places.heads]) as Promise<Reply>,
      ]);
      // Keys with one of these texts before their tag can begin with the prefix, which has no complete tag.
      const mayBeTagged = heads.map(String).some(head => head.startsWith(prefix) || prefix.startsWith(`${head}{`));
      if (!mayBeTagged) return found;
      const all = [...found, ...(await listTagged(prefix, options))];
      return all.sort((one, other) => (one.key < other.key ? -1 : 1)).slice(0, limit);
    },
  };
}

/**
 * Creates a function that stores the text before the tag of a key, so that a list without a tag knows where to look. It
 * returns `undefined` if this process has stored the text lately.
 */
function createHeadWriter(
  send: SendCommand,
  heads: string,
  clock: Clock,
): (key: string) => Promise<unknown> | undefined {
  const savedAt = new Map<string, number>();
  return key => {
    const head = splitTag(key)?.head;
    if (head === undefined || clock.elapsed() - (savedAt.get(head) ?? Number.NEGATIVE_INFINITY) < HEAD_TTL)
      return undefined;
    if (savedAt.size >= MAX_HEADS) savedAt.clear();
    const now = clock.elapsed();
    return send(heads, ['SADD', heads, head]).then(() => savedAt.set(head, now));
  };
}

/** Reply with several values. */
type Reply = readonly unknown[];

function toStored(key: string, text: string, version: unknown): StoredValue {
  return { key, value: parseStoredValue(key, text), version: Number(version) };
}
