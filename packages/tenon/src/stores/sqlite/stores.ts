import { type Clock, systemClock } from '../../cancellation/clock.js';
import type { TenonError } from '../../jsonrpc/error.js';
import { guardStores } from '../guard-stores.js';
import { createErrorReporter } from '../listeners.js';
import type { Stores } from '../stores.js';
import { createStoreClosedError, MAX_VALUE_SIZE } from '../validation.js';
import { createSqliteBus } from './bus.js';
import { type Database, readScalar } from './database.js';
import { toStoreError } from './errors.js';
import { prepareFile } from './schema.js';
import { createSqliteValues } from './values.js';
import { ATTEMPT_TIMEOUT, createWorkQueue, type WorkQueue } from './work-queue.js';

/** Options of `sqliteStores`. */
export interface SqliteStoresOptions {
  /** The time by which values end: the same for all processes that share the file. Default: the system's. */
  readonly clock?: Clock | undefined;
  /** Maximum size of the file, in bytes, else `store/full`. Default: 1 Gi. */
  readonly maxBytes?: number | undefined;
  /**
   * Maximum size of the JSON text of one value or message, in characters, else `store/value-too-large`. Default: 1 Mi.
   */
  readonly maxValueSize?: number | undefined;
  /** Time that a call waits for other processes that write, in milliseconds, else `store/busy`. Default: 5000. */
  readonly busyTimeout?: number | undefined;
  /** Interval at which a listener reads messages of other processes, in milliseconds. Default: 50. */
  readonly pollInterval?: number | undefined;
  /** Called for listeners that threw, and for messages that could not be read. Default: the error is dropped. */
  readonly onError?: ((error: TenonError) => void) | undefined;
}

/**
 * Stores over connections to one file. `open` gives another connection each time. `checkFile` throws when the path no
 * longer leads to the file that was opened; it is called before each use.
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
  const report = createErrorReporter(options.onError);
  const { end, ...bus } = createSqliteBus(busDatabase, openQueue(busDatabase), {
    clock,
    pollInterval,
    maxValueSize,
    file,
    report,
  });
  let closing: Promise<void> | undefined;

  async function close(): Promise<void> {
    end();
    // Pending operations are completed.
    for (const queue of queues) await queue.read(() => undefined);
    for (const each of [valuesDatabase, busDatabase]) each.close();
  }
  const check = () => {
    if (closing) throw createStoreClosedError();
    checkFile();
  };
  return {
    durable: true,
    ...guardStores({ values, bus }, check),
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}

/**
 * Two connections: one for values, one for messages. A commit of values reaches the disk before it is acknowledged, so
 * that what was said to be kept survives the loss of power. Messages are for who listens now; not to wait for the disk
 * makes them many times faster.
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
