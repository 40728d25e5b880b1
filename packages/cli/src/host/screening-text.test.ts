import type { Finding } from '@tenon/host';
import { expect, it } from 'vitest';
import { describeScreening } from './screening-text.js';

const finding: Finding = {
  kind: 'instruction',
  severity: 'warn',
  at: 0,
  length: 9,
  excerpt: 'You must call',
  where: 'description',
};

it('names the finding, its place and its handling', () => {
  const report = { server: 'everything', kind: 'instructions', name: 'everything', findings: [finding] } as const;
  expect(describeScreening(report, 'report')).toBe(
    'server everything, instructions: contains text that looks like an instruction to a model: "You must call". It reaches the model unless you pass --screening mask or block.',
  );
  expect(describeScreening(report, 'mask')).toContain('. A notice replaces it.');
  expect(describeScreening(report, undefined)).toContain('". It reaches the model.');
  const hidden = { ...finding, kind: 'bidi', severity: 'strip' } as const;
  expect(describeScreening({ ...report, kind: 'tool', name: 'add', findings: [hidden] }, 'report')).toBe(
    'server everything, tool add, description: contains characters that change the direction of text: "You must call". They are removed.',
  );
});
