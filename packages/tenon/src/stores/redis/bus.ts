import type { Clock } from '../../cancellation/clock.js';
import type { JsonObject } from '../../jsonrpc/message.js';
import { createTopicListeners, type ErrorReporter } from '../listeners.js';
import type { Bus } from '../stores.js';
import { checkKey, serializeValue } from '../validation.js';
import type { RedisConnection } from './connection.js';
import type { SendCommand } from './stores.js';

export interface RedisBusOptions {
  readonly prefix: string;
  readonly maxValueSize: number;
  readonly report: ErrorReporter;
  readonly clock: Clock;
  /** Lets closing wait for a call. */
  readonly track: <T>(call: () => Promise<T>) => Promise<T>;
}

/** Longest wait for a mark, in milliseconds. */
const MARK_TIMEOUT = 1000;

/** A bus that can be ended. */
export interface RedisBus extends Bus {
  /** Ends all listening. */
  clear(): void;
  /** Resolves when the channels are as their listeners need them. `undefined` if they are. */
  getPendingSubscription(): Promise<unknown> | undefined;
}

/** The subscription of this process to the channel of a topic. */
interface Channel {
  listeners: number;
  isSubscribed: boolean;
  /** Ends when the channel is as its listeners need it. */
  work: Promise<void>;
}

/**
 * A bus over the channels of Redis, one for each topic. What comes first over a channel can have been published before a
 * further listener subscribed: it hears what comes after a mark that is published when it does.
 */
export function createRedisBus(
  connection: RedisConnection,
  send: SendCommand,
  { prefix, maxValueSize, report, clock, track }: RedisBusOptions,
): RedisBus {
  const topics = createTopicListeners(report);
  const channels = new Map<string, Channel>();
  const marks = new Map<string, () => void>();
  let pendingSteps = 0;
  const toChannelName = (topic: string) => `{${prefix}}:topic:${topic}`;
  const sendMessage = (topic: string, message: string) =>
    send(toChannelName(topic), ['PUBLISH', toChannelName(topic), message]);

  function receive(topic: string, message: string): void {
    // The text of a message is an object.
    if (message.startsWith('{')) topics.notify(topic, message);
    else marks.get(message)?.();
  }

  /** Subscribes to a channel or leaves it, after what was begun before. */
  function update(topic: string, channel: Channel): void {
    const step = async () => {
      const isWanted = channel.listeners > 0;
      if (isWanted === channel.isSubscribed) return;
      if (isWanted) await connection.subscribe(toChannelName(topic), message => receive(topic, message));
      else await connection.unsubscribe(toChannelName(topic));
      channel.isSubscribed = isWanted;
      if (channel.listeners === 0) channels.delete(topic);
    };
    pendingSteps++;
    channel.work = channel.work
      .then(step)
      .catch(report)
      .finally(() => pendingSteps--);
  }

  /** Calls `begin` when what was published before has come. A mark that is lost is not waited for long. */
  function mark(topic: string, channel: Channel, begin: () => void): void {
    const id = crypto.randomUUID();
    const end = () => {
      cancelTimer();
      if (marks.delete(id)) begin();
    };
    const cancelTimer = clock.after(MARK_TIMEOUT, end);
    marks.set(id, end);
    channel.work.then(() => sendMessage(topic, id)).catch(end);
  }

  return {
    async publish(topic, message: JsonObject) {
      checkKey(topic);
      const text = serializeValue(message, maxValueSize);
      await track(async () => {
        // Those of this process that began to listen before hear it.
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
      if (known) mark(topic, channel, begin);
      else begin();
      return () => {
        if (isEnded) return;
        isEnded = true;
        remove();
        channel.listeners--;
        update(topic, channel);
      };
    },
    getPendingSubscription: () =>
      pendingSteps === 0 ? undefined : Promise.all([...channels.values()].map(({ work }) => work)),
    clear() {
      topics.clear();
      channels.clear();
      marks.clear();
    },
  };
}
