/**
 * Keep stores in a SQLite file, for the processes of one machine. Needs the package `libsql`.
 *
 * @module tenon/sqlite
 */
export { sqliteStores } from './runtimes/node/sqlite-stores.js';
export type { SqliteStoresOptions } from './stores/sqlite/stores.js';
