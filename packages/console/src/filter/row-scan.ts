import type { WireRow } from '../api.js';
import { createRowFilter, dependsOnResponses, type RowSources } from './match-filter.js';
import type { FilterTerm } from './parse-filter.js';

/** Rows that are filtered before the page draws again. */
const STEP = 20_000;

/** Filters rows in steps, and goes on with the rows that are added later. */
export class RowScan {
  /** Rows that match, in their order. */
  readonly found: WireRow[] = [];
  readonly #matches: (row: WireRow) => boolean;
  readonly #sources: RowSources & { findRow(seq: number): WireRow | undefined };
  readonly #rechecks: boolean;
  #next = 0;

  constructor(terms: readonly FilterTerm[], sources: RowSources & { findRow(seq: number): WireRow | undefined }) {
    this.#matches = createRowFilter(terms, sources);
    this.#sources = sources;
    this.#rechecks = dependsOnResponses(terms);
  }

  /** Filters the next rows up to a message. Returns false if there are more. */
  step(rows: readonly WireRow[], lastSeq: number): boolean {
    const end = Math.min(rows.length, this.#next + STEP);
    for (; this.#next < end; this.#next += 1) {
      const row = rows[this.#next];
      if (!row || row.seq > lastSeq) return true;
      // A response changes the duration of its request, and that it is open.
      const request = this.#rechecks && row.request !== undefined ? this.#sources.findRow(row.request) : undefined;
      if (request) this.#recheck(request);
      if (this.#matches(row)) this.found.push(row);
    }
    return this.#next >= rows.length;
  }

  #recheck(row: WireRow): void {
    let [low, high] = [0, this.found.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.found[middle]?.seq ?? 0) < row.seq) low = middle + 1;
      else high = middle;
    }
    const isFound = this.found[low]?.seq === row.seq;
    const matches = this.#matches(row);
    if (isFound && !matches) this.found.splice(low, 1);
    if (!isFound && matches) this.found.splice(low, 0, row);
  }
}
