import { describe, expect, it } from 'vitest';
import { measureCpuTime } from '../../../../../test/support/cpu-time.js';
import { takePart } from '../../../../../test/support/extent.js';
import { SCREENING_TEXTS } from '../../../../../test/support/screening-texts.js';
import { findCandidates, findFindings, MAX_SCANNED } from './find-findings.js';
import { createScanWork } from './scan-steps.js';
import { screenTool } from './screen-definitions.js';
import { screenResult } from './screen-results.js';

const toResult = (text: string) => ({ content: [{ type: 'text' as const, text }] });
const fill = (piece: string, length: number) => piece.repeat(Math.ceil(length / piece.length));

/** Lengths of the texts that come just beyond the limits: of all work, and of the search for invisible characters. */
function findLengths(piece: string): readonly number[] {
  const unlimited = createScanWork(Number.POSITIVE_INFINITY);
  const text = fill(piece, 100_000);
  findCandidates(text, MAX_SCANNED, unlimited);
  const { hidden, meaning } = createScanWork();
  return [
    [unlimited.meaning.steps, meaning.max],
    [unlimited.hidden.steps, hidden.max],
  ]
    .filter(([steps]) => steps! > text.length)
    .map(([steps, max]) => 1.05 * text.length * (max! / steps!))
    .filter(length => length <= MAX_SCANNED);
}

describe('the work of screening one value', () => {
  it.each(takePart(Object.entries(SCREENING_TEXTS), 1, 12))('ends at its limit: %s', async (_, { piece }) => {
    const lengths = findLengths(piece);
    expect(lengths.length).toBeGreaterThan(0);
    for (const length of lengths) {
      const result = toResult(fill(piece, length));
      // It takes less than 0.2 s of an idle processor. A search whose work is not counted takes minutes.
      const time = await measureCpuTime(() =>
        expect(screenResult(result).findings.map(({ kind }) => kind)).toContain('unscanned'),
      );
      expect(time).toBeLessThan(10_000);
    }
  });

  it('counts the same steps on every machine, and reports a text beyond them', () => {
    const kinds = (maxSteps: number) =>
      screenResult(toResult('The quick brown fox. '.repeat(100)), { maxSteps }).findings.map(({ kind }) => kind);
    expect(kinds(38_001)).toEqual([]);
    expect(kinds(37_999)).toEqual(['unscanned']);
  });

  it.each([0, -1, Number.NaN, '5'])('refuses the limit %j', maxSteps => {
    const screening = { maxSteps: maxSteps as number };
    expect(() => screenResult(toResult('x'), screening)).toThrow('`maxSteps` of the screening is invalid');
  });

  it('screens a million characters of prose', () => {
    expect(screenResult(toResult(fill(SCREENING_TEXTS.sentences!.piece, 1_000_000))).findings).toEqual([]);
  });

  it('withholds a text with more invisible characters than it can remove', () => {
    const { value, findings } = screenResult(toResult(fill('a\u202e', 2_000_000)));
    expect(value).toEqual(toResult('[withheld: it takes too long to remove the invisible characters of this text]'));
    expect(findings.map(({ kind }) => kind)).toContain('unscanned');
    const tool = { name: 'a', inputSchema: { type: 'object' as const }, description: fill('a\u202e', 20_000) };
    expect(screenTool(tool).value.description).toBe('a'.repeat(10_000));
  });

  it('removes invisible characters after a text whose words take too long', () => {
    const content = ['p\u0430 '.repeat(300_000), 'a\u202eb'].map(text => ({ type: 'text' as const, text }));
    const { value, findings } = screenResult({ content });
    expect(findings.map(({ kind }) => kind)).toContain('unscanned');
    expect(value.content[1]).toEqual({ type: 'text', text: 'ab' });
  });

  it('keeps four million characters without invisible ones', () => {
    const result = toResult('狐'.repeat(4_100_000));
    const { value, findings } = screenResult(result);
    expect(value).toBe(result);
    expect(findings.map(({ kind }) => kind)).toEqual(['unscanned']);
  });

  it('reports one text as not scanned beyond the default number of steps', () => {
    const kinds = findFindings('p\u0430 '.repeat(300_000), 'x').map(({ kind }) => kind);
    expect(kinds).toContain('unscanned');
  });
});
