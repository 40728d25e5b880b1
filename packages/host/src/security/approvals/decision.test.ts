import { describe, expect, it } from 'vitest';
import { call } from '../policy/fixtures/call.js';
import { checkAnswer, checkRemember, type Decision, parseDecision } from './decision.js';

const error = (summary: string) =>
  expect.objectContaining({ code: 'policy/decision', summary: expect.stringContaining(summary) });

describe('parseDecision', () => {
  it.each<[Decision, object]>([
    [true, { allow: true }],
    ['once', { allow: true }],
    [false, { allow: false }],
    ['deny', { allow: false }],
    ['always', { allow: true, remember: 'always' }],
    [
      { remember: 'exact', ttl: 5 },
      { allow: true, remember: 'exact', ttl: 5 },
    ],
  ])('parses %j', (decision, answer) => {
    expect(parseDecision(decision)).toEqual(answer);
  });

  it.each(['yes', 1, null, undefined, {}, { ttl: 5 }])('rejects %j', decision => {
    expect(() => parseDecision(decision as unknown as Decision)).toThrow(error('invalid decision'));
  });
});

describe('checkAnswer', () => {
  it('accepts a lifetime above 0', () => {
    for (const ttl of [1, 0.5, Number.POSITIVE_INFINITY, undefined])
      expect(() => checkAnswer({ allow: true, remember: 'always', ttl })).not.toThrow();
    for (const ttl of [0, -1, Number.NaN, '5'])
      expect(() => checkAnswer({ allow: true, ttl: ttl as number })).toThrow(error('invalid `ttl`'));
  });

  it('remembers approvals only', () => {
    for (const remember of ['always', 'exact', { tool: 'add' }] as const) {
      expect(() => checkAnswer({ allow: true, remember })).not.toThrow();
      expect(() => checkAnswer({ allow: false, remember })).toThrow(error('a denial cannot be remembered'));
    }
    expect(() => checkAnswer({ allow: false })).not.toThrow();
  });

  it('rejects an invalid match', () => {
    for (const remember of ['never', 1, null, { action: 'allow' }, { because: 'x' }, { tool: 1 }])
      expect(() => checkAnswer({ allow: true, remember: remember as 'always' })).toThrow(error('invalid `remember`'));
    expect(() => checkAnswer({ allow: true, remember: { tool: 1 } as object })).toThrow(error('at /tool'));
  });
});

describe('checkRemember', () => {
  it('requires a match that includes the call', () => {
    for (const remember of ['always', 'exact', undefined, { tool: 'add' }] as const)
      expect(() => checkRemember({ allow: true, remember }, call())).not.toThrow();
    expect(() => checkRemember({ allow: true, remember: { tool: 'other' } }, call())).toThrow(error('does not match'));
  });
});
