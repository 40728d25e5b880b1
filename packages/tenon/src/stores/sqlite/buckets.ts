import type { Buckets, Clock } from '@tenon/base';
import { toBucketTimes, toWait } from '../bucket-level.js';
import { type Database, prepareStatement } from './database.js';
import type { WorkQueue } from './work-queue.js';

/** Begin of the keys of buckets. It is greater than all characters of other keys, so buckets are never listed. */
const KEY_PREFIX = '\x7fbucket/';

/** Milliseconds beyond the capacity of a bucket after which its time is not believed: the time of day was set back. */
const MAX_SKEW = 60_000;

/** Time at which the bucket is full again. It has the parameters of the statement below. */
const FULL_AT = `(CASE WHEN entries.ends > ?2 + ?4 + ${MAX_SKEW} THEN ?2 ELSE max(entries.ends, ?2) END + ?3)`;

// A bucket is an entry that expires when the bucket is full. Parameters: key, now, cost, capacity.
const TAKE = `INSERT INTO entries (key, value, version, ends) SELECT ?1, '{}', 1, ?2 + ?3
  WHERE true ON CONFLICT (key) DO UPDATE SET ends = ${FULL_AT}
  WHERE ${FULL_AT} - ?2 <= ?4
  RETURNING ends`;
const READ = 'SELECT ends FROM entries WHERE key = ?1';

/** Creates buckets in the table of the values. Expired entries are deleted with expired values. */
export function createSqliteBuckets(database: Database, queue: WorkQueue, clock: Clock): Buckets {
  const take = prepareStatement(database, TAKE);
  const read = prepareStatement(database, READ);
  return {
    async take(key, size, count = 1) {
      const { cost, capacity } = toBucketTimes(key, size, count);
      return queue.write(() => {
        const now = clock.now();
        if (take(KEY_PREFIX + key, now, cost, capacity).length > 0) return 0;
        const [entry] = read(KEY_PREFIX + key);
        return Math.max(1, toWait(Math.max(Number(entry?.ends ?? now), now) + cost - now - capacity));
      });
    },
  };
}
