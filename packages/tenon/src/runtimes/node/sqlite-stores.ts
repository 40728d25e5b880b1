import { closeSync, openSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { TenonError } from '../../jsonrpc/error.js';
import type { Database } from '../../stores/sqlite/database.js';
import { toStoreError } from '../../stores/sqlite/errors.js';
import { createSqliteStores, type SqliteStoresOptions } from '../../stores/sqlite/stores.js';
import type { Stores } from '../../stores/stores.js';

type Libsql = new (path: string, options: { timeout: number }) => Database;

/** Time that opening waits for other processes, in milliseconds. */
const OPENING_TIMEOUT_MS = 5000;

/**
 * Opens stores in a SQLite file, for all processes of one machine. Creates the file, readable by its owner only. Needs
 * the package `libsql`.
 *
 * @throws TenonError `store/no-driver` without `libsql`, `store/unreadable` for a damaged file, `store/schema` for
 * another program's or a newer database, `store/read-only`, or `store/failed`.
 */
export function sqliteStores(file: string, options: SqliteStoresOptions = {}): Stores {
  // A full path, so that no name is taken for an address or for a database in memory.
  const path = resolve(file);
  const Libsql = loadLibsql();
  createPrivateFile(path);
  const stores = createSqliteStores(
    path,
    () => new Libsql(path, { timeout: OPENING_TIMEOUT_MS }),
    options,
    () => checkFile(),
  );
  const checkFile = createFileCheck(path);
  return stores;
}

/** A file that was deleted or replaced goes on to exist for this process alone: what is written is lost to all others. */
function createFileCheck(path: string): () => void {
  const opened = statSync(path);
  return () => {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats?.ino === opened.ino && stats.dev === opened.dev) return;
    const hint = 'restart this process, and restore the file if needed';
    const change = stats === undefined ? 'deleted' : 'replaced';
    throw new TenonError('store/file-replaced', `${path}: the open file was ${change}`, { hint });
  };
}

/** Loads the driver when it is first needed, and by `require` from both builds: it is a module of CommonJS. */
function loadLibsql(): Libsql {
  try {
    return createRequire(import.meta.filename)('libsql') as Libsql;
  } catch (cause) {
    const hint = 'run `npm install libsql`';
    throw new TenonError('store/no-driver', 'the package libsql is not installed', { hint, cause });
  }
}

/**
 * Makes the file readable by its owner only, which those beside it then are as well. One that is there is not touched:
 * to close it again would let go of the locks that this process has on it. https://www.sqlite.org/howtocorrupt.html
 */
function createPrivateFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw toStoreError(error, path);
  }
}
