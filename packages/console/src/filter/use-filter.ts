import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { SearchRequest, SearchResult, WireRow } from '../api.js';
import { findResponse, findRow, toSessionPath } from '../console-state.js';
import { callApi } from '../request.js';
import { listTexts } from './match-filter.js';
import { type ParsedFilter, parseFilter } from './parse-filter.js';
import { RowScan } from './row-scan.js';

/** Time without another key after which texts are searched, in milliseconds. */
const SEARCH_DELAY = 150;
/** Minimum time between two searches of new messages, in milliseconds. Longer than `SEARCH_DELAY`, so that each one starts. */
const UPDATE_INTERVAL = 300;

/** Follows a number, at most once in an interval. A steady stream of changes is followed as well. */
function useThrottled(value: number): number {
  const [shown, setShown] = useState(value);
  const newest = useRef(value);
  newest.current = value;
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => {
    if (value === shown || timer.current !== undefined) return;
    timer.current = setTimeout(() => {
      timer.current = undefined;
      setShown(newest.current);
    }, UPDATE_INTERVAL);
  }, [value, shown]);
  useEffect(() => () => clearTimeout(timer.current), []);
  return shown;
}

/** Messages with the texts of a filter. */
export interface TextSearch {
  /** Last message that was searched for all texts. */
  readonly last: number;
  hasText(seq: number, text: string): boolean;
}

interface FoundText {
  readonly found: Set<number>;
  last: number;
}

/** Searches the texts of a filter in the command, because the page has no bodies. New messages are searched as they come. */
export function useTextSearch({ terms }: ParsedFilter, changes: number): TextSearch {
  const results = useRef(new Map<string, FoundText>());
  const [version, setVersion] = useState(0);
  const settled = useThrottled(changes);
  const texts = listTexts(terms);
  const key = JSON.stringify(texts);
  useEffect(() => {
    if (texts.length === 0) return;
    const search = async () => {
      const all = texts.map(text => results.current.get(text) ?? { found: new Set<number>(), last: 0 });
      const after = Math.min(...all.map(({ last }) => last));
      const request: SearchRequest = { texts, after };
      const { found, last } = await callApi<SearchResult>('POST', toSessionPath('wire/search'), request);
      for (const [index, text] of texts.entries()) {
        const own = all[index];
        if (!own) continue;
        for (const seq of found[index] ?? []) own.found.add(seq);
        own.last = Math.max(own.last, last);
        results.current.set(text, own);
      }
      setVersion(each => each + 1);
    };
    // After a failure, the next message searches again.
    const timer = setTimeout(() => void search().catch(() => {}), SEARCH_DELAY);
    return () => clearTimeout(timer);
  }, [key, settled]);
  return useMemo(
    () => ({
      last:
        texts.length === 0
          ? Number.POSITIVE_INFINITY
          : Math.min(...texts.map(text => results.current.get(text)?.last ?? 0)),
      hasText: (seq, text) => results.current.get(text)?.found.has(seq) ?? false,
    }),
    // The results are changed in place.
    [key, version],
  );
}

/** A filter, and the rows that it finds. */
export interface FilteredRows extends ParsedFilter {
  readonly rows: readonly WireRow[];
}

/** Filters rows in steps, so that the page answers its user meanwhile. */
export function useFilteredRows(all: readonly WireRow[], filter: string, changes: number): FilteredRows {
  const parsed = useMemo(() => parseFilter(filter), [filter]);
  const search = useTextSearch(parsed, changes);
  const scan = useRef<{ readonly filter: string; readonly first: number; readonly scan: RowScan } | null>(null);
  const [, setVersion] = useState(0);
  const { terms, issues } = parsed;
  const first = all[0]?.seq ?? 0;
  useEffect(() => {
    if (terms.length === 0) return;
    const known = scan.current;
    const isKnown = known?.filter === filter && known.first === first;
    const own = isKnown ? known.scan : new RowScan(terms, { findRow, findResponse, hasText: search.hasText });
    let timer: ReturnType<typeof setTimeout> | undefined;
    const step = () => {
      const isDone = own.step(all, search.last);
      scan.current = { filter, first, scan: own };
      setVersion(each => each + 1);
      if (!isDone) timer = setTimeout(step);
    };
    step();
    return () => clearTimeout(timer);
  }, [filter, first, changes, search.last]);
  return { terms, issues, rows: terms.length === 0 ? all : (scan.current?.scan.found ?? []) };
}
