import { TenonError } from '../jsonrpc/error.js';
import type { JsonObject } from '../jsonrpc/message.js';

/** Who listens to which topic in this process. */
export interface Listeners {
  /** With `since`, hears only what has a greater number. */
  add(topic: string, hear: (message: JsonObject) => void, since?: number): () => void;
  /** Tells those who listen now. Each hears it later, so that nobody is called by a publisher. */
  tell(topic: string, text: string, number?: number): void;
  clear(): void;
  readonly size: number;
}

interface Listener {
  readonly hear: (message: JsonObject) => void;
  readonly since: number;
}

/** Tells its receiver what went wrong, and is not harmed by it. */
export type Report = (error: TenonError) => void;

export function createListeners(report: Report): Listeners {
  const topics = new Map<string, Set<Listener>>();
  let size = 0;

  function remove(topic: string, listener: Listener): void {
    const listeners = topics.get(topic);
    if (!listeners?.delete(listener)) return;
    size--;
    if (listeners.size === 0) topics.delete(topic);
  }

  async function tellOne(topic: string, listener: Listener, text: string): Promise<void> {
    await undefined;
    if (!topics.get(topic)?.has(listener)) return;
    try {
      await listener.hear(JSON.parse(text) as JsonObject);
    } catch (error) {
      report(TenonError.from(error, 'listener/threw'));
    }
  }

  return {
    add(topic, hear, since = 0) {
      const listener = { hear, since };
      topics.set(topic, (topics.get(topic) ?? new Set<Listener>()).add(listener));
      size++;
      return () => remove(topic, listener);
    },
    tell(topic, text, number = Number.POSITIVE_INFINITY) {
      for (const listener of topics.get(topic) ?? []) if (listener.since < number) void tellOne(topic, listener, text);
    },
    clear() {
      topics.clear();
      size = 0;
    },
    get size() {
      return size;
    },
  };
}

/** A listener for problems that can not do harm itself. */
export function reporting(onProblem: ((error: TenonError) => void) | undefined): Report {
  return error => {
    try {
      onProblem?.(error);
    } catch {
      // There is nobody left to tell.
    }
  };
}
