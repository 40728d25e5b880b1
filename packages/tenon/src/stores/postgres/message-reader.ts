import type { Clock } from '../../cancellation/clock.js';
import type { PostgresConnection, PostgresRow, RunStatement } from './connection.js';
import { createNotificationListener } from './notification-listener.js';
import type { Tables } from './schema.js';

/** Maximum number of messages that are read at once. */
const READ_BATCH = 100;
/** With more topics, messages of all topics are read. */
const MAX_TOPICS = 256;

/**
 * Messages after a number, without those of the reader itself, and the number of the last one. All messages up to that number
 * can be seen. The first look at the table has no number: then there are no messages.
 */
const createRead = ({ messages, counter }: Tables) => `
SELECT c.last_id, pg_is_in_recovery() AS standby, m.id, m.topic, m.message FROM ${counter} c
LEFT JOIN LATERAL (
  SELECT id, topic, message FROM ${messages}
  WHERE id > $1::bigint AND origin <> $2 AND ($3::text[] IS NULL OR topic = ANY($3::text[]))
  ORDER BY id LIMIT ${READ_BATCH}
) m ON true
ORDER BY m.id`;

export interface MessageReaderOptions {
  readonly clock: Clock;
  /** Interval of looks at the table when nothing is notified, in milliseconds. */
  readonly pollInterval: number;
  /** Name of this process, whose own messages are not read. */
  readonly origin: string;
  /** Called before each look, and resolves when there are tables. */
  prepare(): Promise<void>;
  /** Topics that are read. */
  listTopics(): readonly string[];
  /** Called when a look begins. Returns a function that is called when the look has ended without an error. */
  beginLook(): () => void;
  onMessage(topic: string, message: string): void;
  /** Called for the first of several errors in a row. */
  onError(error: unknown): void;
  createStandbyError(): Error;
}

/** Reads what other processes publish. */
export interface MessageReader {
  /** Resolves after a look at the table that began after the call. Keeps looking from then on. */
  look(): Promise<void>;
  /**
   * Ends reading, until the next call of `look`. Messages of the meantime are not read. Resolves when no look is running any
   * longer.
   */
  stop(): Promise<void>;
}

/**
 * A notification of Postgres only says that there is something to read, as it has no room for messages and can be lost. So the
 * reader also looks at the table at intervals, and after each new connection.
 */
export function createMessageReader(
  connection: PostgresConnection,
  tables: Tables,
  options: MessageReaderOptions,
): MessageReader {
  const { clock, pollInterval, origin, prepare, listTopics, beginLook, onMessage, onError, createStandbyError } =
    options;
  const text = createRead(tables);
  let isStopped = true;
  let hasFailed = false;
  let lastId: string | null = null;
  let cancelTimer = () => {};
  let lastLook: Promise<void> = Promise.resolve();
  let nextLook: Promise<void> | undefined;
  const lookInBackground = () => void look().catch(() => {});
  const listener = createNotificationListener(connection, {
    clock,
    channel: tables.channel,
    onNotification(payload) {
      if (payload !== origin) lookInBackground();
    },
    onError,
  });

  /** Reads with the connection that listens, which shows that it still answers, or with another one. */
  async function readAll(): Promise<void> {
    const client = listener.getClient();
    if (client) {
      try {
        return await read(client.run);
      } catch {
        listener.reconnect();
      }
    }
    await connection.use(read);
  }

  async function read(run: RunStatement): Promise<void> {
    for (;;) {
      const topics = listTopics();
      const filter = topics.length > MAX_TOPICS ? null : topics;
      const rows = await run(text, [lastId, origin, filter], tables.nameStatement('read'));
      if (isStopped) return;
      if (rows[0]?.standby === 't') throw createStandbyError();
      const messages = rows.filter(({ id }) => id !== null);
      for (const { topic, message } of messages) onMessage(String(topic), String(message));
      lastId = getPosition(messages) ?? rows[0]?.last_id ?? lastId;
      if (messages.length < READ_BATCH) return;
    }
  }

  async function lookOnce(): Promise<void> {
    nextLook = undefined;
    if (isStopped) return;
    const endLook = beginLook();
    try {
      await prepare();
      await readAll();
      endLook();
      hasFailed = false;
      if (!isStopped) listener.start();
    } catch (error) {
      if (!hasFailed && !isStopped) onError(error);
      hasFailed = true;
      throw error;
    } finally {
      cancelTimer();
      if (!isStopped) cancelTimer = clock.after(pollInterval, lookInBackground);
    }
  }

  function look(): Promise<void> {
    nextLook ??= lastLook.then(lookOnce);
    lastLook = nextLook.catch(() => {});
    return nextLook;
  }

  return {
    look() {
      isStopped = false;
      return look();
    },
    async stop() {
      isStopped = true;
      cancelTimer();
      lastId = null;
      await listener.stop();
      await lastLook;
    },
  };
}

/** The position after a full batch. With fewer messages all up to the counter were read. */
const getPosition = (messages: readonly PostgresRow[]) =>
  messages.length < READ_BATCH ? undefined : messages.at(-1)?.id;
