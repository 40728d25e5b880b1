import { SharedMap } from '../jsonrpc/shared-map.js';

/** How many elicitations by URL are remembered until they are done; beyond that one of the caller that has most is forgotten. */
const MAX_OPEN = 10_000;

/** Who was asked to visit a URL. */
export interface Visitor {
  /** The caller whose share of those that are remembered is used up. */
  readonly callerKey: string;
  /** Says that the visit is done. */
  visited(elicitationId: string): void;
}

/** The elicitations by URL that are not done yet, and whom to tell when they are: who was asked last, and nobody else. */
export class Elicitations {
  readonly #open = new SharedMap<Visitor>(MAX_OPEN);

  asked(id: string, visitor: Visitor): void {
    this.#open.set(id, visitor, visitor.callerKey);
  }

  /** Tells who was asked, once. False when nobody was, or when it is done already. */
  done(id: string): boolean {
    const visitor = this.#open.get(id);
    this.#open.delete(id);
    visitor?.visited(id);
    return visitor !== undefined;
  }

  /** One who has left is told of nothing; who else was asked the same still is. */
  forget(visitor: Visitor): void {
    for (const [id, asked] of this.#open) if (asked === visitor) this.#open.delete(id);
  }
}
