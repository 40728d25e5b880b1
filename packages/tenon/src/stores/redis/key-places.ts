/**
 * Number of hash tags for keys with a tag. A cluster of a few nodes then has nearly the same number of keys on each
 * node.
 */
const TAG_COUNT = 256;

/** Names of the Redis keys with one hash tag. A cluster has them on one node, so one script can use all of them. */
export interface KeyPlace {
  /** Beginning of the keys of values. */
  readonly values: string;
  /** Sorted set of all keys, for listing. */
  readonly index: string;
  /** Sorted set of the keys with an expiry. */
  readonly expiries: string;
}

/** The places of the keys of one prefix. */
export interface KeyPlaces {
  /** The place of keys without a tag. */
  readonly base: KeyPlace;
  /** Set of the texts before the tags of all keys with a tag. */
  readonly heads: string;
  find(key: string): KeyPlace;
  /** Returns the name of a bucket. Buckets are spread over all tags. */
  toBucketKey(key: string): string;
  /** Lists the places of keys with a tag. */
  listTagged(): KeyPlace[];
}

export function createKeyPlaces(prefix: string): KeyPlaces {
  const places = new Map<number, KeyPlace>();
  const getTagged = (number: number): KeyPlace => {
    const place = places.get(number) ?? createPlace(toTag(number));
    places.set(number, place);
    return place;
  };
  const toTag = (number: number) => `{${prefix}/${number}}`;
  const base = createPlace(`{${prefix}}`);
  return {
    base,
    heads: `{${prefix}}:heads`,
    find(key) {
      const split = splitTag(key);
      return split ? getTagged(hashTag(split.tag)) : base;
    },
    toBucketKey: key => `${toTag(hashTag(splitTag(key)?.tag ?? key))}:bucket:${key}`,
    listTagged: () => Array.from({ length: TAG_COUNT }, (_, number) => getTagged(number)),
  };
}

function createPlace(tag: string): KeyPlace {
  return { values: `${tag}:value:`, index: `${tag}:keys`, expiries: `${tag}:expiries` };
}

/**
 * Finds the tag of a key: the text in its first braces, as in Redis itself. `head` is the text before it. Returns
 * `undefined` for a key without a tag.
 */
export function splitTag(key: string): { readonly head: string; readonly tag: string } | undefined {
  const start = key.indexOf('{');
  const end = start < 0 ? -1 : key.indexOf('}', start);
  return end > start + 1 ? { head: key.slice(0, start), tag: key.slice(start + 1, end) } : undefined;
}

/** Computes FNV-1a. */
function hashTag(tag: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < tag.length; at++) hash = Math.imul(hash ^ tag.charCodeAt(at), 0x01000193);
  return (hash >>> 0) % TAG_COUNT;
}
