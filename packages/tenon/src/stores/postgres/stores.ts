import { type Clock, systemClock } from '../../cancellation/clock.js';
import { TenonError } from '../../jsonrpc/error.js';
import { guardStores } from '../guard-stores.js';
import { createErrorReporter } from '../listeners.js';
import { createCallTracker } from '../remote/call-tracker.js';
import { createOnce } from '../remote/once.js';
import type { Stores } from '../stores.js';
import { createStoreClosedError, MAX_VALUE_SIZE } from '../validation.js';
import { countPublications, createPostgresBus, createPublicationRunner, type Publication } from './bus.js';
import {
  createConnection,
  openPostgresUrl,
  type PostgresConnection,
  type PostgresPool,
  type PostgresRow,
} from './connection.js';
import { createStandbyError, toPostgresError } from './errors.js';
import { createQueue, type EnqueueOperation, type QueueOptions } from './queue.js';
import { createTables, prepareTables } from './schema.js';
import { countTogether, createValueRunner, type ValueOperation } from './value-statements.js';
import { createPostgresValues } from './values.js';

/** Options of `postgresStores`. */
export interface PostgresStoresOptions {
  /**
   * Schema of the database that has the tables. Deployments that share a database have different ones. 1 to 40 lower-case letters,
   * digits and `_`. Default: `tenon`.
   */
  readonly schema?: string | undefined;
  /**
   * Maximum size of the JSON text of one value or message, in characters, else `store/value-too-large`. Default: 1 Mi.
   */
  readonly maxValueSize?: number | undefined;
  /** Time that a call waits for Postgres, in milliseconds, else `store/unavailable`. Default: 2000. */
  readonly timeout?: number | undefined;
  /**
   * Interval at which a listener looks for messages of other processes when Postgres has notified it of none, in milliseconds.
   * Default: 1000.
   */
  readonly pollInterval?: number | undefined;
  /** Maximum number of connections for a URL. One of them is kept while there are subscribers. Default: 4. */
  readonly maxConnections?: number | undefined;
  /**
   * A connection pooler such as PgBouncer gives each transaction another connection: nothing is prepared, set or listened to
   * on a connection, and messages of other processes are found at `pollInterval`. Default: false.
   */
  readonly transactionPooling?: boolean | undefined;
  /** The clock of the timeout. Values end by the clock of Postgres. Default: the system's. */
  readonly clock?: Clock | undefined;
  /** Receives errors of connections, and of listeners that threw. Default: nobody does. */
  readonly onError?: ((error: TenonError) => void) | undefined;
}

/**
 * Keeps stores in Postgres 13 or later, for processes on any number of machines.
 *
 * `target` is a URL (`postgres://`), for which the package `pg` must be installed, or a pool of `pg`. A pool stays open when
 * the stores are closed. The tables are created when they are first needed.
 *
 * A write that has resolved is on the disk of Postgres, and on its synchronous standbys, as `synchronous_commit` says. Its
 * default is `on`: leave it.
 *
 * @throws TenonError `store/option` for an invalid schema, URL or pool. Calls throw `store/unavailable` while Postgres does not
 * answer or is a standby, `store/full` when its disk is full, `store/no-driver` without the package, `store/schema` for tables
 * of a later version, or `store/failed`.
 */
export function postgresStores(target: string | URL | PostgresPool, options: PostgresStoresOptions = {}): Stores {
  const { timeout = 2000, pollInterval = 1000, maxValueSize = MAX_VALUE_SIZE, clock = systemClock } = options;
  const tables = createTables(options.schema ?? 'tenon');
  const report = createErrorReporter(options.onError);
  const { server, connection } = openTarget(target, options, { clock, timeout }, error => report(toError(error)));
  const toError = (error: unknown) => toPostgresError(error, server);
  const { track, settle } = createCallTracker(toError);
  const schema = createOnce(() => prepareTables(connection, tables));
  const origin = crypto.randomUUID();
  let closing: Promise<void> | undefined;

  /** A queue whose operations wait for the tables, and for subscriptions: what they read is not older than what is heard. */
  const openQueue = <Operation, Result>(
    runner: Pick<QueueOptions<Operation, Result>, 'countTogether' | 'runTogether'>,
  ): EnqueueOperation<Operation, Result> =>
    createQueue({
      clock,
      timeout,
      createTimeoutError: connection.createTimeoutError,
      countTogether: runner.countTogether,
      async runTogether(calls) {
        await schema.get();
        await getPendingSubscription();
        await runner.runTogether(calls);
      },
    });

  const enqueuePublication = openQueue<Publication, void>({
    countTogether: countPublications,
    runTogether: createPublicationRunner(connection, tables, origin),
  });
  const { clear, getPendingSubscription, ...bus } = createPostgresBus(connection, tables, {
    clock,
    pollInterval,
    maxValueSize,
    origin,
    report,
    track,
    enqueue: enqueuePublication,
    prepare: schema.get,
    onError: error => report(toError(error)),
    createStandbyError: () => createStandbyError(server),
  });
  const enqueueValue = openQueue<ValueOperation, readonly PostgresRow[]>({
    countTogether,
    runTogether: createValueRunner(connection, tables, () => createStandbyError(server)),
  });
  const values = createPostgresValues(operation => track(() => enqueueValue(operation)), maxValueSize);

  async function close(): Promise<void> {
    await clear();
    await settle();
    await connection.close();
  }
  return {
    durable: true,
    ...guardStores({ values, bus }, () => {
      if (closing) throw createStoreClosedError();
    }),
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}

function openTarget(
  target: string | URL | PostgresPool,
  { transactionPooling = false, maxConnections = 4 }: PostgresStoresOptions,
  common: { readonly clock: Clock; readonly timeout: number },
  onError: (error: unknown) => void,
): { readonly server: string; readonly connection: PostgresConnection } {
  if (typeof target === 'string' || target instanceof URL) {
    const server = describeUrl(target);
    const settings = { ...common, server, transactionPooling, maxConnections, onError };
    return { server, connection: openPostgresUrl(String(target), settings) };
  }
  if (typeof target?.connect !== 'function')
    throw new TenonError('store/option', 'invalid Postgres pool', {
      expected: 'a URL, or a pool of `pg`',
      received: 'an object without `connect`',
    });
  return {
    server: 'Postgres',
    connection: createConnection(target, { ...common, server: 'Postgres', transactionPooling }),
  };
}

/** The server of a URL, without user and password. */
function describeUrl(url: string | URL): string {
  const { protocol, host } = parseUrl(url);
  if (!/^postgres(ql)?:$/.test(protocol)) throw createUrlError();
  return host ? `Postgres at ${host}` : 'Postgres';
}

function parseUrl(url: string | URL): URL {
  try {
    return new URL(url);
  } catch {
    throw createUrlError();
  }
}

/** The URL is not repeated, as it can have a password. */
function createUrlError(): TenonError {
  const expected = 'postgres://user:password@host/database';
  return new TenonError('store/option', 'invalid URL of Postgres', { expected });
}
