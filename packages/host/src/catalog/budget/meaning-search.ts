import { type CatalogEntry, type CatalogSearch, MAX_RESULTS, type SearchHit } from './catalog-search.js';
import type { Vector, VectorCache } from './vector-cache.js';

/** Maximum number of characters of the text of one tool. */
const MAX_TEXT = 2_000;
/** Damping of reciprocal rank fusion: how much the first ranks count more than later ones. */
const RANK_DAMPING = 60;

/** Searches by words and by meaning, and merges both orders. */
export interface MeaningSearch {
  /** Rejects with the error of `EmbedTexts`, or when its vectors do not fit. */
  search(query: string, options: { readonly limit: number }): Promise<readonly SearchHit[]>;
}

/** Creates a search that also compares vectors of meaning. The tools are embedded at the first search. */
export function createMeaningSearch(
  entries: readonly CatalogEntry[],
  words: CatalogSearch,
  vectorCache: VectorCache,
): MeaningSearch {
  const texts = entries.map(describeEntry);
  return {
    async search(query, { limit }) {
      const [vectors, wanted] = await Promise.all([vectorCache.getVectors(texts), vectorCache.createVector(query)]);
      const scored = entries.map((entry, index) => ({ ...entry, score: compareVectors(wanted, vectors[index] ?? []) }));
      const byMeaning = scored.sort(compareHits).slice(0, MAX_RESULTS);
      const byWords = words.search(query, { limit: MAX_RESULTS }).filter(({ score }) => score > 0);
      const merged = mergeRanks([byWords, byMeaning]);
      // A tool that the query names stays first.
      const named = merged.filter(({ name }) => name === query.trim());
      return [...named, ...merged.filter(hit => !named.includes(hit))].slice(0, limit);
    },
  };
}

function describeEntry({ server, serverName, tool, serverText = '' }: CatalogEntry): string {
  const text = [tool.title ?? '', serverName ?? tool.name, tool.description ?? '', `(${server})`, serverText];
  return text
    .filter(each => each !== '')
    .join('\n')
    .slice(0, MAX_TEXT);
}

/** Returns the cosine of the angle between two vectors. */
function compareVectors(a: Vector, b: Vector): number {
  if (a.length !== b.length) {
    throw new Error(`embed: returned vectors of ${a.length} and of ${b.length} numbers. Expected one length for all.`);
  }
  let product = 0;
  let lengthA = 0;
  let lengthB = 0;
  a.forEach((value, at) => {
    const other = b[at] ?? 0;
    product += value * other;
    lengthA += value * value;
    lengthB += other * other;
  });
  return lengthA === 0 || lengthB === 0 ? 0 : product / Math.sqrt(lengthA * lengthB);
}

/** Merges ranked lists by reciprocal rank fusion. */
function mergeRanks(lists: readonly (readonly SearchHit[])[]): readonly SearchHit[] {
  const merged = new Map<string, SearchHit>();
  for (const list of lists) {
    list.forEach((hit, rank) => {
      const score = (merged.get(hit.name)?.score ?? 0) + 1 / (RANK_DAMPING + rank + 1);
      merged.set(hit.name, { ...hit, score });
    });
  }
  return [...merged.values()].sort(compareHits);
}

/** Sorts by score, then by name. */
function compareHits(a: SearchHit, b: SearchHit): number {
  return b.score - a.score || (a.name < b.name ? -1 : 1);
}
