/** `tenon/sqlite`: stores in a file, for the processes of one machine. Needs the package `libsql`. */
export { sqliteStores } from './runtimes/node/sqlite-stores.js';
export type { SqliteStoresOptions } from './stores/sqlite/stores.js';
