import type { MaybePromise } from '../timing/maybe-promise.js';
import { decodeRecord, encodeRecord } from './record-format.js';
import { findRecordKind } from './record-kinds.js';
import type { ListOptions, StoredValue, Values } from './stores.js';
import { createUnknownFormatLog, isUnknownFormat, type UnknownFormatLog } from './unknown-formats.js';
import { MAX_LISTED } from './validation.js';

const wrapped = new WeakMap<Values, Values>();

/**
 * Wraps values so that each record has a format version. All records of the library are written and read through it.
 * Records of an unknown format are left alone: reads of one throw `store/unknown-format`, lists leave it out, and no
 * call writes over it or deletes it. Values that are wrapped already are returned.
 */
export function toRecordValues(values: Values, log: UnknownFormatLog = createUnknownFormatLog()): Values {
  const known = wrapped.get(values);
  if (known !== undefined) return known;
  const versioned = wrapValues(values, log);
  wrapped.set(values, versioned);
  return markVersioned(versioned);
}

/** Marks values whose records have a format version already, so that `toRecordValues` returns them. */
export function markVersioned(values: Values): Values {
  wrapped.set(values, values);
  return values;
}

function wrapValues(values: Values, log: UnknownFormatLog): Values {
  const decode = (stored: StoredValue): StoredValue => {
    const value = decodeRecord(stored.key, stored.value, log);
    return value === stored.value ? stored : { ...stored, value };
  };

  async function get(key: string): Promise<StoredValue | undefined> {
    const stored = await values.get(key);
    return stored && decode(stored);
  }

  return {
    get,
    async put(key, value, options = {}) {
      const kind = findRecordKind(key);
      const record = encodeRecord(key, value);
      if (options.version === undefined && kind.hasOwnKeys !== true) {
        for (;;) {
          const version = (await get(key))?.version ?? 0;
          const written = await values.put(key, record, { ...options, version });
          if (written !== undefined) return written;
        }
      }
      const written = await values.put(key, record, options);
      // A caller that reads the key finds no record, and would try again forever.
      if (written === undefined && options.version === 0) await get(key);
      return written;
    },
    async delete(key, version) {
      if (version !== undefined || findRecordKind(key).hasOwnKeys) return values.delete(key, version);
      for (;;) {
        const stored = await get(key);
        if (stored === undefined) return false;
        if (await values.delete(key, stored.version)) return true;
      }
    },
    list: (prefix, options) => listReadable(values, prefix, options, stored => skipUnknown(stored, decode)),
  };
}

/** Reads one value of a list. Returns `undefined` for an unknown one, unless it is a part of a sequence. */
export async function skipUnknown(
  stored: StoredValue,
  read: (stored: StoredValue) => MaybePromise<StoredValue | undefined>,
): Promise<StoredValue | undefined> {
  try {
    return await read(stored);
  } catch (error) {
    if (isUnknownFormat(error) && !findRecordKind(stored.key).isSequence) return undefined;
    throw error;
  }
}

/** Lists values that `read` returns. Values that it leaves out make room on the page for later ones. */
export async function listReadable(
  values: Values,
  prefix: string,
  options: ListOptions | undefined,
  read: (stored: StoredValue) => MaybePromise<StoredValue | undefined>,
): Promise<StoredValue[]> {
  const limit = Math.min(options?.limit ?? MAX_LISTED, MAX_LISTED);
  const found: StoredValue[] = [];
  for (let after = options?.after; ; ) {
    const rest = { limit: limit - found.length, after };
    const page = await values.list(prefix, rest);
    for (const stored of page) {
      const value = await read(stored);
      if (value !== undefined) found.push(value);
    }
    after = page.at(-1)?.key;
    if (found.length >= limit || page.length < rest.limit) return found;
  }
}
