import {
  type Clock,
  checkKey,
  checkVersion,
  computeExpiry,
  type StoredValue,
  serializeValue,
  toKeyRange,
  type Values,
} from '@tenon/base';
import { parseStoredValue } from '../parse-stored.js';
import { createStatementRunner, type Database, type Row } from './database.js';
import type { WorkQueue } from './work-queue.js';

/** Number of writes after which expired values are deleted. */
const WRITES_PER_SWEEP = 64;
/** Greater than every character that a key may have. */
const AFTER_KEYS = '\x7f';

const IS_LIVE = '(ends IS NULL OR ends > ?)';

// Each compare-and-set is one statement, so that no other process can write in between.
const STATEMENTS = {
  get: `SELECT value, version FROM entries WHERE key = ? AND ${IS_LIVE}`,
  list: `SELECT key, value, version FROM entries WHERE key >= ? AND key < ? AND ${IS_LIVE} ORDER BY key LIMIT ?`,
  put: `INSERT INTO entries (key, value, version, ends) VALUES (?, ?, 1, ?)
    ON CONFLICT (key) DO UPDATE SET value = excluded.value, ends = excluded.ends,
      version = CASE WHEN entries.ends <= ? THEN 1 ELSE entries.version + 1 END
    RETURNING version`,
  create: `INSERT INTO entries (key, value, version, ends) VALUES (?, ?, 1, ?)
    ON CONFLICT (key) DO UPDATE SET value = excluded.value, ends = excluded.ends, version = 1 WHERE entries.ends <= ?
    RETURNING version`,
  replace: `UPDATE entries SET value = ?, ends = ?, version = version + 1
    WHERE key = ? AND version = ? AND ${IS_LIVE} RETURNING version`,
  replaceText: `UPDATE entries SET value = ?, version = version + 1
    WHERE key = ? AND version = ? AND ${IS_LIVE} RETURNING version`,
  delete: `DELETE FROM entries WHERE key = ? AND ${IS_LIVE} RETURNING version`,
  deleteVersion: `DELETE FROM entries WHERE key = ? AND version = ? AND ${IS_LIVE} RETURNING version`,
  sweep: 'DELETE FROM entries WHERE rowid IN (SELECT rowid FROM entries WHERE ends <= ? LIMIT 256) RETURNING version',
} as const;

/** Creates values in a table. `openQueue` gets a function that frees space in a full file. */
export function createSqliteValues(
  database: Database,
  openQueue: (makeRoom: () => boolean) => WorkQueue,
  clock: Clock,
  maxValueSize: number,
): Values {
  const execute = createStatementRunner(database, STATEMENTS);
  let writes = 0;

  const sweep = () => execute('sweep', clock.now()).length > 0;
  const queue = openQueue(sweep);

  function sweepSometimes(): void {
    if (++writes % WRITES_PER_SWEEP !== 0) return;
    try {
      sweep();
    } catch {
      // The write itself succeeded. The next sweep deletes the remaining expired values.
    }
  }

  return {
    async get(key) {
      checkKey(key);
      const [row] = await queue.read(() => execute('get', key, clock.now()));
      return row && toStored({ ...row, key });
    },
    async put(key, value, options = {}) {
      const { version, keepTtl } = options;
      checkKey(key);
      checkVersion(version);
      const expiresAt = computeExpiry(options, clock.now()) ?? null;
      const text = serializeValue(value, maxValueSize);
      const [row] = await queue
        .write(() => {
          const now = clock.now();
          if (version === undefined) return execute('put', key, text, expiresAt, now);
          if (keepTtl && version > 0) return execute('replaceText', text, key, version, now);
          return version === 0
            ? execute('create', key, text, expiresAt, now)
            : execute('replace', text, expiresAt, key, version, now);
        })
        .finally(sweepSometimes);
      return row?.version as number | undefined;
    },
    async delete(key, version) {
      checkKey(key);
      checkVersion(version);
      const rows = await queue.write(() =>
        version === undefined
          ? execute('delete', key, clock.now())
          : execute('deleteVersion', key, version, clock.now()),
      );
      return rows.length > 0;
    },
    async list(prefix, options = {}) {
      const { first, limit } = toKeyRange(prefix, options);
      return (await queue.read(() => execute('list', first, prefix + AFTER_KEYS, clock.now(), limit))).map(toStored);
    },
  };
}

function toStored(row: Row): StoredValue {
  const { key, value, version } = row as { key: string; value: string; version: number };
  return { key, value: parseStoredValue(key, value), version };
}
