import type { JsonObject } from '../../jsonrpc/message.js';
import type { StoredValue, Values } from '../stores.js';
import { checkKey, checkVersion, computeExpiry, serializeValue, toKeyRange } from '../validation.js';
import type { RunScript, SendCommand } from './stores.js';

/** Greater than every character that a key may have. */
const AFTER_KEYS = '\x7f';

/**
 * Creates the keys of a prefix. The prefix is a hash tag, so that a cluster stores all keys of one script on one node.
 */
export const createKeys = (prefix: string) => ({
  values: `{${prefix}}:value:`,
  index: `{${prefix}}:keys`,
  expiries: `{${prefix}}:expiries`,
});

export function createRedisValues(
  send: SendCommand,
  runScript: RunScript,
  { prefix, maxValueSize }: { readonly prefix: string; readonly maxValueSize: number },
): Values {
  const keys = createKeys(prefix);
  return {
    async get(key) {
      checkKey(key);
      const [text, version] = (await send(keys.values + key, ['HMGET', keys.values + key, 'v', 'n'])) as Reply;
      return typeof text === 'string' ? toStored(key, text, version) : undefined;
    },
    async put(key, value, options = {}) {
      const { version } = options;
      checkKey(key);
      checkVersion(version);
      const ttl = computeExpiry(options, 0);
      const text = serializeValue(value, maxValueSize);
      const places = [keys.values + key, keys.index, keys.expiries];
      const args = [keys.values, key, text, version?.toFixed() ?? '', ttl?.toFixed() ?? ''];
      return Number(await runScript('put', places, args)) || undefined;
    },
    async delete(key, version) {
      checkKey(key);
      checkVersion(version);
      const places = [keys.values + key, keys.index, keys.expiries];
      return Number(await runScript('delete', places, [key, version?.toFixed() ?? ''])) === 1;
    },
    async list(prefix, options = {}) {
      const { first, limit } = toKeyRange(prefix, options);
      const args = [keys.values, `[${first}`, `(${prefix}${AFTER_KEYS}`, String(limit)];
      const found = (await runScript('list', [keys.index, keys.expiries], args)) as Reply;
      return Array.from({ length: found.length / 3 }, (_, index) =>
        toStored(String(found[3 * index]), String(found[3 * index + 1]), found[3 * index + 2]),
      );
    },
  };
}

/** Reply with several values. */
type Reply = readonly unknown[];

function toStored(key: string, text: string, version: unknown): StoredValue {
  return { key, value: JSON.parse(text) as JsonObject, version: Number(version) };
}
