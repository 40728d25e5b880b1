import { TenonError } from '@tenon/base';
import { type Database, prepareStatement, readScalar, rollBack } from './database.js';
import { isBusy, isReadOnlyError } from './errors.js';

/**
 * The application ID in the header of the file: `tnon`.
 * @see https://www.sqlite.org/pragma.html#pragma_application_id
 */
const APPLICATION_ID = 0x746e6f6e;
const SCHEMA_VERSION = 1;
/** Maximum number of attempts to open a file that another connection is creating. */
const MAX_OPEN_ATTEMPTS = 100;
const OPEN_PAUSE = 20;

// Both times are in milliseconds. Message numbers are never reused, because listeners skip the numbers that they
// already got.
const TABLES = `
  CREATE TABLE entries (key TEXT PRIMARY KEY, value TEXT NOT NULL, version INTEGER NOT NULL, ends INTEGER);
  CREATE INDEX entries_by_end ON entries (ends) WHERE ends IS NOT NULL;
  CREATE TABLE messages (
    id INTEGER PRIMARY KEY AUTOINCREMENT, origin TEXT NOT NULL, topic TEXT NOT NULL, text TEXT NOT NULL,
    at INTEGER NOT NULL
  );
  PRAGMA application_id = ${APPLICATION_ID};
  PRAGMA user_version = ${SCHEMA_VERSION};
`;

// One statement reads all three values, because another process may be creating the tables at the same time.
const IDENTITY = `SELECT user_version AS version, application_id AS owner, (SELECT count(*) FROM sqlite_schema) AS tables
  FROM pragma_user_version, pragma_application_id`;

/** Creates missing tables. Refuses a file of another program or of a later release. */
export function prepareFile(database: Database, file: string): void {
  for (let attempt = 1; ; attempt++) {
    try {
      return prepareOnce(database, file);
    } catch (error) {
      // SQLite does not wait for other connections when it switches to the write-ahead log.
      if (!isBusy(error) || attempt === MAX_OPEN_ATTEMPTS) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, OPEN_PAUSE);
    }
  }
}

function prepareOnce(database: Database, file: string): void {
  const isPrepared = hasTables(database, file);
  if (readScalar(database, 'PRAGMA journal_mode = WAL') !== 'wal')
    throw new TenonError('store/unreadable', `${file}: the file system does not support a write-ahead log`, {
      hint: 'move the file to a local disk, because network folders cannot share memory between processes',
    });
  if (isPrepared) return checkWritable(database);
  database.exec('BEGIN IMMEDIATE');
  try {
    if (!hasTables(database, file)) database.exec(TABLES);
    database.exec('COMMIT');
  } catch (error) {
    rollBack(database);
    throw error;
  }
}

/**
 * Checks that the database can be written. A read-only database opens without an error, and a later write would fail.
 */
function checkWritable(database: Database): void {
  try {
    // If another process is writing, the file can be written, so this check does not wait.
    readScalar(database, 'PRAGMA busy_timeout = 0');
    database.exec('BEGIN IMMEDIATE');
    database.exec("DELETE FROM entries WHERE key = ''");
  } catch (error) {
    if (isReadOnlyError(error)) throw error;
  } finally {
    rollBack(database);
  }
}

function hasTables(database: Database, file: string): boolean {
  const { version, owner, tables } = prepareStatement(database, IDENTITY)()[0] ?? {};
  if (owner === APPLICATION_ID && version === SCHEMA_VERSION) return true;
  if (owner === APPLICATION_ID)
    throw new TenonError('store/schema', `${file}: unsupported schema version`, {
      expected: `schema ${SCHEMA_VERSION}`,
      received: `schema ${Number(version)}`,
      hint: 'update tenon, or use another file',
    });
  if (owner !== 0 || version !== 0 || tables !== 0)
    throw new TenonError('store/schema', `${file}: not a database of tenon stores`, {
      hint: 'use a separate file for the stores',
    });
  return false;
}
