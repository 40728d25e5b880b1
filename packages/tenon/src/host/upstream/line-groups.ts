import type { Line } from './line.js';

/** Lines by whom they are for: what concerns one of many costs nothing for the others. */
export class LineGroups<Whom> {
  readonly #groups = new Map<Whom, Set<Line>>();

  of(whom: Whom): Iterable<Line> {
    return this.#groups.get(whom) ?? [];
  }

  add(whom: Whom, line: Line): void {
    const group = this.#groups.get(whom) ?? new Set();
    this.#groups.set(whom, group.add(line));
  }

  delete(whom: Whom, line: Line): void {
    const group = this.#groups.get(whom);
    group?.delete(line);
    if (group?.size === 0) this.#groups.delete(whom);
  }

  clear(): void {
    this.#groups.clear();
  }
}
