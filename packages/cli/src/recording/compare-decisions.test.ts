import { expect, it } from 'vitest';
import { compareDecisions } from './compare-decisions.js';

const decide = (line: number, action: 'allow' | 'ask' | 'deny', rule: number | null) => {
  const call = { line, kind: 'tool' as const, server: 'notes', name: `tool${line}` };
  return { ...call, action, rule, reason: `${action} by ${rule}` };
};

it('lists the calls with another action, and counts the actions before and after [con.policy]', () => {
  const before = [decide(1, 'deny', 1), decide(2, 'allow', 2), decide(3, 'ask', null)];
  const after = [decide(1, 'allow', 1), decide(2, 'allow', 3), decide(3, 'ask', null)];
  expect(compareDecisions(before, after)).toEqual({
    calls: 3,
    changes: [
      {
        line: 1,
        kind: 'tool',
        server: 'notes',
        name: 'tool1',
        before: { action: 'deny', rule: 1, reason: 'deny by 1' },
        after: { action: 'allow', rule: 1, reason: 'allow by 1' },
      },
    ],
    counts: { before: { allow: 1, ask: 1, deny: 1 }, after: { allow: 2, ask: 1, deny: 0 } },
  });
});

it('lists no change if only the numbers of the rules differ [con.policy]', () => {
  expect(compareDecisions([decide(1, 'deny', 1)], [decide(1, 'deny', 4)]).changes).toEqual([]);
});
