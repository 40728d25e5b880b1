import { type ActionRequest, allow, createPolicy, deny } from '@tenon/host';
import { expect, it } from 'vitest';
import { DecisionLog } from './decision-log.js';

const policy = createPolicy([deny('notes/remove'), allow()]);
const request = (name: string, args = {}): ActionRequest => ({
  kind: 'tool',
  server: 'notes',
  name,
  arguments: args,
  trusted: false,
  principal: undefined,
});

it('keeps each decision with its request and the policy that was in force [con.policy]', () => {
  const log = new DecisionLog(() => 5);
  const observed = log.observe(policy);
  expect(observed.evaluate(request('remove')).action).toBe('deny');
  expect(log.list()).toMatchObject([{ id: 1, time: 5, verdict: { rule: 1 }, policy, isCut: false }]);
  expect(observed.explain(request('remove'))).toBe(policy.explain(request('remove')));
  expect(log.list()).toHaveLength(1);
});

it('keeps the last 5,000 decisions, and no arguments of more than 64,000 characters', () => {
  const log = new DecisionLog();
  const observed = log.observe(policy);
  for (let count = 0; count < 5002; count += 1) observed.evaluate(request('read'));
  expect(log.list()).toHaveLength(5000);
  expect(log.list()[0]?.id).toBe(3);
  observed.evaluate(request('read', { text: 'a'.repeat(64_000) }));
  expect(log.list().at(-1)).toMatchObject({ isCut: true, size: 0, request: { arguments: {} } });
});

it('drops the oldest decisions if the arguments of all are longer than 32,000,000 characters', () => {
  const log = new DecisionLog();
  const observed = log.observe(policy);
  for (let count = 0; count < 600; count += 1) observed.evaluate(request('read', { text: 'a'.repeat(63_000) }));
  expect(log.list().length).toBeLessThan(509);
  expect(log.list().at(-1)?.id).toBe(600);
});
