import { type TenonError, toRecordValues, type Values } from '@tenon/base';
import { type FakeClock, fakeClock } from '@tenon/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { takeRuns } from '../../../../test/support/extent.js';
import { LeasedRecord, type LeaseOwner, updateIfPresent } from './leased-record.js';
import { memoryStores } from './memory-stores.js';

interface Count {
  readonly n: number;
}

const soon = () => new Promise(resolve => setImmediate(resolve));
const forever = () => undefined;

function rig({ lease = 300 } = {}) {
  const clock = fakeClock(1000);
  const { values } = memoryStores({ clock });
  const owner: LeaseOwner = { clock, lease };
  const take = (
    change: (found: Count | undefined) => Count | undefined = found => found ?? { n: 0 },
    on: Values = values,
    ttl: (value: Count) => number | undefined = forever,
  ) => LeasedRecord.take<Count>(on, 'k', owner, change, ttl);
  const stored = async () => (await toRecordValues(values).get('k'))?.value as unknown as Count & { lease?: object };
  return { clock, values, owner, take, stored };
}

const plus = ({ n }: Count): Count => ({ n: n + 1 });

async function taken(claim: Promise<LeasedRecord<Count> | undefined>): Promise<LeasedRecord<Count>> {
  const found = await claim;
  if (found === undefined) throw new Error('not taken');
  return found;
}

describe('a lease', () => {
  it.each([-3_600_000, 3_600_000])(
    'expires by the clock of the store, for an owner whose clock differs by %i ms [so.clock]',
    async difference => {
      const { clock, take, values } = rig();
      expect(await take()).toBeDefined();
      const other: LeaseOwner = { clock: { ...clock, now: () => clock.now() + difference }, lease: 300 };
      const takeOver = () => LeasedRecord.take<Count>(values, 'k', other, found => found, forever);
      clock.advance(299);
      expect(await takeOver()).toBeUndefined();
      clock.advance(1);
      expect((await takeOver())?.value).toEqual({ n: 0 });
      expect(await take()).toBeUndefined();
    },
  );

  it.each<[string, (clock: FakeClock) => void]>([
    ['the time of day was set back', clock => clock.setTime(0)],
    ['the machine slept', clock => clock.setTime(clock.now() + 1000)],
  ])('counts as lapsed in time when %s', async (_, change) => {
    const { clock, take } = rig();
    const claim = await taken(take());
    expect(claim.isLapsed).toBe(false);
    change(clock);
    clock.advance(300);
    expect(claim.isLapsed).toBe(true);
  });

  it('has the length that its owner chose, and leaves no value when it is released', async () => {
    const { clock, take, values } = rig({ lease: 10_000 });
    const claim = await taken(take());
    const short: LeaseOwner = { clock, lease: 100 };
    clock.advance(9999);
    expect(await LeasedRecord.take<Count>(values, 'k', short, found => found, forever)).toBeUndefined();
    expect(await values.list('lease/')).toHaveLength(1);
    await claim.release();
    await soon();
    expect(await values.list('lease/')).toEqual([]);
  });
});

describe('LeasedRecord', () => {
  it('belongs to one owner until it is released', async () => {
    const { take, stored } = rig();
    const claim = await taken(take());
    expect(claim.value).toEqual({ n: 0 });
    expect(await take()).toBeUndefined();
    expect(await claim.update(plus)).toEqual({ n: 1 });
    expect(await take()).toBeUndefined();
    await claim.release(plus);
    expect(await stored()).toEqual({ n: 2 });
    expect((await taken(take())).value).toEqual({ n: 2 });
  });

  it('is not taken, and nothing is written, without a change', async () => {
    const { take, values } = rig();
    expect(await take(() => undefined)).toBeUndefined();
    expect(await values.get('k')).toBeUndefined();
  });

  it('is taken by one of concurrent owners', async () => {
    const { take } = rig();
    const claims = await Promise.all(Array.from({ length: 20 }, () => take()));
    expect(claims.filter(claim => claim !== undefined)).toHaveLength(1);
  });

  it('belongs to another owner after its lease expires, and the former one cannot write', async () => {
    const { take, clock, stored } = rig();
    const lost: TenonError[] = [];
    const former = await taken(take());
    former.renew(error => void lost.push(error));
    former.stop();
    clock.advance(299);
    expect(await take()).toBeUndefined();
    clock.advance(1);
    const other = await taken(take(found => plus(found as Count)));
    await expect(former.update(() => ({ n: 100 }))).rejects.toMatchObject({ code: 'store/lease-lost' });
    await expect(former.update(() => ({ n: 101 }))).rejects.toMatchObject({ code: 'store/lease-lost' });
    await former.release(() => ({ n: 102 }));
    expect(lost).toHaveLength(1);
    expect(await other.update(plus)).toEqual({ n: 2 });
    expect(await stored()).toMatchObject({ n: 2 });
  });

  it('still belongs to its owner when the lease expired and no other took it', async () => {
    const { take, clock } = rig();
    const claim = await taken(take());
    clock.advance(10_000);
    expect(await claim.update(plus)).toEqual({ n: 1 });
    expect(await take()).toBeUndefined();
  });

  it('is renewed for as long as the work runs', async () => {
    const { take, clock } = rig();
    const claim = await taken(take());
    claim.renew();
    for (let third = 0; third < 12; third++) {
      clock.advance(100);
      await soon();
      expect(await take()).toBeUndefined();
    }
    await claim.release();
    expect(clock.timers).toBe(0);
    expect(await take()).toBeDefined();
  });

  it('is renewed later when a renewal fails', async () => {
    const { take, clock, values } = rig();
    let down = false;
    const flaky: Values = {
      ...values,
      put: async (...args) => {
        if (down) throw new Error('down');
        return values.put(...args);
      },
    };
    const claim = await taken(take(undefined, flaky));
    const lost: TenonError[] = [];
    claim.renew(error => void lost.push(error));
    down = true;
    clock.advance(100);
    await soon();
    down = false;
    clock.advance(100);
    await soon();
    clock.advance(299);
    await soon();
    expect(await take()).toBeUndefined();
    expect([lost, clock.timers]).toEqual([[], 1]);
    claim.stop();
  });

  it('reports that it is lost, and renews no more', async () => {
    const { take, clock, values } = rig();
    const claim = await taken(take());
    const lost: TenonError[] = [];
    claim.renew(error => void lost.push(error));
    await values.delete('k');
    clock.advance(100);
    await soon();
    expect(lost).toMatchObject([{ code: 'store/lease-lost' }]);
    expect(clock.timers).toBe(0);
  });

  it('merges changes of others with its own', async () => {
    const { take, values } = rig();
    const claim = await taken(take());
    await updateIfPresent<Count>(values, 'k', found => ({ ...found, n: found.n + 10 }), forever);
    expect(claim.value).toEqual({ n: 0 });
    expect(await claim.update(plus)).toEqual({ n: 11 });
    await updateIfPresent<Count>(values, 'k', found => ({ ...found, n: found.n + 10 }), forever);
    expect(await claim.refresh()).toEqual({ n: 21 });
    await updateIfPresent<Count>(values, 'k', found => ({ ...found, n: found.n + 10 }), forever);
    await claim.release(plus);
    expect(await updateIfPresent<Count>(values, 'k', () => undefined, forever)).toEqual({ n: 32 });
  });

  it('writes one change after the other', async () => {
    const { take } = rig();
    const claim = await taken(take());
    await Promise.all(Array.from({ length: 10 }, () => claim.update(plus)));
    expect(claim.value).toEqual({ n: 10 });
    const broken = claim.update(() => {
      throw new Error('no');
    });
    await expect(broken).rejects.toThrow('no');
    expect(await claim.update(plus)).toEqual({ n: 11 });
  });

  it('keeps the value for the chosen lifetime', async () => {
    const { take, clock, values } = rig();
    const claim = await taken(take(undefined, values, ({ n }) => (n === 0 ? 50 : undefined)));
    clock.advance(49);
    expect(await values.get('k')).toBeDefined();
    await claim.update(plus);
    clock.advance(1000);
    expect(await values.get('k')).toBeDefined();
    expect(await updateIfPresent<Count>(values, 'k', plus, () => 10)).toEqual({ n: 2 });
    clock.advance(10);
    expect(await updateIfPresent<Count>(values, 'k', plus, () => 10)).toBeUndefined();
  });

  it('loses no written change when owners change', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom('take', 'write', 'lapse', 'release', 'amend'), { maxLength: 30 }),
        async acts => {
          const { take, clock, values } = rig();
          const owners: LeasedRecord<Count>[] = [];
          let written = 0;
          for (const act of acts) {
            if (act === 'take') owners.push(...[await take()].filter(claim => claim !== undefined));
            if (act === 'lapse') clock.advance(300);
            if (act === 'release') await owners.at(-1)?.release();
            if (act === 'amend') {
              const change = (found: Count) => ({ ...found, n: found.n + 1 });
              if (await updateIfPresent<Count>(values, 'k', change, forever)) written++;
            }
            if (act !== 'write') continue;
            for (const owner of owners) {
              await owner.update(plus).then(
                () => written++,
                () => {},
              );
            }
          }
          expect(((await values.get('k'))?.value.n as number | undefined) ?? 0).toBe(written);
        },
      ),
      { numRuns: takeRuns(200) },
    );
  });
});
