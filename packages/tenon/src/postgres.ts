/**
 * Keep stores in Postgres, for processes on any number of machines. Needs the package `pg`.
 *
 * @module tenon/postgres
 */
export type {
  PostgresClient,
  PostgresNotification,
  PostgresPool,
  PostgresStatement,
} from './stores/postgres/connection.js';
export { type PostgresStoresOptions, postgresStores } from './stores/postgres/stores.js';
