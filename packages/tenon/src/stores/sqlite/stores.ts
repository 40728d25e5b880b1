import {
  type Clock,
  createErrorReporter,
  createStoreClosedError,
  MAX_VALUE_SIZE,
  type Stores,
  systemClock,
  type TenonError,
} from '@tenon/base';
import { guardStores } from '../guard-stores.js';
import { createSqliteBuckets } from './buckets.js';
import { createSqliteBus } from './bus.js';
import { type Database, readScalar } from './database.js';
import { toStoreError } from './errors.js';
import { prepareFile } from './schema.js';
import { createSqliteValues } from './values.js';
import { ATTEMPT_TIMEOUT, createWorkQueue, type WorkQueue } from './work-queue.js';

/** Options of `sqliteStores`. */
export interface SqliteStoresOptions {
  /**
   * The clock for the expiry of values. Processes that share the file need the same time.
   * @default the clock of the system
   */
  readonly clock?: Clock | undefined;
  /**
   * Maximum size of the file, in bytes. A write beyond it throws `store/full`.
   * @default 1 Gi
   */
  readonly maxBytes?: number | undefined;
  /**
   * Maximum size of the JSON text of one value or message, in characters. A larger one throws
   * `store/value-too-large`.
   * @default 1 Mi
   */
  readonly maxValueSize?: number | undefined;
  /**
   * Time that a call waits for other processes that write, in milliseconds. After it the call throws `store/busy`.
   * @default 5,000
   */
  readonly busyTimeout?: number | undefined;
  /**
   * Interval at which a listener reads messages of other processes, in milliseconds.
   * @default 50
   */
  readonly pollInterval?: number | undefined;
  /**
   * Called with the errors that listeners throw, and for messages that could not be read.
   * @default these errors are ignored
   */
  readonly onError?: ((error: TenonError) => void) | undefined;
}

/**
 * Creates stores over connections to one file. `open` opens a new connection on each call. `checkFile` runs before each
 * use, and throws when the path leads to another file.
 */
export function createSqliteStores(
  file: string,
  open: () => Database,
  options: SqliteStoresOptions,
  checkFile: () => void = () => {},
): Stores {
  const { clock = systemClock, busyTimeout = 5000, pollInterval = 50, maxValueSize = MAX_VALUE_SIZE } = options;
  const [valuesDatabase, busDatabase] = openDatabases(file, open, options.maxBytes ?? 2 ** 30);
  const queues: WorkQueue[] = [];
  const openQueue = (database: Database, makeRoom?: () => boolean): WorkQueue => {
    const queue = createWorkQueue(database, { clock, timeout: busyTimeout, file, makeRoom });
    queues.push(queue);
    return queue;
  };
  const values = createSqliteValues(
    valuesDatabase,
    makeRoom => openQueue(valuesDatabase, makeRoom),
    clock,
    maxValueSize,
  );
  // Buckets need not survive a loss of power, so they use the connection that does not wait for the disk.
  const busQueue = openQueue(busDatabase);
  const buckets = createSqliteBuckets(busDatabase, busQueue, clock);
  const report = createErrorReporter(options.onError);
  const { end, ...bus } = createSqliteBus(busDatabase, busQueue, {
    clock,
    pollInterval,
    maxValueSize,
    file,
    report,
  });
  let closing: Promise<void> | undefined;

  async function close(): Promise<void> {
    end();
    // Pending operations are completed first.
    for (const queue of queues) await queue.read(() => undefined);
    for (const each of [valuesDatabase, busDatabase]) each.close();
  }
  const check = () => {
    if (closing) throw createStoreClosedError();
    checkFile();
  };
  return {
    durable: true,
    ...guardStores({ values, bus, buckets }, check),
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}

/**
 * Opens two connections: one for values, one for messages. A write of values is acknowledged after it is on disk, so it
 * survives a power failure. Messages are only for current listeners, and they are much faster without waiting for the
 * disk.
 */
function openDatabases(file: string, open: () => Database, maxSize: number): [kept: Database, heard: Database] {
  const opened: Database[] = [];
  try {
    for (const synchronous of ['FULL', 'NORMAL']) {
      const database = open();
      opened.push(database);
      prepareFile(database, file);
      const pages = Math.max(1, Math.floor(maxSize / Number(readScalar(database, 'PRAGMA page_size'))));
      for (const setting of [
        `synchronous = ${synchronous}`,
        `max_page_count = ${pages}`,
        `busy_timeout = ${ATTEMPT_TIMEOUT}`,
      ])
        readScalar(database, `PRAGMA ${setting}`);
    }
  } catch (error) {
    for (const each of opened) each.close();
    throw toStoreError(error, file);
  }
  return opened as [Database, Database];
}
