import { type Clock, systemClock } from '../../jsonrpc/clock.js';
import type { TenonError } from '../../jsonrpc/error.js';
import { reporting } from '../listeners.js';
import { closedError, MAX_VALUE_SIZE } from '../rules.js';
import type { Stores, Values } from '../stores.js';
import { createSqliteBus } from './bus.js';
import { type Database, scalar } from './database.js';
import { fault } from './faults.js';
import { ATTEMPT_MS, createLine } from './line.js';
import { prepareFile } from './schema.js';
import { createSqliteValues } from './values.js';

export interface SqliteStoresOptions {
  /** The time by which values end: the same for all processes that share the file. Default: the system's. */
  readonly clock?: Clock | undefined;
  /** How large the file may become, in bytes, else `store/full`. Default: 1 Gi. */
  readonly maxSize?: number | undefined;
  /** How much JSON text one value or message may have, in characters, else `store/value-too-large`. Default: 1 Mi. */
  readonly maxValueSize?: number | undefined;
  /** How long a call waits for other processes that write, in milliseconds, else `store/busy`. Default: 5000. */
  readonly busyTimeout?: number | undefined;
  /** How often a listener looks for messages of other processes, in milliseconds. Default: 50. */
  readonly pollInterval?: number | undefined;
  /** Hears of listeners that threw, and of messages that could not be read. Default: nobody does. */
  readonly onProblem?: ((error: TenonError) => void) | undefined;
}

/**
 * Stores over connections to one file. `open` gives another connection each time. `checkFile` throws when the path no
 * longer leads to the file that was opened; it is called before each use.
 */
export function storesIn(
  file: string,
  open: () => Database,
  options: SqliteStoresOptions,
  checkFile: () => void = () => {},
): Stores {
  const { clock = systemClock, busyTimeout = 5000, pollInterval = 50, maxValueSize = MAX_VALUE_SIZE } = options;
  const [kept, heard] = connect(file, open, options.maxSize ?? 2 ** 30);
  const lines = [createLine(clock, busyTimeout, file), createLine(clock, busyTimeout, file)] as const;
  const report = reporting(options.onProblem);
  const { end, ...bus } = createSqliteBus(heard, lines[1], { clock, pollInterval, maxValueSize, file, report });
  let closing: Promise<void> | undefined;

  async function close(): Promise<void> {
    end();
    // What was asked before comes to its end.
    for (const line of lines) await line(() => undefined);
    for (const each of [kept, heard]) each.close();
  }
  const check = () => {
    if (closing) throw closedError();
    checkFile();
  };
  return {
    durable: true,
    values: guarded(createSqliteValues(kept, lines[0], clock, maxValueSize), check),
    bus: {
      publish: async (topic, message) => {
        check();
        return bus.publish(topic, message);
      },
      subscribe: (topic, hear) => {
        check();
        return bus.subscribe(topic, hear);
      },
    },
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}

function guarded(values: Values, check: () => void): Values {
  return {
    get: async key => {
      check();
      return values.get(key);
    },
    put: async (key, value, options) => {
      check();
      return values.put(key, value, options);
    },
    delete: async (key, version) => {
      check();
      return values.delete(key, version);
    },
    list: async (prefix, options) => {
      check();
      return values.list(prefix, options);
    },
  };
}

/**
 * Two connections: one for values, one for messages. A commit of values reaches the disk before it is acknowledged, so
 * that what was said to be kept survives the loss of power. Messages are for who listens now; not to wait for the disk
 * makes them many times faster.
 */
function connect(file: string, open: () => Database, maxSize: number): [kept: Database, heard: Database] {
  const opened: Database[] = [];
  try {
    for (const synchronous of ['FULL', 'NORMAL']) {
      const database = open();
      opened.push(database);
      prepareFile(database, file);
      const pages = Math.max(1, Math.floor(maxSize / Number(scalar(database, 'PRAGMA page_size'))));
      for (const setting of [
        `synchronous = ${synchronous}`,
        `max_page_count = ${pages}`,
        `busy_timeout = ${ATTEMPT_MS}`,
      ])
        scalar(database, `PRAGMA ${setting}`);
    }
  } catch (error) {
    for (const each of opened) each.close();
    throw fault(error, file);
  }
  return opened as [Database, Database];
}
