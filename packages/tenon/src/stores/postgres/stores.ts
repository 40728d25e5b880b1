import {
  type Clock,
  checkAnything,
  checkBoolean,
  checkOptional,
  createErrorReporter,
  createStoreClosedError,
  MAX_VALUE_SIZE,
  parseUrl,
  requirePresentOptions,
  type Stores,
  systemClock,
  TenonError,
} from '@tenon/base';
import { guardStores } from '../guard-stores.js';
import { checkAmount, commonChecks } from '../option-checks.js';
import { createCallTracker } from '../remote/call-tracker.js';
import { createOnce } from '../remote/once.js';
import { createPostgresBuckets } from './buckets.js';
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

const READ_TIME = 'SELECT floor(extract(epoch FROM clock_timestamp()) * 1000) AS time';

/** Options of `postgresStores`. */
export interface PostgresStoresOptions {
  /**
   * Database schema of the tables: 1 to 40 lower-case letters, digits and `_`. Deployments that share a database need
   * different schemas.
   * @default `tenon`
   */
  readonly schema?: string | undefined;
  /**
   * Maximum size of the JSON text of one value or message, in characters. A larger one throws
   * `store/value-too-large`.
   * @default 1 Mi
   */
  readonly maxValueSize?: number | undefined;
  /**
   * Time that a call waits for Postgres, in milliseconds. After it the call throws `store/unavailable`.
   * @default 2,000
   */
  readonly timeout?: number | undefined;
  /**
   * Interval at which a listener reads messages of other processes without a notification, in milliseconds.
   * @default 1000
   */
  readonly pollInterval?: number | undefined;
  /**
   * Maximum number of connections for a URL. One of them stays open while there are subscribers.
   * @default 4
   */
  readonly maxConnections?: number | undefined;
  /**
   * Set to true for a connection pooler such as PgBouncer that uses another connection for each transaction. The
   * stores then use no prepared statements, no settings and no notifications. Messages of other processes arrive at
   * `pollInterval`.
   * @default `false`
   */
  readonly transactionPooling?: boolean | undefined;
  /**
   * The clock for `timeout`. Values expire by the clock of Postgres.
   * @default the clock of the system
   */
  readonly clock?: Clock | undefined;
  /**
   * Called with errors of connections, and with errors that listeners throw.
   * @default these errors are ignored
   */
  readonly onError?: ((error: TenonError) => void) | undefined;
}

/**
 * Creates stores in Postgres 13 or later, for processes on any number of machines.
 *
 * `target` is a URL (`postgres://`) or a pool of `pg`. A URL needs the package `pg`. A pool that you pass stays open
 * when the stores are closed. The tables are created on first use.
 *
 * A write that has resolved is on the disk of Postgres and of its synchronous standbys, as `synchronous_commit`
 * requires. Keep its default, `on`.
 * @throws TenonError `store/option` for an invalid schema, URL or pool. Calls throw `store/unavailable` while Postgres
 * does not respond or is a standby, and `store/full` when its disk is full. They throw `store/no-driver` without the
 * package, `store/schema` for tables of a later release, and `store/failed` otherwise.
 */
export function postgresStores(target: string | URL | PostgresPool, options: PostgresStoresOptions = {}): Stores {
  requirePresentOptions<PostgresStoresOptions>('postgresStores', options, {
    ...commonChecks,
    // `createTables` checks it.
    schema: checkAnything,
    timeout: checkAmount,
    pollInterval: checkAmount,
    maxConnections: checkAmount,
    transactionPooling: checkOptional(checkBoolean),
  });
  const { timeout = 2000, pollInterval = 1000, maxValueSize = MAX_VALUE_SIZE, clock = systemClock } = options;
  const tables = createTables(options.schema ?? 'tenon');
  const report = createErrorReporter(options.onError);
  const { server, connection } = openTarget(target, options, { clock, timeout }, error => report(toError(error)));
  const toError = (error: unknown) => toPostgresError(error, server);
  const { track, settle } = createCallTracker(toError);
  const schema = createOnce(() => prepareTables(connection, tables));
  const origin = crypto.randomUUID();
  let closing: Promise<void> | undefined;

  /**
   * Creates a queue whose operations wait for the tables and for pending subscriptions. So the data that they read is
   * not older than the messages that listeners get.
   */
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
  const buckets = createPostgresBuckets(connection, tables, track, schema.get);

  const now = (): Promise<number> =>
    track(async () => {
      const [row] = await connection.use(run => run(READ_TIME));
      return Number(row?.time);
    });

  async function close(): Promise<void> {
    await clear();
    await settle();
    await connection.close();
  }
  return {
    durable: true,
    remote: true,
    prefix: tables.schema,
    ...guardStores({ values, bus, buckets, now }, () => {
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
    const parsed = parseUrl(target);
    // The error does not contain the URL, because it may have a password.
    if (!parsed || !/^postgres(ql)?:$/.test(parsed.protocol))
      throw new TenonError('store/option', 'invalid URL of Postgres', {
        expected: 'postgres://user:password@host/database',
      });
    const server = parsed.host ? `Postgres at ${parsed.host}` : 'Postgres';
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
