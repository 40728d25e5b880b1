import type { Clock } from '../../jsonrpc/clock.js';
import { createListeners, type Report } from '../listeners.js';
import { checkKey, textOf } from '../rules.js';
import type { Bus } from '../stores.js';
import { type Database, type Parameter, prepared, type Row } from './database.js';
import { fault, isBusy } from './faults.js';
import type { Line } from './line.js';

export interface SqliteBusOptions {
  readonly clock: Clock;
  readonly pollInterval: number;
  readonly maxValueSize: number;
  readonly file: string;
  readonly report: Report;
}

/** How long a message stands in the file, for the processes that look for it. */
const KEPT_MS = 60_000;
/** How many messages stand there at the most. */
const MAX_KEPT = 10_000;
/** Each so many messages, the outdated ones are deleted. */
const MESSAGES_PER_SWEEP = 64;
/** How many messages are read at once. */
const READ_AT_ONCE = 100;
const LAST_ID_ATTEMPTS = 20;

// Of its own messages a process reads only that they are there: it has heard them.
const STATEMENTS = {
  add: 'INSERT INTO messages (origin, topic, text, at) VALUES (?, ?, ?, ?) RETURNING id',
  last: 'SELECT coalesce(max(id), 0) AS id FROM messages',
  read: `SELECT id, topic, CASE WHEN origin = ? THEN NULL ELSE text END AS text FROM messages
    WHERE id > ? ORDER BY id LIMIT ${READ_AT_ONCE}`,
  sweep: `DELETE FROM messages WHERE at <= ? OR id <= (SELECT max(id) FROM messages) - ${MAX_KEPT} RETURNING id`,
} as const;

/** A bus over a table: who publishes writes to it, who listens looks into it at intervals. */
export function createSqliteBus(database: Database, line: Line, options: SqliteBusOptions): Bus & { end(): void } {
  const { clock, pollInterval, maxValueSize, file, report } = options;
  const origin = crypto.randomUUID();
  const listeners = createListeners(report);
  const statements = new Map<string, (...parameters: Parameter[]) => Row[]>();
  let published = 0;
  let read = 0;
  let stop: (() => void) | undefined;
  let failing = false;

  function ask(name: keyof typeof STATEMENTS, ...parameters: Parameter[]): Row[] {
    const statement = statements.get(name) ?? prepared(database, STATEMENTS[name]);
    statements.set(name, statement);
    return statement(...parameters);
  }

  /** What comes later has a greater number. */
  function lastId(): number {
    for (let attempt = 1; ; attempt++) {
      try {
        return ask('last')[0]?.id as number;
      } catch (error) {
        // Readers wait for nobody but who opens or closes the file, and each attempt waits a little by itself.
        if (!isBusy(error) || attempt === LAST_ID_ATTEMPTS) throw fault(error, file);
      }
    }
  }

  /** Tells what others have published since. Gives whether there may be more. */
  function readOnce(): boolean {
    const rows = ask('read', origin, read) as unknown as { id: number; topic: string; text: string | null }[];
    for (const { id, topic, text } of rows) {
      read = id;
      if (text !== null) listeners.tell(topic, text, id);
    }
    return rows.length === READ_AT_ONCE;
  }

  function poll(): void {
    let more = false;
    try {
      more = readOnce();
      failing = false;
    } catch (error) {
      // It is said once, not twenty times a second.
      if (!isBusy(error) && !failing) report(fault(error, file));
      failing ||= !isBusy(error);
    }
    stop = clock.after(more ? 0 : pollInterval, poll);
  }

  function sweepSometimes(): void {
    if (++published % MESSAGES_PER_SWEEP === 0) ask('sweep', clock.now() - KEPT_MS);
  }

  function rest(): void {
    stop?.();
    stop = undefined;
  }

  return {
    async publish(topic, message) {
      checkKey(topic);
      const text = textOf(message, maxValueSize);
      const [row] = await line(() => ask('add', origin, topic, text, clock.now()));
      listeners.tell(topic, text, row?.id as number);
      await line(sweepSometimes).catch(report);
    },
    subscribe(topic, hear) {
      checkKey(topic);
      const since = lastId();
      if (stop === undefined) {
        read = since;
        stop = clock.after(pollInterval, poll);
      }
      const remove = listeners.add(topic, hear, since);
      return () => {
        remove();
        if (listeners.size === 0) rest();
      };
    },
    end() {
      listeners.clear();
      rest();
    },
  };
}
