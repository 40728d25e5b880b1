import { type JsonObject, TenonError } from '@tenon/base';
import { parseStoredValue } from './parse-stored.js';

/** Listeners of this process by topic. */
export interface TopicListeners {
  /**
   * Adds a listener and returns a function that removes it. With `since`, the listener gets only messages with a
   * greater number.
   */
  add(topic: string, listener: (message: JsonObject) => void, since?: number): () => void;
  /** Notifies the current listeners asynchronously, so that a publisher never calls a listener. */
  notify(topic: string, text: string, number?: number): void;
  clear(): void;
  /** Lists the topics with listeners. */
  listTopics(): string[];
  readonly size: number;
  /** Number of topics with listeners. */
  readonly topicCount: number;
}

interface TopicListener {
  readonly hear: (message: JsonObject) => void;
  readonly since: number;
}

/** Reports an error to its handler. An exception of the handler is ignored. */
export type ErrorReporter = (error: TenonError) => void;

export function createTopicListeners(report: ErrorReporter): TopicListeners {
  const topics = new Map<string, Set<TopicListener>>();
  let size = 0;

  function remove(topic: string, listener: TopicListener): void {
    const listeners = topics.get(topic);
    if (!listeners?.delete(listener)) return;
    size--;
    if (listeners.size === 0) topics.delete(topic);
  }

  async function notifyOne(topic: string, listener: TopicListener, text: string): Promise<void> {
    await undefined;
    if (!topics.get(topic)?.has(listener)) return;
    try {
      await listener.hear(parseStoredValue('message/', text));
    } catch (error) {
      report(TenonError.from(error, 'listener/threw'));
    }
  }

  return {
    add(topic, hear, since = 0) {
      const listener = { hear, since };
      topics.set(topic, (topics.get(topic) ?? new Set<TopicListener>()).add(listener));
      size++;
      return () => remove(topic, listener);
    },
    notify(topic, text, number = Number.POSITIVE_INFINITY) {
      for (const listener of topics.get(topic) ?? [])
        if (listener.since < number) void notifyOne(topic, listener, text);
    },
    clear() {
      topics.clear();
      size = 0;
    },
    listTopics: () => [...topics.keys()],
    get size() {
      return size;
    },
    get topicCount() {
      return topics.size;
    },
  };
}
