import { type Bus, type Clock, checkKey, type JsonObject, serializeValue } from '@tenon/base';
import { createTopicListeners, type ErrorReporter } from '../listeners.js';
import type { RedisConnection } from './connection.js';

export interface RedisBusOptions {
  readonly prefix: string;
  readonly maxValueSize: number;
  readonly report: ErrorReporter;
  readonly clock: Clock;
  /** Registers a call, so that `close` waits for it. */
  readonly track: <T>(call: () => Promise<T>) => Promise<T>;
}

/** Maximum time to wait for a mark, in milliseconds. */
const MARK_TIMEOUT = 1000;

/** A bus that the stores can close. */
export interface RedisBus extends Bus {
  /** Removes all listeners. */
  clear(): void;
  /**
   * Resolves when all channels are subscribed or unsubscribed as their listeners need, and each listener gets messages.
   * Returns `undefined` if no change is pending.
   */
  getPendingSubscription(): Promise<unknown> | undefined;
}

/** The subscription of this process to the channel of a topic. */
interface Channel {
  listeners: number;
  isSubscribed: boolean;
  /** Resolves when the pending changes of the channel are done. */
  work: Promise<void>;
}

/**
 * Creates a bus over Redis channels, one channel for each topic. A listener must not get messages that were published
 * before it subscribed. A second listener on a channel therefore publishes a mark and gets only the messages after the
 * mark. In a cluster the first listener does so too, because a message may still be on its way between two nodes.
 */
export function createRedisBus(
  connection: RedisConnection,
  send: (channel: string, message: string) => Promise<unknown>,
  { prefix, maxValueSize, report, clock, track }: RedisBusOptions,
): RedisBus {
  const topics = createTopicListeners(report);
  const channels = new Map<string, Channel>();
  const marks = new Map<string, () => void>();
  const pending = new Set<Promise<void>>();
  let isCleared = false;
  const toChannelName = (topic: string) => `{${prefix}}:topic:${topic}`;
  const sendMessage = (topic: string, message: string) => send(toChannelName(topic), message);

  function receive(topic: string, message: string): void {
    // The text is JSON of a message, which is an object.
    if (message.startsWith('{')) topics.notify(topic, message);
    else marks.get(message)?.();
  }

  /** Subscribes to a channel or unsubscribes from it, after earlier changes of the channel are done. */
  function update(topic: string, channel: Channel): void {
    const step = async () => {
      const isWanted = channel.listeners > 0;
      if (isWanted === channel.isSubscribed) return;
      if (isWanted) await connection.subscribe(toChannelName(topic), message => receive(topic, message));
      else await connection.unsubscribe(toChannelName(topic));
      channel.isSubscribed = isWanted;
      if (channel.listeners === 0) channels.delete(topic);
    };
    channel.work = channel.work.then(step).catch(error => {
      // Closing the connection ends the pending changes of its subscriptions.
      if (!isCleared) report(error);
    });
    addPending(channel.work);
  }

  function addPending(work: Promise<void>): void {
    pending.add(work);
    void work.then(() => pending.delete(work));
  }

  /**
   * Publishes a mark and calls `begin` when the mark arrives. If the mark is lost, `begin` is called after a timeout.
   */
  function mark(topic: string, channel: Channel, begin: () => void): void {
    const id = crypto.randomUUID();
    const arrival = new Promise<void>(resolve => {
      const end = () => {
        if (!marks.delete(id)) return;
        cancelTimer();
        // The next message may arrive in the same turn.
        begin();
        resolve();
      };
      const cancelTimer = clock.after(MARK_TIMEOUT, end);
      marks.set(id, end);
      channel.work.then(() => sendMessage(topic, id)).catch(end);
    });
    addPending(arrival);
  }

  return {
    async publish(topic, message: JsonObject) {
      checkKey(topic);
      const text = serializeValue(message, maxValueSize);
      await track(async () => {
        // Listeners of this process that subscribed earlier must get the message.
        await channels.get(topic)?.work;
        await sendMessage(topic, text);
      });
    },
    subscribe(topic, listener) {
      checkKey(topic);
      let [isEnded, remove] = [false, () => {}];
      const begin = () => {
        if (!isEnded) remove = topics.add(topic, listener);
      };
      const known = channels.get(topic);
      const channel = known ?? { listeners: 0, isSubscribed: false, work: Promise.resolve() };
      channels.set(topic, channel);
      channel.listeners++;
      update(topic, channel);
      if (known || connection.isCluster) mark(topic, channel, begin);
      else begin();
      return () => {
        if (isEnded) return;
        isEnded = true;
        remove();
        channel.listeners--;
        update(topic, channel);
      };
    },
    getPendingSubscription: () => (pending.size === 0 ? undefined : Promise.all(pending)),
    clear() {
      isCleared = true;
      for (const end of [...marks.values()]) end();
      topics.clear();
      channels.clear();
    },
  };
}
