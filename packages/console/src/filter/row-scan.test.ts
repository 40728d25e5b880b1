import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { WireRow } from '../api.js';
import { createRowFilter } from './match-filter.js';
import { parseFilter } from './parse-filter.js';
import { RowScan } from './row-scan.js';

/** Creates requests, and responses to some of them in any order. */
const messages = fc.array(fc.record({ isResponse: fc.boolean(), choice: fc.nat(), took: fc.nat(1000) })).map(list => {
  const rows: WireRow[] = [];
  const open: number[] = [];
  for (const { isResponse, choice, took } of list) {
    const seq = rows.length + 1;
    const shared = { seq, time: 0, server: 'notes', method: 'tools/call', size: 1 };
    const [request] = isResponse && open.length > 0 ? open.splice(choice % open.length, 1) : [];
    if (request === undefined) open.push(seq);
    rows.push(
      request === undefined
        ? { ...shared, from: 'client', kind: 'request' }
        : { ...shared, from: 'server', kind: 'result', request, took },
    );
  }
  return rows;
});

describe('the scan of rows', () => {
  it('finds the same rows as one pass, if rows are added between its steps', () =>
    fc.assert(
      fc.property(
        messages,
        fc.constantFrom('took:>500ms', '-took:<300', 'is:open', '-is:open', 'is:result', ''),
        fc.integer({ min: 1, max: 7 }),
        (rows, filter, size) => {
          const { terms } = parseFilter(filter);
          const responses = new Map<number, WireRow>();
          const sources = {
            findRow: (seq: number) => rows[seq - 1],
            findResponse: (request: number) => responses.get(request),
            hasText: () => false,
          };
          const scan = new RowScan(terms, sources);
          const added: WireRow[] = [];
          for (const row of rows) {
            added.push(row);
            if (row.request !== undefined) responses.set(row.request, row);
            if (added.length % size === 0) scan.step(added, Number.POSITIVE_INFINITY);
          }
          scan.step(added, Number.POSITIVE_INFINITY);
          expect(scan.found).toEqual(rows.filter(createRowFilter(terms, sources)));
        },
      ),
    ));

  it('filters 100,000 rows in several steps, and stops at the last message whose text is searched [con.speed]', () => {
    const rows = Array.from(
      { length: 100_000 },
      (_, index): WireRow => ({
        seq: index + 1,
        time: 0,
        server: 'notes',
        from: 'client',
        kind: 'request',
        method: index % 10 === 0 ? 'tools/call' : 'ping',
        size: 1,
      }),
    );
    const { terms } = parseFilter('method:tools/call');
    const sources = { findRow: () => undefined, findResponse: () => undefined, hasText: () => true };
    const scan = new RowScan(terms, sources);
    let steps = 1;
    while (!scan.step(rows, 90_000)) steps += 1;
    expect(scan.found).toHaveLength(9000);
    expect(steps).toBe(5);
    while (!scan.step(rows, 100_000)) steps += 1;
    expect(scan.found).toHaveLength(10_000);
  });
});
