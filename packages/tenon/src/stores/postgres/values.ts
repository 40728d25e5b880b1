import {
  checkKey,
  checkVersion,
  computeExpiry,
  escapeJsonCharacter,
  type StoredValue,
  serializeValue,
  toKeyRange,
  type Values,
} from '@tenon/base';
import { parseStoredValue } from '../parse-stored.js';
import type { PostgresRow } from './connection.js';
import type { ValueOperation } from './value-statements.js';

/** Greater than every character that a key may have. */
const AFTER_KEYS = '\x7f';
/** Maximum lifetime, in milliseconds. A longer one exceeds the range of times in Postgres. */
const MAX_TTL = 2 ** 52;
const NOT_ASCII = /[\x7f-\uffff]/g;

/** Creates values in a table. `enqueue` runs an operation after all earlier ones. */
export function createPostgresValues(
  enqueue: (operation: ValueOperation) => Promise<readonly PostgresRow[]>,
  maxValueSize: number,
): Values {
  return {
    async get(key) {
      checkKey(key);
      return (await enqueue({ kind: 'get', key })).map(toStored)[0];
    },
    async put(key, value, options = {}) {
      const { version, keepTtl } = options;
      checkKey(key);
      checkVersion(version);
      const ttl = computeExpiry(options, 0);
      const text = escapeText(serializeValue(value, maxValueSize));
      const limitedTtl = ttl === undefined ? undefined : Math.max(-MAX_TTL, Math.min(ttl, MAX_TTL));
      const [row] = await enqueue({ kind: 'write', key, text, version, ttl: limitedTtl, keepTtl });
      return row && Number(row.version);
    },
    async delete(key, version) {
      checkKey(key);
      checkVersion(version);
      return (await enqueue({ kind: 'write', key, text: undefined, version, ttl: undefined })).length > 0;
    },
    async list(prefix, options = {}) {
      const { first, limit } = toKeyRange(prefix, options);
      return (await enqueue({ kind: 'list', first, end: prefix + AFTER_KEYS, limit })).map(toStored);
    },
  };
}

/** Escapes JSON text to ASCII, which databases of all encodings can store. */
export function escapeText(text: string): string {
  return text.replace(NOT_ASCII, escapeJsonCharacter);
}

function toStored({ key, value, version }: PostgresRow): StoredValue {
  return { key: String(key), value: parseStoredValue(String(key), value), version: Number(version) };
}
