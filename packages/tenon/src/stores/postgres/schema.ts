import { TenonError } from '@tenon/base';
import type { PostgresConnection, RunStatement } from './connection.js';

/** Names of the database objects of the stores, as statements use them. */
export interface Tables {
  readonly schema: string;
  readonly values: string;
  readonly messages: string;
  readonly counter: string;
  readonly schemaVersion: string;
  /** Channel of notifications. */
  readonly channel: string;
  /** Returns the name of a prepared statement. Stores of several schemas may share a connection. */
  nameStatement(name: string): string;
}

/** Valid schema names. Longer names would be cut off in the names of tables and channels. */
const SCHEMA = /^(?!pg_)[a-z_][a-z0-9_]{0,39}$/;

const VERSION_TABLE = 'tenon_schema';
// `to_regclass` reads a cache, so its result may be older than the wait for a lock.
const FIND_VERSION = `SELECT 1 AS one FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
  WHERE n.nspname = $1 AND c.relname = $2`;

export function createTables(schema: string): Tables {
  if (typeof schema !== 'string' || !SCHEMA.test(schema)) {
    const expected = '1 to 40 lower-case letters, digits and `_`, not beginning with a digit or `pg_`';
    throw new TenonError('store/option', 'invalid option `schema`', {
      expected,
      received: String(schema).slice(0, 80),
    });
  }
  const quoted = `"${schema}"`;
  return {
    schema,
    values: `${quoted}.tenon_values`,
    messages: `${quoted}.tenon_messages`,
    counter: `${quoted}.tenon_counter`,
    schemaVersion: `${quoted}.${VERSION_TABLE}`,
    channel: `tenon:${schema}`,
    nameStatement: name => `tenon:${schema}:${name}`,
  };
}

/**
 * Migrations of the tables, one for each version. Times are in milliseconds since 1970 by the clock of the server.
 *
 * - Keys are compared by their bytes, and values are JSON text in ASCII. Neither depends on the encoding of the
 * database.
 * - A message has a greater number than all earlier ones. The counter row stays locked until the message is visible, so
 * a reader of one number has not missed a smaller one.
 * - Messages are deleted often, so the space of old ones is reused early.
 */
const MIGRATIONS: readonly ((tables: Tables) => string)[] = [
  ({ values, messages, counter }) => `
    CREATE TABLE ${values} (
      key text COLLATE "C" PRIMARY KEY, value text NOT NULL, version bigint NOT NULL, expires_at bigint
    );
    CREATE INDEX tenon_values_by_expiry ON ${values} (expires_at) WHERE expires_at IS NOT NULL;
    CREATE TABLE ${messages} (id bigint PRIMARY KEY, origin text NOT NULL, topic text NOT NULL, message text NOT NULL)
      WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
    CREATE TABLE ${counter} (last_id bigint NOT NULL);
    INSERT INTO ${counter} VALUES (0);`,
];

/** First half of the key of the advisory lock: `tnon`. The second half is computed from the name of the schema. */
const LOCK_CLASS = 0x746e6f6e;

/** Creates missing tables. Refuses tables of a later release. */
export async function prepareTables({ use }: PostgresConnection, tables: Tables): Promise<void> {
  // A user who may only read and write the tables needs no other permissions when they exist.
  const isPrepared = await use(async run => (await readVersion(run, tables)) === MIGRATIONS.length);
  if (isPrepared) return;
  await use(async run => {
    // The isolation level is set explicitly, because reads after the lock must see the changes of its last holder.
    await run('BEGIN ISOLATION LEVEL READ COMMITTED');
    // `CREATE … IF NOT EXISTS` fails when two sessions run it at the same time.
    await run(`SELECT pg_advisory_xact_lock(${LOCK_CLASS}, hashtext($1))`, [tables.schema]);
    const found = await run('SELECT 1 AS one FROM pg_catalog.pg_namespace WHERE nspname = $1', [tables.schema]);
    if (found.length === 0) await run(`CREATE SCHEMA "${tables.schema}"`);
    const version = await readVersion(run, tables);
    if (version === 0) await run(`CREATE TABLE ${tables.schemaVersion} (version integer NOT NULL)`);
    if (version === 0) await run(`INSERT INTO ${tables.schemaVersion} VALUES (0)`);
    for (const createStatements of MIGRATIONS.slice(version)) await run(createStatements(tables));
    await run(`UPDATE ${tables.schemaVersion} SET version = $1`, [MIGRATIONS.length]);
    await run('COMMIT');
  });
}

/** Returns the version of the tables, or 0 if there are none. */
async function readVersion(run: RunStatement, { schema, schemaVersion }: Tables): Promise<number> {
  const found = await run(FIND_VERSION, [schema, VERSION_TABLE]);
  if (found.length === 0) return 0;
  const [row] = await run(`SELECT version FROM ${schemaVersion}`);
  const version = Number(row?.version);
  if (version <= MIGRATIONS.length) return version;
  throw new TenonError('store/schema', `schema ${schema} of Postgres: unsupported version of the tables`, {
    expected: `version ${MIGRATIONS.length}`,
    received: `version ${version}`,
    hint: 'update tenon, or use another schema',
  });
}
