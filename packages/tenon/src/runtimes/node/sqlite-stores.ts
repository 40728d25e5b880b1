import { closeSync, openSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import {
  checkFilePath,
  checkOptional,
  checkRange,
  requireArgument,
  requirePresentOptions,
  type Stores,
  TenonError,
} from '@tenon/base';
import { makePrivate } from '@tenon/base/node';
import { checkAmount, commonChecks } from '../../stores/option-checks.js';
import type { Database } from '../../stores/sqlite/database.js';
import { toStoreError } from '../../stores/sqlite/errors.js';
import { createSqliteStores, type SqliteStoresOptions } from '../../stores/sqlite/stores.js';

type Libsql = new (path: string, options: { timeout: number }) => Database;

/** Maximum time to wait for other processes when a file is opened, in milliseconds. */
const OPENING_TIMEOUT_MS = 5000;

/**
 * Opens stores in a SQLite file, for all processes of one machine. Creates the file, readable by its owner only. Needs
 * the package `libsql`.
 * @throws TenonError `store/no-driver` without `libsql`, `store/unreadable` for a damaged file, `store/schema` for
 * another program's or a newer database, `store/permissions` if other users can write the file, `store/read-only`, or `store/failed`.
 */
export function sqliteStores(file: string, options: SqliteStoresOptions = {}): Stores {
  requirePresentOptions<SqliteStoresOptions>('sqliteStores', options, {
    ...commonChecks,
    maxBytes: checkAmount,
    busyTimeout: checkOptional(checkRange('a number of at least 0', 0)),
    pollInterval: checkAmount,
  });
  requireArgument('the file of sqliteStores', file, checkFilePath);
  // With a full path, no name can be taken for a URL or for a database in memory.
  const path = resolve(file);
  const Libsql = loadLibsql();
  try {
    // Access for the owner only. SQLite gives the same access to the files next to it.
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw toStoreError(error, path);
    // An existing file is not opened, because closing it would release the locks that this process has on it:
    // https://www.sqlite.org/howtocorrupt.html
    for (const each of [path, `${path}-wal`, `${path}-shm`])
      makePrivate({ path: each, code: 'store/permissions', subject: 'the stored data', groupMayRead: true });
  }
  const stores = createSqliteStores(
    path,
    () => new Libsql(path, { timeout: OPENING_TIMEOUT_MS }),
    options,
    () => {
      // A file that was deleted or replaced still exists for this process, but all others would miss its writes.
      const stats = statSync(path, { throwIfNoEntry: false });
      if (stats?.ino === opened.ino && stats.dev === opened.dev) return;
      const hint = 'restart this process, and restore the file if needed';
      const change = stats === undefined ? 'deleted' : 'replaced';
      throw new TenonError('store/file-replaced', `${path}: the open file was ${change}`, { hint });
    },
  );
  const opened = statSync(path);
  return stores;
}

/** Loads the driver on first use. Both builds use `require`, because the driver is a CommonJS module. */
function loadLibsql(): Libsql {
  try {
    return createRequire(import.meta.filename)('libsql') as Libsql;
  } catch (cause) {
    const hint = 'run `npm install libsql`';
    throw new TenonError('store/no-driver', 'the package libsql is not installed', { hint, cause });
  }
}
