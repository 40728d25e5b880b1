import type { ConsoleEvent } from '@tenon/console/api';

/** Time in which changes are sent together, in milliseconds. */
const FLUSH_DELAY = 16;
/** Maximum number of messages in one line. */
const MAX_ROWS = 2000;

/** State of which the page shows the newest value only. */
type StateEvent = Exclude<ConsoleEvent, { type: 'hello' | 'wire' | 'gap' }>;

/** Source of the messages that a page reads. */
interface RowSource {
  readonly first: number;
  readAfter(seq: number, max: number): Extract<ConsoleEvent, { type: 'wire' }>['rows'];
}

/** Writes one line, and resolves when more can be written. */
export type WriteEvent = (event: ConsoleEvent) => Promise<void>;

/**
 * Passes changes to any number of pages. A page that reads slowly gets the newest state and the messages that are still
 * in memory: nothing is queued for it.
 */
export class ChangeFeed {
  readonly #states = new Map<string, { readonly event: StateEvent; readonly changedAt: number }>();
  readonly #waiting = new Set<() => void>();
  #changes = 0;

  /** Replaces a state. The key tells which one. */
  set(key: string, event: StateEvent): void {
    this.#changes += 1;
    // A removed entry is set again at the end, so that the order is that of the changes.
    this.#states.delete(key);
    this.#states.set(key, { event, changedAt: this.#changes });
    this.notify();
  }

  /** Forgets a state. Pages that show it keep it. */
  delete(key: string): void {
    this.#states.delete(key);
  }

  /** Ends the wait of all pages. */
  notify(): void {
    for (const resume of this.#waiting) resume();
    this.#waiting.clear();
  }

  /** Writes all states, the messages after `seq`, and then each change, until the signal is aborted. */
  async send(source: RowSource, seq: number, write: WriteEvent, signal: AbortSignal): Promise<void> {
    let sentChanges = 0;
    let last = seq;
    while (!signal.aborted) {
      const events = [...this.#states.values()].filter(({ changedAt }) => changedAt > sentChanges);
      sentChanges = this.#changes;
      for (const { event } of events) await write(event);
      if (last + 1 < source.first) {
        await write({ type: 'gap', first: source.first });
        last = source.first - 1;
      }
      const rows = source.readAfter(last, MAX_ROWS);
      const newest = rows.at(-1);
      if (newest) {
        await write({ type: 'wire', rows });
        last = newest.seq;
      } else if (sentChanges === this.#changes) {
        await this.#waitForChange(signal);
      }
      // Changes of the next moment are sent together.
      await new Promise(resolve => setTimeout(resolve, FLUSH_DELAY));
    }
  }

  #waitForChange(signal: AbortSignal): Promise<void> {
    return new Promise(resolve => {
      const resume = () => {
        signal.removeEventListener('abort', resume);
        this.#waiting.delete(resume);
        resolve();
      };
      signal.addEventListener('abort', resume, { once: true });
      this.#waiting.add(resume);
      if (signal.aborted) resume();
    });
  }
}
