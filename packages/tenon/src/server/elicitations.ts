/** How many elicitations by URL are remembered until they are done; beyond that the oldest is forgotten. */
const MAX_OPEN = 10_000;

/** The elicitations by URL that are not done yet, and whom to tell when they are: who was asked, and nobody else. */
export class Elicitations {
  readonly #open = new Map<string, () => void>();

  asked(id: string, tell: () => void): void {
    this.#open.delete(id);
    this.#open.set(id, tell);
    const oldest = this.#open.keys().next().value;
    if (this.#open.size > MAX_OPEN && oldest !== undefined) this.#open.delete(oldest);
  }

  /** Tells who was asked, once. False when nobody was, or when it is done already. */
  done(id: string): boolean {
    const tell = this.#open.get(id);
    this.#open.delete(id);
    tell?.();
    return tell !== undefined;
  }

  forget(ids: Iterable<string>): void {
    for (const id of ids) this.#open.delete(id);
  }
}
