import type { Clock } from '@tenon/base';
import type { PostgresConnection, RunStatement } from './connection.js';
import { createNotificationListener } from './notification-listener.js';
import type { Tables } from './schema.js';

/** Maximum number of messages that are read at once. */
const READ_BATCH = 100;
/** Maximum number of topics in a query. With more topics, the messages of all topics are read. */
const MAX_TOPICS = 256;

export interface MessageReaderOptions {
  readonly clock: Clock;
  /** Interval of reads without a notification, in milliseconds. */
  readonly pollInterval: number;
  /** ID of this process. Its own messages are not read. */
  readonly origin: string;
  /** Called before each read. Resolves when the tables exist. */
  prepare(): Promise<void>;
  /** Lists the topics to read. */
  listTopics(): readonly string[];
  /** Called when a read starts. Returns a function that is called when the read has ended without an error. */
  beginLook(): () => void;
  onMessage(topic: string, message: string): void;
  /** Called for the first of several consecutive errors. */
  onError(error: unknown): void;
  createStandbyError(): Error;
}

/** Reads the messages that other processes publish. */
export interface MessageReader {
  /** Resolves after a read that started after the call. The reader then continues to read. */
  look(): Promise<void>;
  /** Stops reading until the next call of `look`. Later messages are not read. Resolves when no read is running. */
  stop(): Promise<void>;
}

/**
 * Creates a reader of messages. A Postgres notification can be lost and has no room for a message, so it only triggers
 * a read. The reader also reads at intervals and after each reconnect.
 */
export function createMessageReader(
  connection: PostgresConnection,
  tables: Tables,
  options: MessageReaderOptions,
): MessageReader {
  const { clock, pollInterval, origin, prepare, listTopics, beginLook, onMessage, onError, createStandbyError } =
    options;
  const { messages: table, counter } = tables;
  // Reads the messages after a number, without those of the reader itself, and the last number. All messages up to that
  // number are visible. The first read has no number and returns no messages.
  const text = `
SELECT c.last_id, pg_is_in_recovery() AS standby, m.id, m.topic, m.message FROM ${counter} c
LEFT JOIN LATERAL (
  SELECT id, topic, message FROM ${table}
  WHERE id > $1::bigint AND origin <> $2 AND ($3::text[] IS NULL OR topic = ANY($3::text[]))
  ORDER BY id LIMIT ${READ_BATCH}
) m ON true
ORDER BY m.id`;
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

  /** Reads with the listening connection, which shows that it still works, or with another one. */
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
      const isFull = messages.length >= READ_BATCH;
      // After a batch that is not full, all messages up to the counter were read.
      const position = isFull ? messages.at(-1)?.id : undefined;
      lastId = position ?? rows[0]?.last_id ?? lastId;
      if (!isFull) return;
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
