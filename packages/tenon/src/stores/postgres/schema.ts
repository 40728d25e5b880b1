import { TenonError } from '../../jsonrpc/error.js';
import type { PostgresConnection, RunStatement } from './connection.js';

/** Names of what the stores have in a database, as they stand in statements. */
export interface Tables {
  readonly schema: string;
  readonly values: string;
  readonly messages: string;
  readonly counter: string;
  readonly schemaVersion: string;
  /** Channel of notifications. */
  readonly channel: string;
  /** Names a statement that is prepared. Stores of several schemas may share a connection. */
  nameStatement(name: string): string;
}

/** Letters, digits and `_`. Longer ones would be cut off in names that contain them. */
const SCHEMA = /^(?!pg_)[a-z_][a-z0-9_]{0,39}$/;

const VERSION_TABLE = 'tenon_schema';
// `to_regclass` can tell of the time before a lock was waited for, as it reads a cache.
const FIND_VERSION = `SELECT 1 AS one FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
  WHERE n.nspname = $1 AND c.relname = $2`;

export function createTables(schema: string): Tables {
  if (!SCHEMA.test(schema)) {
    const expected = '1 to 40 lower-case letters, digits and `_`, not beginning with a digit or `pg_`';
    throw new TenonError('store/option', 'invalid option `schema`', { expected, received: schema.slice(0, 80) });
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
 * Changes of the tables, each of which makes the next version. Times are milliseconds since 1970 by the clock of the server.
 *
 * - Keys are compared by their bytes, and values are JSON text in ASCII: neither depends on the encoding of the database.
 * - A message has a number greater than all before. The row of the counter is locked until the message is there for all to see:
 *   who has read the message with one number has not missed one with a smaller number.
 * - Messages come and go, so the space of old ones is reused early.
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

/** First half of the key of the advisory lock: `tnon`. The second is computed from the name of the schema. */
const LOCK_CLASS = 0x746e6f6e;

/** Creates the tables where there are none, and refuses those of a later version. */
export async function prepareTables({ use }: PostgresConnection, tables: Tables): Promise<void> {
  // A user who may only read and write the tables needs no more, once they are there.
  const isPrepared = await use(async run => (await readVersion(run, tables)) === MIGRATIONS.length);
  if (!isPrepared) await use(run => changeTables(run, tables));
}

async function changeTables(run: RunStatement, tables: Tables): Promise<void> {
  // Whatever the default of the database is: what is read after the lock must show what its last holder did.
  await run('BEGIN ISOLATION LEVEL READ COMMITTED');
  // `CREATE … IF NOT EXISTS` fails when two do it at once.
  await run(`SELECT pg_advisory_xact_lock(${LOCK_CLASS}, hashtext($1))`, [tables.schema]);
  const found = await run('SELECT 1 AS one FROM pg_catalog.pg_namespace WHERE nspname = $1', [tables.schema]);
  if (found.length === 0) await run(`CREATE SCHEMA "${tables.schema}"`);
  const version = await readVersion(run, tables);
  if (version === 0) await run(`CREATE TABLE ${tables.schemaVersion} (version integer NOT NULL)`);
  if (version === 0) await run(`INSERT INTO ${tables.schemaVersion} VALUES (0)`);
  for (const createStatements of MIGRATIONS.slice(version)) await run(createStatements(tables));
  await run(`UPDATE ${tables.schemaVersion} SET version = $1`, [MIGRATIONS.length]);
  await run('COMMIT');
}

/** Version of the tables. 0 if there are none. */
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
