import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CallView, WireRow } from '../api.js';
import { completeFilter } from './complete-filter.js';
import { FILTER_KEYS, isFilterKey, isNumberKey } from './filter-keys.js';
import { createCallFilter, createRowFilter, dependsOnResponses, listTexts } from './match-filter.js';
import { formatFilter, parseFilter } from './parse-filter.js';

const row = (seq: number, more: Partial<WireRow> = {}): WireRow => ({
  seq,
  time: 0,
  server: 'notes',
  version: '2026-07-28',
  from: 'client',
  kind: 'request',
  method: 'tools/call',
  id: seq,
  name: 'Add',
  size: 100,
  ...more,
});
const rows: readonly WireRow[] = [
  row(1),
  row(2, { from: 'server', kind: 'result', request: 1, took: 600, isError: true, size: 20_000 }),
  row(3, { method: 'tools/list', name: undefined, server: 'files', version: '2025-06-18' }),
  row(4, { from: 'server', kind: 'error', method: 'tools/list', request: 3, took: 5, id: 3, server: 'files' }),
  row(5, { from: 'server', kind: 'notification', method: 'notifications/progress', id: undefined, call: 7 }),
  row(6, { method: 'ping' }),
];
const texts = new Map([['a text', new Set([2, 5])]]);
const find = (filter: string): number[] => {
  const { terms } = parseFilter(filter);
  const matches = createRowFilter(terms, {
    findResponse: request => rows.find(each => each.request === request),
    hasText: (seq, text) => texts.get(text)?.has(seq) ?? false,
  });
  return rows.filter(matches).map(({ seq }) => seq);
};

describe('the filter', () => {
  it.each<[filter: string, found: readonly number[]]>([
    ['', [1, 2, 3, 4, 5, 6]],
    ['method:tools/call', [1, 2]],
    ['method:TOOLS -method:list', [1, 2]],
    ['is:error', [2, 4]],
    ['-is:error', [1, 3, 5, 6]],
    ['is:open', [6]],
    ['is:request,notification', [1, 3, 5, 6]],
    ['took:>500ms', [1, 2]],
    ['took:<=5', [3, 4]],
    ['took:1ms..0.01s', [3, 4]],
    ['size:>10k', [2]],
    ['call:7', [5]],
    ['id:3', [3, 4]],
    ['server:notes,files version:2025', [3]],
    ['server:note', []],
    ['from:server -is:result', [4, 5]],
    ['name:add', [1, 2, 4, 5, 6]],
    ['"A text"', [2, 5]],
    ['-text:"a text" from:server', [4]],
    ['method:tools/call is:error took:>500ms server:notes version:2026-07-28 "a text"', [2]],
  ])('finds the messages of %s [con.wire]', (filter, found) => {
    expect(parseFilter(filter).issues).toEqual([]);
    expect(find(filter)).toEqual(found);
  });

  it.each<[filter: string, start: number, message: RegExp]>([
    ['is:broken', 0, /^is: expected request, .*got broken$/],
    ['method:tools/call took:fast', 18, /^took: expected >500ms, .*got fast$/],
    ['took:500ms', 0, /^took: expected/],
    ['took:>5h', 0, /got >5h$/],
    ['a -status:5', 2, /^status: unknown key\. Use method, /],
    ['https://x', 0, /quotation marks: "https:\/\/x"$/],
    ['server:', 0, /^server: a value is missing$/],
    ['name:"open', 0, /closing quotation mark is missing/],
    ['"a"b', 0, /expected a space/],
    ['from:me', 0, /^from: expected client, server, got me$/],
    [`${'a'.repeat(3000)}`, 2000, /longer than 2000/],
  ])('reports the fault of %s with its position', (filter, start, message) => {
    expect(parseFilter(filter).issues).toEqual([
      { start, end: expect.any(Number), message: expect.stringMatching(message) },
    ]);
  });

  it('applies the other terms beside a fault', () => expect(find('is:broken method:ping')).toEqual([6]));

  it('never throws, and locates faults within the text', () =>
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^(-?[a-z]{1,7}:?[">,.\\0-9a-z]{0,5} ?){0,4}$/)), filter => {
        for (const { start, end } of parseFilter(filter).issues) {
          expect(start).toBeGreaterThanOrEqual(0);
          expect(end).toBeGreaterThan(start);
          expect(end).toBeLessThanOrEqual(filter.length);
        }
      }),
    ));

  const keys = Object.keys(FILTER_KEYS).filter(isFilterKey);
  const value = fc.string({ minLength: 1, maxLength: 12 });
  const term = fc.constantFrom(...keys).chain(key => {
    const values = isNumberKey(key)
      ? fc.constant([key === 'call' ? '3..5' : '>3', '<=2'])
      : key === 'is'
        ? fc.constant(['error', 'open'])
        : key === 'from'
          ? fc.constant(['client'])
          : fc.array(value, { minLength: 1, maxLength: 3 });
    return fc.record({ key: fc.constant(key), isNegated: fc.boolean(), values });
  });

  it('is the same after it is written and parsed again', () =>
    fc.assert(
      fc.property(fc.array(term, { maxLength: 5 }), terms => {
        const parsed = parseFilter(formatFilter(terms));
        expect(parsed.issues).toEqual([]);
        expect(parsed.terms).toMatchObject(terms);
      }),
    ));

  it('finds with a negated term exactly the messages that the term does not find', () =>
    fc.assert(
      fc.property(term, each => {
        const positive = find(formatFilter([{ ...each, isNegated: false }]));
        const negative = find(formatFilter([{ ...each, isNegated: true }]));
        expect([...positive, ...negative].sort((a, b) => a - b)).toEqual(rows.map(({ seq }) => seq));
      }),
    ));

  it('lists its texts, and knows if later responses change its result', () => {
    const { terms } = parseFilter('A text:"B c",a -d');
    expect(listTexts(terms)).toEqual(['a', 'b c', 'd']);
    expect(dependsOnResponses(terms)).toBe(false);
    expect(dependsOnResponses(parseFilter('took:>1s').terms)).toBe(true);
    expect(dependsOnResponses(parseFilter('is:OPEN').terms)).toBe(true);
  });

  it('finds calls by their members, and by the texts of their messages', () => {
    const call = (id: number, more: Partial<CallView>): CallView => ({
      id,
      server: 'notes',
      method: 'tools/call',
      name: 'add',
      protocolVersion: '2026-07-28',
      state: 'done',
      startedAt: 0,
      took: 700,
      messages: 2,
      rounds: 1,
      progress: null,
      isError: false,
      ...more,
    });
    const calls = [call(1, {}), call(2, { state: 'failed', took: 3 }), call(3, { state: 'waiting', took: null })];
    const list = (filter: string) =>
      calls.filter(createCallFilter(parseFilter(filter).terms, id => id === 2)).map(({ id }) => id);
    expect(list('is:error')).toEqual([2]);
    expect(list('is:waiting,done')).toEqual([1, 3]);
    expect(list('took:>500ms version:2026 server:notes name:ADD')).toEqual([1]);
    expect(list('needle')).toEqual([2]);
    expect(list('call:>1 -needle')).toEqual([3]);
  });
});

describe('the completion of a filter', () => {
  const values = { server: ['notes', 'my files'], method: ['tools/call', 'tools/list'] };
  const complete = (filter: string) => completeFilter(filter, filter.length, values).map(each => each.filter);

  it.each<[filter: string, completed: readonly string[]]>([
    ['me', ['method:']],
    ['is:error -se', ['is:error -server:']],
    ['method:list', ['method:tools/list ']],
    ['server:', ['server:notes ', 'server:"my files" ']],
    ['server:notes,my', ['server:notes,"my files" ']],
    ['from:c', ['from:client ']],
    ['took:>1', ['took:>100ms ', 'took:>1s ']],
    ['unknown:', []],
    ['"a m', []],
  ])('completes %s', (filter, completed) => expect(complete(filter)).toEqual(completed));

  it('offers all keys at the beginning, and keeps the rest behind the cursor', () => {
    expect(complete('')).toHaveLength(Object.keys(FILTER_KEYS).length);
    expect(completeFilter('me is:error', 2, values)).toMatchObject([{ filter: 'method: is:error', cursor: 7 }]);
    expect(completeFilter('method', 2, values)).toEqual([]);
  });
});
