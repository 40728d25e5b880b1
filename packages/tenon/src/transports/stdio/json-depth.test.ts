import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { measureCpuTime } from '../../../../../test/support/cpu-time.js';
import { takeRuns } from '../../../../../test/support/extent.js';
import { exceedsDepth } from './line-reader.js';

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

describe('exceedsDepth', () => {
  it('measures the depth of the value, whatever its strings contain', () => {
    const text = fc.string({ unit: fc.constantFrom('[', ']', '{', '}', '"', '\\', 'a'), maxLength: 12 });
    const { value } = fc.letrec(tie => ({
      value: fc.oneof(
        { maxDepth: 8 },
        text,
        fc.integer(),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(text, tie('value'), { maxKeys: 3 }),
      ),
    }));
    fc.assert(
      fc.property(value, fc.integer({ min: 1, max: 6 }), (sample, limit) => {
        expect(exceedsDepth(JSON.stringify(sample), limit)).toBe(depthOf(sample) > limit);
      }),
      { numRuns: takeRuns(2000) },
    );
  });

  it('takes linear time, also with many backslashes', async () => {
    const text = `["${'\\\\'.repeat(1_000_000)}","${'\\"'.repeat(1_000_000)}",${'['.repeat(300)}`;
    expect(await measureCpuTime(() => expect(exceedsDepth(text, 128)).toBe(true))).toBeLessThan(1000);
  });
});
