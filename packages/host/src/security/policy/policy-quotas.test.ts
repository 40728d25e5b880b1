import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { call } from './fixtures/call.js';
import { lintPolicy } from './lint-policy.js';
import { createPolicy } from './policy.js';
import { parsePolicy } from './policy-file.js';
import { policySchema } from './policy-schema.js';

const parse = (limits: object) => parsePolicy({ rules: [{ action: 'allow' }], ...limits });

const VALID: readonly object[] = [
  { quotas: [{ calls: 5, window: 1000 }] },
  { quotas: [{ per: ['principal', 'tool'], calls: 5, window: '1.5h', match: { tool: 'clear' } }] },
  { rateLimits: [{ perSecond: 0.5 }] },
  { rateLimits: [{ per: ['server'], perSecond: 5, burst: 20, match: { user: { groups: 'guests' } } }] },
];
const INVALID: readonly [object, string][] = [
  [{ quotas: {} }, '/quotas'],
  [{ quotas: [{ calls: 0, window: 1 }] }, '/quotas/0/calls'],
  [{ quotas: [{ calls: 1, window: '1 week' }] }, '/quotas/0/window'],
  [{ quotas: [{ calls: 1, window: 1, per: ['user'] }] }, '/quotas/0/per'],
  [{ quotas: [{ calls: 1, window: 1, match: { tol: 'a' } }] }, '/quotas/0/match/tol'],
  [{ quotas: [{ calls: 1, window: 1, match: { action: 'deny' } }] }, '/quotas/0/match'],
  [{ quotas: [{ calls: 1, window: 1, burst: 1 }] }, '/quotas/0/burst'],
  [{ rateLimits: [{ perSecond: 0 }] }, '/rateLimits/0/perSecond'],
  [{ rateLimits: [{ perSecond: 1, burst: 'all' }] }, '/rateLimits/0/burst'],
  [{ rateLimits: [{ perSecond: 1, window: 5 }] }, '/rateLimits/0/window'],
];

describe('quotas and rate limits of a policy file', () => {
  it('are read as quotas, with times as texts', () => {
    expect(parse({ quotas: [{ calls: 5, window: '1.5h' }], rateLimits: [{ perSecond: 5, burst: 20 }] }).quotas).toEqual(
      [
        { per: [], calls: 5, window: 5_400_000 },
        { per: [], calls: 20, window: 4000 },
      ],
    );
    expect(parse({ rateLimits: [{ perSecond: 0.5 }] }).quotas).toEqual([{ per: [], calls: 1, window: 2000 }]);
    expect(parse({})).not.toHaveProperty('quotas');
  });

  it.each(INVALID)('are refused with their position: %j', (limits, position) => {
    expect(() => parse(limits)).toThrow(`policy: ${position}`);
  });

  it('are explained for calls that are not denied', () => {
    const { rules, ...options } = parse({
      quotas: [{ per: ['principal'], calls: 5, window: '1m', match: { tool: 'clear' } }],
    });
    const policy = createPolicy(rules, options);
    expect(policy.explain(call({ name: 'clear' }))).toContain(
      '→ allowed by rule 1\nquota 1, no more than 5 calls in 60000 ms for one principal, counts this call',
    );
    expect(policy.explain(call())).toContain('does not count this call: tool is "add", not "clear"');
    expect(createPolicy([{ action: 'deny' }], options).explain(call())).not.toContain('quota');
  });

  it('are checked by lint', () => {
    const match = { tool: 'a', prompt: 'b' };
    const policy = createPolicy([], { quotas: [{ per: [], calls: 1, window: 1, match }] });
    expect(lintPolicy(policy)).toMatchObject([
      { quota: 1, kind: 'never', message: expect.stringContaining('quota 1 counts no call') },
    ]);
    const clear = createPolicy([], { quotas: [{ per: [], calls: 1, window: 1, match: { tool: 'clear' } }] });
    const inventory = [{ server: 'notes', tools: [{ name: 'add' }] }];
    expect(lintPolicy(clear, { inventory })).toMatchObject([{ quota: 1, kind: 'unknown-name' }]);
  });
});

describe('the JSON Schema of policy files', () => {
  const isValid = new Ajv2020({ strict: false }).compile(policySchema);
  const rules = [
    { action: 'allow' },
    { deny: 'bank/*', because: 'not from here' },
    { allow: 'files/read', arguments: { path: { under: '/work' }, 'a.b': { in: [1, 'x', null] } }, only: ['path'] },
    { action: 'ask', server: ['a', 'b'], tool: { exact: 'x' }, destructive: true, principal: null },
    { action: 'deny', resource: { host: 'example.com' } },
    { action: 'allow', user: { groups: ['a'], scopes: 'b', claims: { tenant: 'c', level: { min: 1 } } } },
  ];

  it('accepts what the parser accepts', () => {
    for (const limits of VALID) {
      expect(() => parse(limits)).not.toThrow();
      expect([isValid({ $schema: 'x', fallback: 'deny', rules, ...limits }), isValid.errors]).toEqual([true, null]);
    }
    expect(() => parsePolicy({ rules })).not.toThrow();
  });

  it.each(INVALID)('rejects what the parser rejects: %j', limits => expect(isValid({ rules, ...limits })).toBe(false));

  it('rejects rules that the parser rejects', () => {
    for (const rule of [
      { deny: 'x' },
      { deny: 'a/b', tool: 'c' },
      { action: 'maybe' },
      { action: 'allow', user: { team: 'a' } },
    ]) {
      expect(() => parsePolicy({ rules: [rule] } as never)).toThrow();
      expect(isValid({ rules: [rule] })).toBe(false);
    }
  });
});
