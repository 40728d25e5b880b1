import { type Bus, type Clock, checkKey, serializeValue } from '@tenon/base';
import { createTopicListeners, type ErrorReporter } from '../listeners.js';
import { createStatementRunner, type Database } from './database.js';
import { isBusy, toStoreError } from './errors.js';
import type { WorkQueue } from './work-queue.js';

export interface SqliteBusOptions {
  readonly clock: Clock;
  readonly pollInterval: number;
  readonly maxValueSize: number;
  readonly file: string;
  readonly report: ErrorReporter;
}

/** Time that a message stays in the file for other processes, in milliseconds. */
const MESSAGE_TTL = 60_000;
/** Maximum number of messages in the file. */
const MAX_MESSAGES = 10_000;
/** Number of messages after which expired messages are deleted. */
const MESSAGES_PER_SWEEP = 64;
/** Maximum number of messages that one query reads. */
const READ_BATCH = 100;
const LAST_ID_ATTEMPTS = 20;

// Of its own messages a process reads only the numbers, because its listeners already got the messages.
const STATEMENTS = {
  add: 'INSERT INTO messages (origin, topic, text, at) VALUES (?, ?, ?, ?) RETURNING id',
  last: 'SELECT coalesce(max(id), 0) AS id FROM messages',
  read: `SELECT id, topic, CASE WHEN origin = ? THEN NULL ELSE text END AS text FROM messages
    WHERE id > ? ORDER BY id LIMIT ${READ_BATCH}`,
  sweep: `DELETE FROM messages WHERE at <= ? OR id <= (SELECT max(id) FROM messages) - ${MAX_MESSAGES} RETURNING id`,
} as const;

/** Creates a bus over a table. Publishers write to the table, and subscribers read it at intervals. */
export function createSqliteBus(
  database: Database,
  queue: WorkQueue,
  options: SqliteBusOptions,
): Bus & { end(): void } {
  const { clock, pollInterval, maxValueSize, file, report } = options;
  const origin = crypto.randomUUID();
  const listeners = createTopicListeners(report);
  const execute = createStatementRunner(database, STATEMENTS);
  let published = 0;
  let lastRead = 0;
  let stop: (() => void) | undefined;
  let failing = false;

  /** Returns the number of the last message. Later messages have greater numbers. */
  function readLastId(): number {
    for (let attempt = 1; ; attempt++) {
      try {
        return execute('last')[0]?.id as number;
      } catch (error) {
        // Readers do not block each other. They wait only while the file is opened or closed, and each attempt has a
        // short timeout.
        if (!isBusy(error) || attempt === LAST_ID_ATTEMPTS) throw toStoreError(error, file);
      }
    }
  }

  /**
   * Delivers the messages that other processes have published since the last call. Returns true if there may be more.
   */
  function readOnce(): boolean {
    const rows = execute('read', origin, lastRead);
    for (const { id, topic, text } of rows) {
      lastRead = Number(id);
      if (typeof text === 'string') listeners.notify(String(topic), text, lastRead);
    }
    return rows.length === READ_BATCH;
  }

  function poll(): void {
    let hasMore = false;
    try {
      hasMore = readOnce();
      failing = false;
    } catch (error) {
      // The error is reported once, not at every poll.
      if (!isBusy(error) && !failing) report(toStoreError(error, file));
      failing ||= !isBusy(error);
    }
    stop = clock.after(hasMore ? 0 : pollInterval, poll);
  }

  function sweepSometimes(): void {
    if (++published % MESSAGES_PER_SWEEP === 0) execute('sweep', clock.now() - MESSAGE_TTL);
  }

  function stopPolling(): void {
    stop?.();
    stop = undefined;
  }

  return {
    async publish(topic, message) {
      checkKey(topic);
      const text = serializeValue(message, maxValueSize);
      const [row] = await queue.write(() => execute('add', origin, topic, text, clock.now()));
      listeners.notify(topic, text, row?.id as number);
      await queue.write(sweepSometimes).catch(report);
    },
    subscribe(topic, listener) {
      checkKey(topic);
      const since = readLastId();
      if (stop === undefined) {
        lastRead = since;
        stop = clock.after(pollInterval, poll);
      }
      const remove = listeners.add(topic, listener, since);
      return () => {
        remove();
        if (listeners.size === 0) stopPolling();
      };
    },
    end() {
      listeners.clear();
      stopPolling();
    },
  };
}
