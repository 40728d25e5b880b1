import fc from 'fast-check';
import { expect, it } from 'vitest';
import { formatError } from './failure-reporter.js';

/** The form of an error in a report of the test runner. */
const report = (message: string, diff?: string, cause?: unknown) => ({
  name: 'AssertionError',
  message,
  stack: `AssertionError: ${message}\n    at /project/test/a.test.ts:1:2\n    at run (file:///project/node_modules/runner.js:3:4)`,
  ...(diff && { diff }),
  cause,
});

it('shows the place in the project and the difference of the compared values, without colors', () => {
  const diff = '\u001b[32m- Expected\u001b[39m\n\u001b[31m+ Received\u001b[39m\n\n- []\n+ [1]';
  expect(formatError(report('expected [ 1 ] to equal []', diff))).toBe(
    `AssertionError: expected [ 1 ] to equal []
    at /project/test/a.test.ts:1:2
- Expected
+ Received

- []
+ [1]`,
  );
});

it('shows the first and the last lines of a long difference', () => {
  const diff = ['- Expected', ...Array.from({ length: 300 }, (_, at) => `+ ${at}`)].join('\n');
  const text = formatError(report('expected', diff));
  expect(text.split('\n')).toHaveLength(43);
  expect(text).toMatch(/- Expected[\s\S]*\n… 261 lines\n[\s\S]*\n\+ 299$/);
});

it('shows the cause of a failed property, with its difference', () => {
  const cause = report('expected 7 to be 8', '- 8\n+ 7');
  const property = fc.property(fc.constant(7), () => {
    throw cause;
  });
  let error: unknown;
  try {
    fc.assert(property, { seed: 1 });
  } catch (thrown) {
    error = thrown;
  }
  const text = formatError(error as Error);
  expect(text).toContain('Counterexample: [7]');
  expect(text).toMatch(/\nCaused by: AssertionError: expected 7 to be 8\n.*\n- 8\n\+ 7$/);
});

it('ends for an error that causes itself', () => {
  const error = new Error('again');
  error.cause = error;
  expect(formatError(error).match(/Caused by/g)).toHaveLength(5);
});
