import type { ActionRequest } from '@tenon/host';
import { expect, it } from 'vitest';
import { fakeTty, KEYS } from '../fixtures/tty.js';
import { createTerminalApprover } from './approvals.js';

const PROPOSAL: ActionRequest = {
  kind: 'tool',
  server: 'shop',
  name: 'buy',
  arguments: { of: 'tea' },
  trusted: false,
  principal: undefined,
};
const { enter, down, esc } = KEYS;

/** Presses keys at the question, and returns the decision. */
async function decide(...keys: readonly string[]) {
  const { terminal, answer, shown } = fakeTty();
  const decision = createTerminalApprover(terminal)(PROPOSAL, { signal: new AbortController().signal });
  await answer('Allow it?', ...keys);
  expect(shown()).toContain('Allow to call the tool buy of shop?\n{"of":"tea"}\n');
  return decision;
}

it('allows one call', async () => {
  expect(await decide(down, enter)).toBe('once');
});

it('remembers an approval only for the last option', async () => {
  expect(await decide(down, down, enter)).toBe('always');
});

it.each([
  ['Enter', [enter]],
  ['Escape', [esc]],
  ['the answer "yes"', [...'yes', enter]],
  ['the answer "always"', [...'always', enter]],
])('denies the call for %s', async (_, keys) => {
  expect(await decide(...keys)).toBe('deny');
});
