import type { PostgresConnection, PostgresRow, RunStatement } from './connection.js';
import type { QueuedCall } from './queue.js';
import type { Tables } from './schema.js';

/** One call of `Values`. */
export type ValueOperation =
  | { readonly kind: 'get'; readonly key: string }
  | { readonly kind: 'list'; readonly first: string; readonly end: string; readonly limit: number }
  | WriteOperation;

interface WriteOperation {
  readonly kind: 'write';
  readonly key: string;
  /** JSON text of the value. Undefined: the value is deleted. */
  readonly text: string | undefined;
  /** Required current version. 0: no value may exist. Undefined: any version, or none. */
  readonly version: number | undefined;
  readonly ttl: number | undefined;
  /** True if a replaced value keeps its lifetime. */
  readonly keepTtl?: boolean | undefined;
}

type ValueCall = QueuedCall<ValueOperation, readonly PostgresRow[]>;

/** Maximum number of operations that run together. */
const MAX_OPERATIONS = 256;
/** Maximum size of the values that are written together, in characters. One larger value is written alone. */
const MAX_SIZE = 2 ** 22;
/** Number of writes after which expired values are deleted. */
const WRITES_PER_SWEEP = 64;
/** Maximum number of values that one statement deletes. */
const MAX_SWEPT = 256;

/** The clock of the server, because the clocks of its clients may differ. */
const NOW = '(extract(epoch FROM now()) * 1000)::bigint';
const IS_LIVE = `(e.expires_at IS NULL OR e.expires_at > ${NOW})`;

/**
 * Writes values with one statement. It first locks the rows in the order of their keys, so that no two processes wait
 * for each other. Then each write checks the current version, also after a concurrent change.
 *
 * Parameters: keys, texts or null, expected versions or null, times to live or null, keys that are written over any
 * version, and whether replaced values keep their lifetimes.
 */
const createWrite = (table: string) => `
WITH locked AS MATERIALIZED (
  SELECT e.key FROM ${table} e WHERE e.key = ANY($1::text[]) ORDER BY e.key FOR UPDATE
), input AS MATERIALIZED (
  SELECT i.* FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[], $6::boolean[]) AS i (key, value, version, ttl, keeps)
  WHERE (SELECT count(*) FROM locked) >= 0
), deleted AS (
  DELETE FROM ${table} e USING input i
  WHERE e.key = i.key AND i.value IS NULL AND ${IS_LIVE} AND e.version = coalesce(i.version, e.version)
  RETURNING e.key, e.version
), replaced AS (
  UPDATE ${table} e SET value = i.value, version = e.version + 1,
    expires_at = CASE WHEN i.keeps THEN e.expires_at ELSE ${NOW} + i.ttl END FROM input i
  WHERE e.key = i.key AND i.value IS NOT NULL AND i.version > 0 AND ${IS_LIVE} AND e.version = i.version
  RETURNING e.key, e.version
), added AS (
  INSERT INTO ${table} AS e (key, value, version, expires_at)
  SELECT i.key, i.value, 1, ${NOW} + i.ttl FROM input i
  WHERE i.value IS NOT NULL AND coalesce(i.version, 0) = 0 ORDER BY i.key
  ON CONFLICT (key) DO UPDATE SET value = excluded.value, expires_at = excluded.expires_at,
    version = CASE WHEN ${IS_LIVE} THEN e.version + 1 ELSE 1 END
  WHERE NOT ${IS_LIVE} OR excluded.key = ANY($5::text[])
  RETURNING e.key, e.version
)
SELECT key, version FROM deleted UNION ALL SELECT key, version FROM replaced UNION ALL SELECT key, version FROM added`;

/**
 * Returns the number of operations that can run together with the same results as one after another. These are writes
 * of different keys, followed by reads. No read may come before a write of its data.
 */
export function countTogether(operations: readonly ValueOperation[]): number {
  const written = new Set<string>();
  const read = new Set<string>();
  const listed: { readonly first: string; readonly end: string }[] = [];
  let size = 0;
  for (const [index, operation] of operations.entries()) {
    if (index === MAX_OPERATIONS) return index;
    if (operation.kind === 'get') read.add(operation.key);
    else if (operation.kind === 'list') listed.push(operation);
    else {
      const { key, text } = operation;
      size += text?.length ?? 0;
      const isSeen = written.has(key) || read.has(key) || listed.some(({ first, end }) => key >= first && key < end);
      if (index > 0 && (isSeen || size > MAX_SIZE)) return index;
      written.add(key);
    }
  }
  return operations.length;
}

/** Creates a function that runs operations together. `createError` creates the error of reads on a standby. */
export function createValueRunner(
  connection: PostgresConnection,
  tables: Tables,
  createError: () => Error,
): (calls: readonly ValueCall[]) => Promise<void> {
  const { values: table } = tables;
  const writeText = createWrite(table);
  // A standby returns a row without a key.
  const getText = `
SELECT s.standby, e.key, e.value, e.version FROM (SELECT pg_is_in_recovery() AS standby) s
LEFT JOIN ${table} e ON e.key = ANY($1::text[]) AND ${IS_LIVE}`;
  const listText = `
SELECT s.standby, l.key, l.value, l.version FROM (SELECT pg_is_in_recovery() AS standby) s
LEFT JOIN (
  SELECT e.key, e.value, e.version FROM ${table} e
  WHERE e.key >= $1 AND e.key < $2 AND ${IS_LIVE} ORDER BY e.key LIMIT $3::bigint
) l ON true
ORDER BY l.key`;
  // Deletes expired values. Processes that run it at the same time delete different values.
  const sweepText = `
DELETE FROM ${table} WHERE key = ANY(ARRAY(
  SELECT key FROM ${table} WHERE expires_at <= ${NOW} ORDER BY expires_at LIMIT ${MAX_SWEPT} FOR UPDATE SKIP LOCKED
)) RETURNING 1 AS one`;
  let writes = 0;

  async function write(run: RunStatement, calls: readonly ValueCall[]): Promise<void> {
    const operations = calls.flatMap(({ operation }) => (operation.kind === 'write' ? operation : []));
    const getColumn = <Name extends keyof WriteOperation>(name: Name) => operations.map(each => each[name] ?? null);
    const overwritten = operations.flatMap(({ key, version }) => (version === undefined ? key : []));
    const columns = [
      getColumn('key'),
      getColumn('text'),
      getColumn('version'),
      getColumn('ttl'),
      overwritten,
      getColumn('keepTtl'),
    ];
    const rows = await run(writeText, columns, tables.nameStatement('write'));
    resolveByKey(calls, rows);
  }

  async function read(
    run: RunStatement,
    text: string,
    values: unknown[],
    name: string,
  ): Promise<readonly PostgresRow[]> {
    const rows = await run(text, values, tables.nameStatement(name));
    if (rows[0]?.standby === 't') throw createError();
    return rows.filter(({ key }) => key !== null);
  }

  async function sweepSometimes(run: RunStatement, count: number): Promise<void> {
    writes += count;
    if (writes < WRITES_PER_SWEEP) return;
    const swept = await run(sweepText, [], tables.nameStatement('sweep'));
    // There may be more expired values.
    writes = swept.length === MAX_SWEPT ? WRITES_PER_SWEEP : 0;
  }

  return calls =>
    connection.use(async run => {
      const writing = calls.filter(({ operation }) => operation.kind === 'write');
      const getting = calls.filter(({ operation }) => operation.kind === 'get');
      if (writing.length > 0) await write(run, writing);
      if (getting.length > 0) {
        const keys = [...new Set(getting.flatMap(({ operation }) => (operation.kind === 'get' ? operation.key : [])))];
        resolveByKey(getting, await read(run, getText, [keys], 'get'));
      }
      for (const { operation, resolve } of calls)
        if (operation.kind === 'list')
          resolve(await read(run, listText, [operation.first, operation.end, operation.limit], 'list'));
      await sweepSometimes(run, writing.length);
    });
}

/** Resolves operations on one key with the row of the key, if there is one. */
function resolveByKey(calls: readonly ValueCall[], rows: readonly PostgresRow[]): void {
  const rowsByKey = new Map(rows.map(row => [row.key, row]));
  for (const { operation, resolve } of calls) {
    const row = operation.kind === 'list' ? undefined : rowsByKey.get(operation.key);
    resolve(row ? [row] : []);
  }
}
