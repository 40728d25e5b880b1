import { type Bus, checkKey, type JsonObject, serializeValue } from '@tenon/base';
import { createTopicListeners, type ErrorReporter } from '../listeners.js';
import type { PostgresConnection } from './connection.js';
import { createMessageReader, type MessageReaderOptions } from './message-reader.js';
import type { EnqueueOperation, QueuedCall } from './queue.js';
import type { Tables } from './schema.js';
import { escapeText } from './values.js';

/** Lifetime of a message, in milliseconds. */
const MESSAGE_TTL = 60_000;
/** Number of messages after which old messages are deleted. */
const MESSAGES_PER_SWEEP = 64;
/** Maximum number of messages that one statement deletes. */
const MAX_SWEPT = 1000;
/** Maximum number of messages that are published together. */
const MAX_TOGETHER = 256;
/** Maximum size of the messages that are published together, in characters. One larger message is published alone. */
const MAX_SIZE = 2 ** 22;

export interface Publication {
  readonly topic: string;
  readonly text: string;
}

export type EnqueuePublication = EnqueueOperation<Publication, void>;

// The time is in microseconds, so that numbers still increase if the server has lost the last ones.
const MICROSECONDS = '(extract(epoch FROM clock_timestamp()) * 1000000)::bigint';

/** Returns the number of messages that are published together. */
export function countPublications(publications: readonly Publication[]): number {
  let size = 0;
  for (const [index, { text }] of publications.entries()) {
    size += text.length;
    if (index > 0 && (index === MAX_TOGETHER || size > MAX_SIZE)) return index;
  }
  return publications.length;
}

/** Creates a function that writes messages to the table and notifies the readers. */
export function createPublicationRunner(
  connection: PostgresConnection,
  tables: Tables,
  origin: string,
): (calls: readonly QueuedCall<Publication, void>[]) => Promise<void> {
  const { messages, counter } = tables;
  // Publishes messages. Messages need not survive the server, so the commit does not wait for its disk. The notification
  // contains only the name of the publisher.
  // Parameters: topics, messages, origin, channel.
  const publishText = `
WITH counted AS (
  UPDATE ${counter} SET last_id = greatest(last_id + cardinality($1::text[]), ${MICROSECONDS}) RETURNING last_id
), added AS (
  INSERT INTO ${messages} (id, origin, topic, message)
  SELECT c.last_id - cardinality($1::text[]) + i.place, $3, i.topic, i.message
  FROM counted c, unnest($1::text[], $2::text[]) WITH ORDINALITY AS i (topic, message, place)
)
SELECT pg_notify($4, $3), set_config('synchronous_commit', 'off', true)`;
  const sweepText = `
DELETE FROM ${messages} WHERE id = ANY(ARRAY(
  SELECT id FROM ${messages} WHERE id <= ${MICROSECONDS} - ${MESSAGE_TTL * 1000} ORDER BY id LIMIT ${MAX_SWEPT}
  FOR UPDATE SKIP LOCKED
)) RETURNING 1 AS one`;
  let published = 0;
  return calls =>
    connection.use(async run => {
      const columns = [calls.map(({ operation }) => operation.topic), calls.map(({ operation }) => operation.text)];
      await run(publishText, [...columns, origin, tables.channel], tables.nameStatement('publish'));
      for (const { resolve } of calls) resolve();
      published += calls.length;
      if (published < MESSAGES_PER_SWEEP) return;
      const swept = await run(sweepText, [], tables.nameStatement('sweep-messages'));
      published = swept.length === MAX_SWEPT ? MESSAGES_PER_SWEEP : 0;
    });
}

export interface PostgresBusOptions
  extends Pick<
    MessageReaderOptions,
    'clock' | 'pollInterval' | 'origin' | 'prepare' | 'onError' | 'createStandbyError'
  > {
  readonly maxValueSize: number;
  readonly report: ErrorReporter;
  readonly enqueue: EnqueuePublication;
  /** Registers a call, so that `close` waits for it. */
  readonly track: <T>(call: () => Promise<T>) => Promise<T>;
}

/** A bus that can be ended. */
export interface PostgresBus extends Bus {
  /** Ends all listening. */
  clear(): Promise<void>;
  /**
   * Resolves when new listeners get the messages of other processes, or cannot get them for now. Returns `undefined` if
   * all listeners get them.
   */
  getPendingSubscription(): Promise<unknown> | undefined;
}

/**
 * Creates a bus over a table. Listeners get the messages of this process when they are written. They get messages of
 * other processes after the first read of the table that began after the subscription.
 */
export function createPostgresBus(
  connection: PostgresConnection,
  tables: Tables,
  { maxValueSize, report, enqueue, track, ...options }: PostgresBusOptions,
): PostgresBus {
  const ownMessages = createTopicListeners(report);
  const otherMessages = createTopicListeners(report);
  /** Functions that let new listeners get the messages of other processes. */
  const starting = new Set<() => void>();
  let publications = 0;
  let pending: Promise<void> | undefined;
  const reader = createMessageReader(connection, tables, {
    ...options,
    listTopics: otherMessages.listTopics,
    onMessage: otherMessages.notify,
    beginLook() {
      const begun = [...starting];
      return () => {
        for (const start of begun) if (starting.delete(start)) start();
      };
    },
  });

  function waitForLook(): void {
    const look = reader
      .look()
      // The reader reports the error, and reads again later.
      .catch(() => {})
      .finally(() => {
        if (pending === look) pending = undefined;
      });
    pending = look;
  }

  return {
    async publish(topic, message: JsonObject) {
      checkKey(topic);
      const text = serializeValue(message, maxValueSize);
      const number = ++publications;
      await track(() => enqueue({ topic, text: escapeText(text) }));
      ownMessages.notify(topic, text, number);
    },
    subscribe(topic, listener) {
      checkKey(topic);
      const removeOwn = ownMessages.add(topic, listener, publications);
      let removeOther = () => {};
      const start = () => {
        removeOther = otherMessages.add(topic, listener);
      };
      starting.add(start);
      waitForLook();
      return () => {
        starting.delete(start);
        removeOwn();
        removeOther();
        if (ownMessages.size === 0) void reader.stop();
      };
    },
    getPendingSubscription() {
      if (starting.size > 0 && !pending) waitForLook();
      return pending;
    },
    async clear() {
      ownMessages.clear();
      otherMessages.clear();
      starting.clear();
      await reader.stop();
    },
  };
}
