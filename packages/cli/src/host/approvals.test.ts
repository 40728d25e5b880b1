import type { ActionRequest } from 'tenon/host';
import { expect, it } from 'vitest';
import { fakeTty } from '../fixtures/tty.js';
import { createTerminal } from '../terminal.js';
import { createTerminalApprover } from './approvals.js';

const PROPOSAL: ActionRequest = {
  kind: 'tool',
  server: 'shop',
  name: 'buy',
  arguments: { of: 'tea' },
  trusted: false,
  principal: undefined,
};

/** Types these lines at the question, and gives what is decided. */
async function decide(...lines: readonly string[]) {
  const { input, output, answer } = fakeTty();
  const decision = createTerminalApprover(createTerminal(input, output))(PROPOSAL, {
    signal: new AbortController().signal,
  });
  for (const line of lines) await answer('any arguments: ', line);
  return decision;
}

it.each(['y', 'Y', 'yes', 'Yes', 'approve', 'allow', 'once', 'o'])('allows one call for "%s"', async line => {
  expect(await decide(line)).toBe('once');
});

it.each(['n', 'no', 'NO', 'deny'])('denies the call for "%s"', async line => {
  expect(await decide(line)).toBe('deny');
});

it('remembers an approval only for the whole word "always"', async () => {
  expect(await decide('a', 'al', 'always please', 'always')).toBe('always');
});

it('denies the call after five answers that it does not know', async () => {
  expect(await decide('what', 'a', 'yep', 'sure', 'ok?')).toBe('deny');
});
