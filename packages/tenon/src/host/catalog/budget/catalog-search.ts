import type { Tool } from '../../../protocol/content.js';
import { splitTerms, weighTerms } from './search-terms.js';

/** Maximum number of results of one search. */
export const MAX_RESULTS = 50;
export const DEFAULT_RESULTS = 8;
/** Maximum number of query terms that are searched. */
const MAX_QUERY_TERMS = 32;
/** Weight of a prefix match, relative to a match of the whole word. */
const PREFIX_WEIGHT = 0.4;
const MIN_PREFIX_LENGTH = 3;

/** Okapi BM25 parameters: saturation of repeated words, and normalization by the length of a description. */
const SATURATION = 1.2;
const LENGTH = 0.6;

/** Tool in the search index. */
export interface CatalogEntry {
  /** Public name of the tool. It is unique. */
  readonly name: string;
  readonly server: string;
  readonly tool: Tool;
}

export interface SearchHit extends CatalogEntry {
  /** Relevance score. A higher score is better. Scores of different searches cannot be compared. */
  readonly score: number;
}

/** Search index of tools. It contains their names, titles, descriptions, property names and server names. */
export interface CatalogSearch {
  readonly size: number;
  /** Replaces the tools of a server. Unchanged tools are not indexed again. */
  replace(server: string, entries: readonly Omit<CatalogEntry, 'server'>[]): void;
  /**
   * Returns tools sorted by score, then by name, so that the order is deterministic. An empty query returns the first
   * tools by name.
   */
  search(query: string, options?: { readonly limit?: number }): readonly SearchHit[];
}

interface IndexedTool extends CatalogEntry {
  readonly terms: ReadonlyMap<string, number>;
  readonly length: number;
}

/** Creates a search index of tools. */
export function createCatalogSearch(entries: readonly CatalogEntry[] = []): CatalogSearch {
  const tools = new Map<string, IndexedTool>();
  const byServer = new Map<string, ReadonlySet<string>>();
  const byTerm = new Map<string, Set<IndexedTool>>();
  let length = 0;

  const remove = (indexed: IndexedTool): void => {
    tools.delete(indexed.name);
    length -= indexed.length;
    for (const term of indexed.terms.keys()) {
      const holders = byTerm.get(term);
      holders?.delete(indexed);
      if (holders?.size === 0) byTerm.delete(term);
    }
  };
  const insert = (entry: CatalogEntry): void => {
    const terms = weighTerms(entry.tool, entry.server);
    const indexed = { ...entry, terms, length: [...terms.values()].reduce((total, each) => total + each, 0) };
    tools.set(entry.name, indexed);
    length += indexed.length;
    for (const term of terms.keys()) byTerm.set(term, (byTerm.get(term) ?? new Set()).add(indexed));
  };
  const replace: CatalogSearch['replace'] = (server, own) => {
    const names = new Set(own.map(({ name }) => name));
    for (const name of byServer.get(server) ?? []) {
      const indexed = tools.get(name);
      if (indexed?.server === server && !names.has(name)) remove(indexed);
    }
    for (const { name, tool } of own) {
      const before = tools.get(name);
      if (before?.tool === tool && before.server === server) continue;
      if (before !== undefined) remove(before);
      insert({ name, server, tool });
    }
    if (names.size === 0) byServer.delete(server);
    else byServer.set(server, names);
  };
  for (const server of new Set(entries.map(entry => entry.server))) {
    replace(
      server,
      entries.filter(entry => entry.server === server),
    );
  }
  return {
    get size() {
      return tools.size;
    },
    replace,
    search(query, { limit = DEFAULT_RESULTS } = {}) {
      const scores = scoreTools(query, { tools, byTerm, mean: length / Math.max(1, tools.size) });
      const hits = [...scores].map(([{ name, server, tool }, score]) => ({ name, server, tool, score }));
      hits.sort((a, b) => b.score - a.score || (a.name < b.name ? -1 : 1));
      return hits.slice(0, Math.max(1, Math.min(MAX_RESULTS, Math.floor(limit) || 1)));
    },
  };
}

interface SearchIndex {
  readonly tools: ReadonlyMap<string, IndexedTool>;
  readonly byTerm: ReadonlyMap<string, ReadonlySet<IndexedTool>>;
  /** Average length of a tool's text. */
  readonly mean: number;
}

function scoreTools(query: string, index: SearchIndex): ReadonlyMap<IndexedTool, number> {
  const terms = [...new Set(splitTerms(query))].slice(0, MAX_QUERY_TERMS);
  if (terms.length === 0) return new Map([...index.tools.values()].map(each => [each, 0]));
  const scores = new Map<IndexedTool, number>();
  for (const term of terms) {
    for (const [tool, score] of scoreTerm(term, index)) scores.set(tool, (scores.get(tool) ?? 0) + score);
  }
  const named = index.tools.get(query.trim());
  if (named !== undefined) scores.set(named, Number.MAX_SAFE_INTEGER);
  return scores;
}

/**
 * Scores each tool for one term. A tool that contains only longer words with this prefix gets the highest score among
 * them.
 */
function scoreTerm(term: string, { tools, byTerm, mean }: SearchIndex): ReadonlyMap<IndexedTool, number> {
  const scores = new Map<IndexedTool, number>();
  const count = (word: string, factor: number) => {
    const holders = byTerm.get(word) ?? new Set<IndexedTool>();
    const rarity = Math.log(1 + (tools.size - holders.size + 0.5) / (holders.size + 0.5));
    for (const tool of holders) {
      const often = tool.terms.get(word) ?? 0;
      const against = SATURATION * (1 - LENGTH + LENGTH * (tool.length / Math.max(1, mean)));
      const score = (factor * rarity * often * (SATURATION + 1)) / (often + against);
      scores.set(tool, Math.max(scores.get(tool) ?? 0, score));
    }
  };
  count(term, 1);
  if (term.length < MIN_PREFIX_LENGTH) return scores;
  for (const word of byTerm.keys()) if (word !== term && word.startsWith(term)) count(word, PREFIX_WEIGHT);
  return scores;
}
