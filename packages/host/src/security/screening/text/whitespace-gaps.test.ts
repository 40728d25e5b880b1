import { describe, expect, it } from 'vitest';
import type { FindingCandidate } from '../finding.js';
import { findGaps } from './whitespace-gaps.js';

const list = (text: string) => {
  const found: FindingCandidate[] = [];
  findGaps(text, each => found.push(each), { steps: 0 });
  return found;
};

describe('findGaps', () => {
  it('finds text after 100 spaces in a line', () => {
    expect(list(`a${' '.repeat(100)}b`)).toEqual([
      { kind: 'whitespace', severity: 'warn', at: 1, length: 100, shown: '100 spaces' },
    ]);
    expect(list(`a${' '.repeat(99)}b`)).toEqual([]);
    expect(list(`a${'\t'.repeat(100)}b`)).toHaveLength(1);
    expect(list(`a\n${' '.repeat(100)}b`)).toMatchObject([{ shown: '1 lines' }]);
  });

  it('finds text after 20 line breaks', () => {
    expect(list(`a${'\n'.repeat(20)}b`)).toEqual([
      { kind: 'whitespace', severity: 'warn', at: 1, length: 20, shown: '20 lines' },
    ]);
    expect(list(`a${'\n'.repeat(19)}b`)).toEqual([]);
    expect(list(`a${'\n'.repeat(19)} b`)).toEqual([]);
  });

  it('ignores space at the end', () => {
    expect(list(`a${' '.repeat(200)}`)).toEqual([]);
  });

  it('finds stacked marks', () => {
    expect(list(`a${'\u0301'.repeat(30)}b`)).toMatchObject([{ kind: 'stacked-marks', severity: 'warn' }]);
    expect(list('a\u0301b')).toEqual([]);
  });
});
