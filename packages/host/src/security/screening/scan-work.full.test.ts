/** The work of a scan grows with the text, whatever it contains. */
import { describe, expect, it } from 'vitest';
import { SCREENING_TEXTS } from '../../../../../test/support/screening-texts.js';
import { findCandidates } from './find-findings.js';
import { createScanWork } from './scan-steps.js';

describe('the steps of a scan', () => {
  it.each(Object.entries(SCREENING_TEXTS))('grow linearly for %s', (_name, { piece, steps: most }) => {
    const steps = (length: number): number => {
      const work = createScanWork(Number.POSITIVE_INFINITY);
      findCandidates(piece.repeat(Math.ceil(length / piece.length)), length * 2, work);
      return work.hidden.steps + work.meaning.steps;
    };
    const [short, long] = [steps(100_000), steps(1_000_000)];
    expect(long).toBeLessThan(short * 11);
    expect(long / 1_000_000).toBeLessThanOrEqual(most);
  });
});
