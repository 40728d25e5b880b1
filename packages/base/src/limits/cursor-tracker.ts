import { TenonError } from '../errors/error.js';
import type { JsonObject } from '../json/json-object.js';

/** Maximum number of pages of one list. */
const MAX_PAGES = 10_000;

/** Follows the cursors of one list, and stops a list that does not end. */
export class CursorTracker {
  readonly #method: string;
  readonly #seen = new Set<string>();
  #pages = 0;

  constructor(method: string) {
    this.#method = method;
  }

  /**
   * Returns the cursor of the next page, or `undefined` after the last one.
   * @throws TenonError `peer/endless-list` for a cursor that was already returned, and after 10,000 pages.
   */
  next({ nextCursor }: JsonObject, peer?: string): string | undefined {
    if (typeof nextCursor !== 'string') return undefined;
    this.#pages++;
    const isRepeated = this.#seen.has(nextCursor);
    if (isRepeated || this.#pages >= MAX_PAGES) {
      const received = isRepeated ? 'the same cursor twice' : `more than ${MAX_PAGES} pages`;
      throw new TenonError('peer/endless-list', `${this.#method} returned ${received}`, { peer });
    }
    this.#seen.add(nextCursor);
    return nextCursor;
  }

  /** Forgets the cursors, because the list is read from its start again. Its pages still count. */
  restart(): void {
    this.#seen.clear();
  }
}
