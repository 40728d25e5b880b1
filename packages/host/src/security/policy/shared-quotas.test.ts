import { fakeClock } from '@tenon/testing';
import { describe, expect, it } from 'vitest';
import { memoryStores } from '../../../../tenon/src/stores/memory-stores.js';
import { call } from './fixtures/call.js';
import { createQuotas, type Quota } from './quotas.js';

describe('quotas in stores', () => {
  const open = (quotas: readonly Quota[]) => {
    const clock = fakeClock();
    const stores = memoryStores({ clock });
    return { clock, stores, one: createQuotas(quotas, { stores }), two: createQuotas(quotas, { stores }) };
  };

  it('count all processes together, by the clock of the store [so.quota-atomic]', async () => {
    const { clock, one, two } = open([{ per: ['principal'], calls: 4, window: 4000 }]);
    const results = await Promise.all(Array.from({ length: 10 }, (_, n) => (n % 2 ? one : two).consume(call())));
    expect(results.filter(each => each === undefined)).toHaveLength(4);
    expect(await two.consume(call())).toEqual({
      retryAfter: 1000,
      reason: 'no more than 4 calls in 4000 ms for one principal',
    });
    expect(await one.consume(call({ principal: 'bob' }))).toBeUndefined();
    clock.advance(1000);
    expect([await one.consume(call()), (await two.consume(call()))?.retryAfter]).toEqual([undefined, 1000]);
  });

  it('count a call that one quota refuses in none', async () => {
    const { one } = open([
      { per: [], calls: 3, window: 3_000_000 },
      { per: ['tool'], calls: 1, window: 1_000_000 },
    ]);
    const consume = async (name: string) => (await one.consume(call({ name })))?.reason;
    expect(await consume('a')).toBeUndefined();
    for (let n = 0; n < 3; n++) expect(await consume('a')).toContain('for one tool');
    expect([await consume('b'), await consume('c')]).toEqual([undefined, undefined]);
    expect(await consume('d')).toBe('no more than 3 calls in 3000000 ms');
  });

  it('count separately if they differ', async () => {
    const { stores, one } = open([{ per: [], calls: 1, window: 1_000_000 }]);
    const other = createQuotas([{ per: [], calls: 1, window: 2_000_000 }], { stores });
    expect([await one.consume(call()), await other.consume(call())]).toEqual([undefined, undefined]);
  });

  it('refuse every call while the store does not respond [so.outage-auth]', async () => {
    const { stores } = open([]);
    const quotas = createQuotas([{ per: [], calls: 1, window: 1000 }], { stores });
    await stores.close();
    await expect(quotas.consume(call())).rejects.toMatchObject({ code: 'store/closed' });
  });

  it('need stores that can count', () => {
    const { buckets: _, ...stores } = memoryStores();
    expect(() => createQuotas([], { stores })).toThrow(expect.objectContaining({ code: 'policy/quota' }) as Error);
  });
});
