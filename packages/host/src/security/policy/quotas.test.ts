import { fakeClock } from '@tenon/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ActionRequest } from './action-request.js';
import { call } from './fixtures/call.js';
import { createQuotas, type Quota } from './quotas.js';

describe('quotas [tools.security.rate-limited]', () => {
  it('allow a number of calls, and refill with time', () => {
    const clock = fakeClock();
    const quotas = createQuotas([{ per: ['principal'], calls: 3, window: 3000 }], { clock });
    for (let n = 0; n < 3; n++) expect(quotas.consume(call())).toBeUndefined();
    expect(quotas.consume(call())).toEqual({
      retryAfter: 1000,
      reason: 'no more than 3 calls in 3000 ms for one principal',
    });
    clock.advance(400);
    expect(quotas.consume(call())?.retryAfter).toBe(600);
    clock.advance(600);
    expect(quotas.consume(call())).toBeUndefined();
    expect(quotas.consume(call())?.retryAfter).toBe(1000);
    clock.advance(1e9);
    for (let n = 0; n < 3; n++) expect(quotas.consume(call())).toBeUndefined();
    expect(quotas.consume(call())).toBeDefined();
  });

  it('allow a call after the returned delay', () => {
    const quota = fc.record({ calls: fc.integer({ min: 1, max: 50 }), window: fc.integer({ min: 1, max: 100_000 }) });
    fc.assert(
      fc.property(quota, fc.array(fc.integer({ min: 0, max: 5000 }), { maxLength: 60 }), ({ calls, window }, waits) => {
        const clock = fakeClock();
        const quotas = createQuotas([{ per: [], calls, window }], { clock });
        let passed = 0;
        for (const wait of waits) {
          clock.advance(wait);
          const refused = quotas.consume(call());
          if (refused) {
            clock.advance(refused.retryAfter);
            expect(quotas.consume(call())).toBeUndefined();
          }
          passed++;
        }
        expect(passed).toBeLessThanOrEqual(calls + Math.ceil((clock.now() * calls) / window) + 1);
      }),
    );
  });

  it.each<[Quota['per'], Partial<ActionRequest>, boolean]>([
    [['principal'], { name: 'other', server: 'x' }, false],
    [['principal'], { principal: 'bob' }, true],
    [['principal'], { principal: undefined }, true],
    [['server'], { server: 'x' }, true],
    [['server'], { name: 'other', principal: 'bob' }, false],
    [['tool'], { name: 'other' }, true],
    [['tool'], { server: 'x' }, true],
    [['tool'], { kind: 'prompt' }, true],
    [['tool'], { principal: 'bob' }, false],
    [['principal', 'server', 'tool'], { principal: 'bob' }, true],
    [[], { principal: 'bob', server: 'x' }, false],
  ])('count per %j', (per, other, apart) => {
    const quotas = createQuotas([{ per, calls: 1, window: 1000 }], { clock: fakeClock() });
    quotas.consume(call());
    expect(quotas.consume(call(other)) === undefined).toBe(apart);
  });

  it('do not count a call that another quota refuses', () => {
    const clock = fakeClock();
    const quotas = createQuotas(
      [
        { per: ['tool'], calls: 1, window: 1000 },
        { per: ['principal'], calls: 2, window: 1e9 },
      ],
      { clock },
    );
    quotas.consume(call());
    for (let n = 0; n < 10; n++) expect(quotas.consume(call())?.reason).toContain('one tool');
    clock.advance(1000);
    expect(quotas.consume(call())).toBeUndefined();
    expect(quotas.consume(call({ name: 'x' }))?.reason).toContain('one principal');
  });

  it('apply to matching calls only', () => {
    const quotas = createQuotas([{ per: [], calls: 1, window: 1000, match: { tool: 'a*' } }], { clock: fakeClock() });
    quotas.consume(call());
    expect(quotas.consume(call())).toBeDefined();
    expect(quotas.consume(call({ name: 'list' }))).toBeUndefined();
  });

  it('limit their memory, and forget no caller who is above the limit', () => {
    const clock = fakeClock();
    const quotas = createQuotas([{ per: ['tool'], calls: 2, window: 1000 }], { clock, maxKeys: 3 });
    for (let n = 0; n < 2; n++) quotas.consume(call({ name: 'a' }));
    for (let n = 0; n < 100; n++) quotas.consume(call({ name: `other ${n}` }));
    expect(quotas.consume(call({ name: 'a' }))).toBeDefined();
    expect(quotas.consume(call({ name: 'another' }))).toBeDefined();
    clock.advance(1000);
    expect(quotas.consume(call({ name: 'another' }))).toBeUndefined();
  });

  it('forget those first who called longest ago', () => {
    const clock = fakeClock();
    const quotas = createQuotas([{ per: ['tool'], calls: 2, window: 1000 }], { clock, maxKeys: 6 });
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    for (const name of names) quotas.consume(call({ name }));
    // Only the first four are looked at. They were used after `e` and `f`, which are full again.
    clock.advance(600);
    for (const name of names.slice(0, 4)) for (let n = 0; n < 2; n++) quotas.consume(call({ name }));
    for (let n = 0; n < 2; n++) expect(quotas.consume(call({ name: 'g' }))).toBeUndefined();
    expect(quotas.consume(call({ name: 'g' }))).toBeDefined();
    expect(quotas.consume(call({ name: 'h' }))).toBeUndefined();
    for (const name of names.slice(0, 4)) expect(quotas.consume(call({ name })), name).toBeDefined();
  });

  it.each([
    { calls: 0 },
    { calls: 1.5 },
    { window: 0 },
    { window: Number.NaN },
    { per: ['x'] },
    { per: 'server' },
    { match: { tols: 'a' } },
  ])('refuse %j', wrong => {
    expect(() => createQuotas([{ per: [], calls: 1, window: 1, ...wrong } as Quota])).toThrowError(
      expect.objectContaining({ code: 'policy/quota' }),
    );
  });
});
