import type { Tool } from 'tenon';
import { functionWords, readWordGroups } from './related-words.js';
import { isUnspaced, splitTerms, type ToolTexts, weighTerms } from './search-terms.js';

/** Maximum number of results of one search. */
export const MAX_RESULTS = 50;
export const DEFAULT_RESULTS = 8;
/** Maximum number of query terms that are searched. */
const MAX_QUERY_TERMS = 64;
/** Weight of a word that begins with the term, relative to the term itself. Used for terms that no tool contains. */
const PREFIX_WEIGHT = 0.4;
const MIN_PREFIX_LENGTH = 3;
/** Spelling of an umlaut in ASCII. The index has the letter without its accent. */
const UMLAUT = /([aou])e/g;
/** Weight of a word with a related meaning, relative to the term itself. */
const RELATED_WEIGHT = 0.5;

/** Okapi BM25 parameters: saturation of repeated words, and normalization by the length of a description. */
const SATURATION = 1.2;
const LENGTH = 0.75;

/** Tool in the search index. */
export interface CatalogEntry extends ToolTexts {
  /** Public name of the tool. It is unique. */
  readonly name: string;
  readonly tool: Tool;
}

export interface SearchHit extends CatalogEntry {
  /** Relevance score. A higher score is better. Scores of different searches cannot be compared. */
  readonly score: number;
}

/** Search index of tools. It contains their names, titles, descriptions, property names and texts about their servers. */
export interface CatalogSearch {
  /**
   * Returns tools sorted by score, then by name, so that the order is deterministic. An empty query returns the first
   * tools by name.
   */
  search(query: string, options?: { readonly limit?: number }): readonly SearchHit[];
}

/** Tools that contain a term. */
interface TermHolders {
  /** Indexes of the tools. */
  readonly tools: number[];
  /** Weights of the term in these tools, with saturation and length normalization. */
  readonly weights: number[];
}

/** Terms with a related meaning, by term. */
const relatedTerms = new Map<string, ReadonlySet<string>>();
for (const group of readWordGroups()) {
  const terms = group.flatMap(splitTerms);
  for (const term of terms) {
    relatedTerms.set(term, new Set([...(relatedTerms.get(term) ?? []), ...terms.filter(each => each !== term)]));
  }
}

/** Creates a search index of tools. */
export function createCatalogSearch(unsorted: readonly CatalogEntry[]): CatalogSearch {
  const entries = [...unsorted].sort((a, b) => (a.name < b.name ? -1 : 1));
  const indexesByName = indexNames(entries);
  const holders = indexTerms(entries);
  const vocabulary = [...holders.keys()].sort();

  return {
    search(query, { limit = DEFAULT_RESULTS } = {}) {
      const most = Math.max(1, Math.min(MAX_RESULTS, Math.floor(limit) || 1));
      const terms = selectTerms(query);
      if (terms.length === 0) return entries.slice(0, most).map(entry => ({ ...entry, score: 0 }));
      const scores = new Float64Array(entries.length);
      for (const term of terms) addScores(scores, findWords(term, holders, vocabulary), holders);
      for (const named of indexesByName.get(query.trim()) ?? []) scores[named] = Number.MAX_SAFE_INTEGER;
      return selectBest(scores, most).map(index => ({
        ...(entries[index] as CatalogEntry),
        score: scores[index] ?? 0,
      }));
    },
  };
}

/** Returns the indexes of the tools with each name: a public one, else one at a server. */
function indexNames(entries: readonly CatalogEntry[]): ReadonlyMap<string, readonly number[]> {
  const indexes = new Map(entries.map(({ name }, index) => [name, [index]]));
  const publicNames = new Set(indexes.keys());
  entries.forEach(({ serverName }, index) => {
    if (serverName !== undefined && !publicNames.has(serverName))
      indexes.set(serverName, [...(indexes.get(serverName) ?? []), index]);
  });
  return indexes;
}

/** Returns the words of a query to search, without function words if it has others. */
function selectTerms(query: string): readonly string[] {
  const terms = [...new Set(splitTerms(query))];
  const meaningful = terms.filter(term => !functionWords.has(term));
  return (meaningful.length > 0 ? meaningful : terms).slice(0, MAX_QUERY_TERMS);
}

function indexTerms(entries: readonly CatalogEntry[]): ReadonlyMap<string, TermHolders> {
  const weighted = entries.map(entry => weighTerms(entry.tool, entry));
  const lengths = weighted.map(terms => [...terms.values()].reduce((total, each) => total + each, 0));
  const mean = Math.max(1, lengths.reduce((total, each) => total + each, 0) / Math.max(1, entries.length));
  const holders = new Map<string, TermHolders>();
  weighted.forEach((terms, index) => {
    const norm = SATURATION * (1 - LENGTH + LENGTH * ((lengths[index] ?? 0) / mean));
    for (const [term, often] of terms) {
      const known = holders.get(term) ?? { tools: [], weights: [] };
      holders.set(term, known);
      known.tools.push(index);
      known.weights.push((often * (SATURATION + 1)) / (often + norm));
    }
  });
  return holders;
}

/** Words to look up for a term, with their weights. */
type WeightedWords = readonly (readonly [word: string, weight: number])[];

function findWords(
  term: string,
  holders: ReadonlyMap<string, TermHolders>,
  vocabulary: readonly string[],
): WeightedWords {
  const related = [...(relatedTerms.get(term) ?? [])].map(word => [word, RELATED_WEIGHT] as const);
  if (holders.has(term)) return [[term, 1], ...related];
  const plain = term.replace(UMLAUT, '$1');
  if (plain !== term && holders.has(plain)) return [[plain, 1], ...related];
  if (related.length > 0 || (term.length < MIN_PREFIX_LENGTH && !isUnspaced(term))) return related;
  return findByPrefix(term, vocabulary).map(word => [word, PREFIX_WEIGHT] as const);
}

/** Finds the words of a sorted vocabulary that begin with a text. */
function findByPrefix(prefix: string, vocabulary: readonly string[]): readonly string[] {
  let start = 0;
  for (let end = vocabulary.length; start < end; ) {
    const middle = (start + end) >>> 1;
    if ((vocabulary[middle] as string) < prefix) start = middle + 1;
    else end = middle;
  }
  let end = start;
  while (vocabulary[end]?.startsWith(prefix)) end++;
  return vocabulary.slice(start, end);
}

/** Adds the score for one term to each tool: the highest score among the words found for it. */
function addScores(scores: Float64Array, words: WeightedWords, holders: ReadonlyMap<string, TermHolders>): void {
  const before = words.length > 1 ? scores.slice() : scores;
  // A related word counts at most as much as the term would, however rare it is.
  const [first] = words;
  const ceiling = first?.[1] === 1 ? getRarity(first[0], holders, scores.length) : Number.POSITIVE_INFINITY;
  for (const [word, weight] of words) {
    const found = holders.get(word);
    if (found === undefined) continue;
    const { tools, weights } = found;
    const factor = weight * Math.min(ceiling, getRarity(word, holders, scores.length));
    for (let at = 0; at < tools.length; at++) {
      const tool = tools[at] ?? 0;
      const score = (before[tool] ?? 0) + factor * (weights[at] ?? 0);
      if (score > (scores[tool] ?? 0)) scores[tool] = score;
    }
  }
}

function getRarity(word: string, holders: ReadonlyMap<string, TermHolders>, size: number): number {
  const count = holders.get(word)?.tools.length ?? 0;
  return Math.log(1 + (size - count + 0.5) / (count + 0.5));
}

/** Returns the indexes of the highest scores, without zeros. Equal scores keep their order. */
function selectBest(scores: Float64Array, most: number): readonly number[] {
  const found: number[] = [];
  scores.forEach((score, index) => {
    if (score > 0) found.push(index);
  });
  return found.sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0) || a - b).slice(0, most);
}
