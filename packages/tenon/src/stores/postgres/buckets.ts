import type { Buckets } from '@tenon/base';
import { toBucketTimes, toWait } from '../bucket-level.js';
import type { PostgresConnection } from './connection.js';
import type { Tables } from './schema.js';

/** Begin of the keys of buckets. It is greater than all characters of other keys, so buckets are never listed. */
const KEY_PREFIX = '\x7fbucket/';

/** The clock of the server, in milliseconds with fractions. */
const NOW = '(extract(epoch FROM now()) * 1000)::float8';
const FULL_AT = `(greatest((e.value::json->>'fullAt')::float8, ${NOW}) + $2::float8)`;
const toValue = (fullAt: string) => `json_build_object('fullAt', ${fullAt})::text`;

/**
 * Creates buckets in the table of the values. Expired entries are deleted with expired values. `prepare` creates the
 * tables.
 */
export function createPostgresBuckets(
  connection: PostgresConnection,
  tables: Tables,
  track: <T>(call: () => Promise<T>) => Promise<T>,
  prepare: () => Promise<unknown>,
): Buckets {
  const { values: table } = tables;
  // Takes tokens with one statement, which does not wait for the disk. A bucket is an entry that expires when the bucket
  // is full. Parameters: key, cost, capacity.
  const take = `
WITH taken AS (
  INSERT INTO ${table} AS e (key, value, version, expires_at)
  VALUES ($1, ${toValue(`${NOW} + $2::float8`)}, 1, ceil(${NOW} + $2::float8)::bigint)
  ON CONFLICT (key) DO UPDATE SET value = ${toValue(FULL_AT)}, version = e.version + 1,
    expires_at = ceil(${FULL_AT})::bigint
  WHERE ${FULL_AT} - ${NOW} <= $3::float8
  RETURNING 1 AS one
)
SELECT count(*) AS taken, set_config('synchronous_commit', 'off', true) FROM taken`;
  // The time until a bucket has enough tokens. The statement before does not see concurrent changes.
  const readWait = `SELECT ${FULL_AT} - ${NOW} - $3::float8 AS excess FROM ${table} e WHERE e.key = $1`;
  return {
    async take(key, size, count = 1) {
      const { cost, capacity } = toBucketTimes(key, size, count);
      return track(async () => {
        await prepare();
        const parameters = [KEY_PREFIX + key, cost, capacity];
        return connection.use(async run => {
          const [taken] = await run(take, parameters, tables.nameStatement('take'));
          if (Number(taken?.taken) > 0) return 0;
          const [wait] = await run(readWait, parameters, tables.nameStatement('wait'));
          return Math.max(1, toWait(Number(wait?.excess ?? 0)));
        });
      });
    },
  };
}
