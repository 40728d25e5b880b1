import { TenonError } from '../errors/error.js';
import type { JsonObject } from '../json/json-object.js';
import type { ListOptions, PutOptions } from './stores.js';

/** Maximum length of a key, in characters. */
const MAX_KEY = 512;
/** Maximum number of values that one call lists. */
export const MAX_LISTED = 1000;
/** Default maximum size of the JSON text of a value or a message, in characters. */
export const MAX_VALUE_SIZE = 2 ** 20;

const PRINTABLE = /^[ -~]*$/;

/** Throws for an invalid key or topic. The error does not contain the key, because keys may identify users. */
export function checkKey(key: string): void {
  checkPart(key);
  if (key.length === 0) throw createKeyError('an empty string');
}

/** Throws for a prefix or `after` with characters that a key cannot have. */
function checkPart(part: string): void {
  if (typeof part !== 'string') throw createKeyError(`a value of type ${typeof part}`);
  if (part.length > MAX_KEY) throw createKeyError(`${part.length} characters`);
  if (!PRINTABLE.test(part)) throw createKeyError('a key with other characters');
}

function createKeyError(received: string): TenonError {
  const hint = 'encode or hash longer keys and keys with other characters';
  return new TenonError('store/key', 'invalid key', {
    expected: '1 to 512 printable ASCII characters',
    received,
    hint,
  });
}

/**
 * Serializes a value to JSON text. Stores keep the text, so that every read returns a copy and all stores return the
 * same value.
 */
export function serializeValue(value: JsonObject, maxSize: number): string {
  const text = stringifyObject(value);
  if (!text?.startsWith('{')) throw createValueError('a value that serializes to another type');
  if (text.length <= maxSize) return text;
  const expected = `at most ${maxSize} characters of JSON`;
  const details = {
    expected,
    received: `${text.length}`,
    hint: 'raise `maxValueSize`, or store the value elsewhere and keep a reference to it',
  };
  throw new TenonError('store/value-too-large', 'the value is too large for the store', details);
}

function stringifyObject(value: JsonObject): string | undefined {
  try {
    return JSON.stringify(value);
  } catch (cause) {
    throw createValueError('a value that cannot be serialized', cause);
  }
}

function createValueError(received: string, cause?: unknown): TenonError {
  return new TenonError('store/value', 'invalid value for the store', { expected: 'a JSON object', received, cause });
}

/** Computes the time of expiry of a value that is written at `now`. */
export function computeExpiry({ ttl }: PutOptions, now: number): number | undefined {
  if (ttl === undefined) return undefined;
  if (!Number.isFinite(ttl)) throw createOptionError('ttl', 'a number of milliseconds', ttl);
  return Math.ceil(now + ttl);
}

export function checkVersion(version: number | undefined): void {
  if (version !== undefined && !(Number.isSafeInteger(version) && version >= 0))
    throw createOptionError('version', 'an integer of at least 0', version);
}

/** Range of keys: from `first` on, while they begin with the prefix. */
export interface KeyRange {
  readonly first: string;
  readonly limit: number;
}

export function toKeyRange(prefix: string, { after, limit = MAX_LISTED }: ListOptions): KeyRange {
  checkPart(prefix);
  if (!(Number.isSafeInteger(limit) && limit > 0)) throw createOptionError('limit', 'an integer of at least 1', limit);
  return { first: getFirstKey(prefix, after), limit: Math.min(limit, MAX_LISTED) };
}

/**
 * Returns the first key of a range. The space is the smallest character of keys, so no key lies between `after` and
 * `after` plus a space.
 */
function getFirstKey(prefix: string, after: string | undefined): string {
  if (after === undefined) return prefix;
  checkPart(after);
  const next = `${after} `;
  return next > prefix ? next : prefix;
}

function createOptionError(name: string, expected: string, got: unknown): TenonError {
  return new TenonError('store/option', `invalid option \`${name}\``, { expected, received: String(got).slice(0, 40) });
}

export function createStoreClosedError(): TenonError {
  const hint = 'stop all users of the store before you close it';
  return new TenonError('store/closed', 'the store is closed', { hint });
}
