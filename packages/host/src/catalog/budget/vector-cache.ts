import type { Clock } from '@tenon/base';

/**
 * Returns one vector for each text, all of the same length, for example by an embedding model. A host calls it with the
 * text of each tool once, and with each query.
 */
export type EmbedTexts = (texts: readonly string[]) => Promise<readonly (readonly number[])[]>;

export type Vector = readonly number[];

interface CachedVector {
  readonly vector: Promise<Vector>;
  readonly requestedAt: number;
  isSettled: boolean;
}

/** Maximum number of texts in one call of `EmbedTexts`. */
const BATCH = 100;
/** Maximum number of texts whose vectors are kept. */
const MAX_TEXTS = 5_000;
/** Time after which a text without a vector is embedded again, in milliseconds. */
const MAX_WAIT = 60_000;

/** Keeps the vectors of texts, so that equal texts in other lists are not embedded again. */
export class VectorCache {
  readonly #embed: EmbedTexts;
  readonly #clock: Clock;
  readonly #maxTexts: number;
  readonly #cached = new Map<string, CachedVector>();

  constructor(embed: EmbedTexts, clock: Clock, maxTexts = MAX_TEXTS) {
    this.#embed = embed;
    this.#clock = clock;
    this.#maxTexts = maxTexts;
  }

  /** Returns the vectors of texts. Embeds those that are not known, in batches, one after another. */
  getVectors(texts: readonly string[]): Promise<readonly Vector[]> {
    const now = this.#clock.elapsed();
    const unknown = [...new Set(texts)].filter(text => {
      const cached = this.#cached.get(text);
      return cached === undefined || (!cached.isSettled && now - cached.requestedAt > MAX_WAIT);
    });
    let before: Promise<unknown> = Promise.resolve();
    for (let start = 0; start < unknown.length; start += BATCH) {
      const batch = unknown.slice(start, start + BATCH);
      const embedded = before.then(() => requestVectors(batch, this.#embed));
      before = embedded;
      batch.forEach((text, index) =>
        this.#add(
          text,
          embedded.then(all => all[index] ?? []),
          now,
        ),
      );
    }
    const vectors = Promise.all(texts.map(text => this.#cached.get(text)?.vector ?? []));
    for (const text of this.#cached.keys()) {
      if (this.#cached.size <= this.#maxTexts) break;
      this.#cached.delete(text);
    }
    return vectors;
  }

  /** Embeds a text whose vector is not kept. */
  async createVector(text: string): Promise<Vector> {
    const [vector = []] = await requestVectors([text], this.#embed);
    return vector;
  }

  #add(text: string, vector: Promise<Vector>, requestedAt: number): void {
    const cached: CachedVector = { vector, requestedAt, isSettled: false };
    this.#cached.set(text, cached);
    vector.then(
      () => {
        cached.isSettled = true;
      },
      () => {
        if (this.#cached.get(text) === cached) this.#cached.delete(text);
      },
    );
  }
}

async function requestVectors(batch: readonly string[], embed: EmbedTexts): Promise<readonly Vector[]> {
  const vectors = await embed(batch);
  if (vectors.length === batch.length) return vectors;
  throw new Error(`embed: returned ${vectors.length} vectors. Expected ${batch.length}: one for each text.`);
}
