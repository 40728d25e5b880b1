import { type JsonObject, toCanonicalJson } from '@tenon/base';
import { fakeClock } from '@tenon/testing';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { takeRuns } from '../../../../../test/support/extent.js';
import { memoryStores } from '../../../../tenon/src/stores/memory-stores.js';
import type { ActionRequest } from '../policy/action-request.js';
import { call } from '../policy/fixtures/call.js';
import { createPolicy } from '../policy/policy.js';
import { ask } from '../policy/rules.js';
import { createApprovals } from './approvals.js';
import type { Decision } from './decision.js';
import type { ApprovalsOptions } from './types.js';

function setUp(options: Partial<ApprovalsOptions> = {}) {
  const clock = fakeClock(1000);
  const stores = memoryStores({ clock });
  return { clock, stores, approvals: createApprovals({ ...stores, clock, ...options }) };
}

const json = fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<unknown>;
const args = fc.dictionary(fc.constantFrom('a', 'b', '__proto__', '0', 'toString'), json, { maxKeys: 3 });

describe('a user at this process', () => {
  it('is asked before every call, and can always deny [tools.host.human-in-loop] [security.consent.tool-invocation]', async () => {
    const approve = vi.fn((): Decision => 'deny');
    const { approvals, clock } = setUp({ approve });
    expect(await approvals.request(call())).toEqual({ granted: false, reason: 'denied by a person' });
    approve.mockReturnValue('once');
    expect(await approvals.request(call())).toMatchObject({ granted: true });
    approve.mockReturnValue(false);
    expect(await approvals.request(call())).toMatchObject({ granted: false });
    expect(approve.mock.calls).toHaveLength(3);
    expect(clock.timers).toBe(0);
  });

  it('is asked before the user of the caller', async () => {
    const own = vi.fn((): Decision => true);
    expect(await setUp({ approve: () => false }).approvals.request(call(), { approve: own })).toMatchObject({
      granted: false,
    });
    expect(own).not.toHaveBeenCalled();
    expect(await setUp().approvals.request(call(), { approve: own })).toMatchObject({ granted: true });
  });

  it('grants nothing by an unclear response', async () => {
    for (const wrong of [
      undefined,
      null,
      'yes',
      1,
      {},
      { remember: 'all' },
      { remember: { tols: 'a' } },
      { remember: 'exact', ttl: -1 },
    ]) {
      const { approvals } = setUp({ approve: () => wrong as never });
      await expect(approvals.request(call())).rejects.toMatchObject({ code: 'policy/decision' });
    }
    const thrown = new Error('no');
    const { approvals } = setUp({ approve: () => Promise.reject(thrown) });
    await expect(approvals.request(call())).rejects.toBe(thrown);
  });

  it('has a limited time to respond, and is notified of its end', async () => {
    let signal: AbortSignal | undefined;
    const { approvals, clock } = setUp({
      ttl: 100,
      approve(_, options) {
        signal = options.signal;
        return new Promise(() => {});
      },
    });
    const obtained = approvals.request(call());
    await vi.waitFor(() => expect(signal).toBeDefined());
    clock.advance(100);
    expect(await obtained).toEqual({ granted: false, reason: 'no answer within 100 ms' });
    expect(signal?.aborted).toBe(true);
    expect(clock.timers).toBe(0);
  });

  it('is notified when the caller disconnects', async () => {
    let signal: AbortSignal | undefined;
    const { approvals } = setUp();
    const caller = new AbortController();
    const own = (_: ActionRequest, options: { signal: AbortSignal }) => {
      signal = options.signal;
      return new Promise<Decision>(() => {});
    };
    const obtained = approvals.request(call(), { approve: own, signal: caller.signal });
    await vi.waitFor(() => expect(signal).toBeDefined());
    caller.abort();
    expect(await obtained).toMatchObject({ granted: false });
    expect(signal?.aborted).toBe(true);
    expect(await approvals.request(call(), { approve: own, signal: caller.signal })).toMatchObject({ granted: false });
  });

  it('does not approve arguments that changed after they were shown', async () => {
    const proposal = call();
    const approve = () => {
      (proposal.arguments as { text: string }).text = 'b';
      return true;
    };
    expect(await setUp({ approve }).approvals.request(proposal)).toMatchObject({
      granted: false,
      reason: expect.stringContaining('changed'),
    });
  });
});

describe('remembered approvals', () => {
  const nobody = { waits: false };

  it('apply to any arguments, but to no other tool, kind, server, principal or rule', async () => {
    const { approvals, stores, clock } = setUp({ approve: () => 'always' });
    const verdict = createPolicy([ask('notes/*')]).evaluate(call());
    await approvals.request(call(), { verdict, definition: 'one' });
    const later = createApprovals({ ...stores, clock, ...nobody });
    const granted = async (more: Partial<ActionRequest>, grounds = { verdict, definition: 'one' }) =>
      (await later.request(call(more), grounds)).granted;
    expect(await granted({})).toBe(true);
    expect(await granted({ arguments: { text: 'other' } })).toBe(true);
    for (const other of [
      { name: 'delete' },
      { kind: 'prompt' },
      { server: 'x' },
      { principal: 'bob' },
      { principal: undefined },
    ] as const)
      expect(await granted(other)).toBe(false);
    expect(await granted({}, { verdict, definition: 'two' })).toBe(false);
    const moved = createPolicy([ask('x/y'), ask('notes/*')]).evaluate(call());
    expect(await granted({}, { verdict: moved, definition: 'one' })).toBe(true);
    const other = createPolicy([ask('notes/add')]).evaluate(call());
    expect(await granted({}, { verdict: other, definition: 'one' })).toBe(false);
  });

  it('apply to no other arguments when remembered as exact', async () => {
    await fc.assert(
      fc.asyncProperty(args, args, async (one, other) => {
        const { approvals, stores, clock } = setUp({ approve: () => ({ remember: 'exact' }) });
        await approvals.request(call({ arguments: one as JsonObject }));
        const later = createApprovals({ ...stores, clock, ...nobody });
        const { granted } = await later.request(call({ arguments: other as JsonObject }));
        expect(granted).toBe(toCanonicalJson(one) === toCanonicalJson(other));
        const turned = Object.fromEntries(Object.entries(one).reverse());
        expect((await later.request(call({ arguments: turned }))).granted).toBe(true);
      }),
      { numRuns: takeRuns(600) },
    );
  });

  it('apply to matching calls when remembered by a match', async () => {
    const remember = { tool: 'a*', arguments: { text: { in: ['a', 'b'] } } };
    const { approvals, stores, clock } = setUp({ approve: () => ({ remember }) });
    await approvals.request(call());
    const later = createApprovals({ ...stores, clock, ...nobody });
    for (const [more, granted] of [
      [{ arguments: { text: 'b' } }, true],
      [{ name: 'append' }, true],
      [{ arguments: { text: 'c' } }, false],
      [{ principal: 'bob' }, false],
      [{ server: 'x' }, false],
    ] as const)
      expect((await later.request(call(more))).granted).toBe(granted);
  });

  it('are refused when they do not match the call', async () => {
    for (const remember of [{ server: 'x' }, { principal: 'bob' }, { arguments: { text: 'b' } }, { readOnly: true }]) {
      const { approvals } = setUp({ approve: () => ({ remember }) });
      await expect(approvals.request(call())).rejects.toMatchObject({ code: 'policy/decision' });
      expect(await approvals.listStored()).toEqual([]);
    }
  });

  it('are listed, and revoked', async () => {
    const { approvals } = setUp({ approve: () => ({ remember: { arguments: { text: '*', password: '*' } } }) });
    await approvals.request(call({ arguments: { text: 'a', password: 'hunter2' } }));
    const [first] = await approvals.listStored();
    expect(first).toMatchObject({ server: 'notes', kind: 'tool', principal: 'ann', rememberedAt: 1000 });
    expect(first?.match?.arguments).toEqual({ text: '*', password: '…' });
    expect(first).not.toHaveProperty('grounds');
    expect(await approvals.forget(first?.id ?? '')).toBe(true);
    expect(await approvals.forget(first?.id ?? '')).toBe(false);
    for (const id of ['../question/x', 'ä', '', 'a'.repeat(1000)]) expect(await approvals.forget(id)).toBe(false);
    expect(await approvals.listStored()).toEqual([]);
  });

  it('expire, or not, as requested', async () => {
    const day = 24 * 60 * 60_000;
    for (const [decision, life] of [
      ['always', 30 * day],
      [{ remember: 'exact', ttl: 50 }, 50],
      [{ remember: 'always', ttl: Number.POSITIVE_INFINITY }, undefined],
    ] as [Decision, number | undefined][]) {
      let decided: Decision = decision;
      const { approvals, clock } = setUp({ approve: () => decided });
      await approvals.request(call());
      decided = 'deny';
      clock.advance((life ?? 1e12) - 1);
      expect((await approvals.request(call())).granted).toBe(true);
      clock.advance(1);
      expect((await approvals.request(call())).granted).toBe(life === undefined);
    }
  });

  it('belong to the user, issuer and OAuth client where these are known', async () => {
    const identity = { principal: 'ann', issuer: 'https://as.example', clientId: 'app' };
    const { approvals } = setUp({ approve: () => 'always' });
    await approvals.request(call(identity));
    expect(await approvals.listStored()).toMatchObject([identity]);
    const anonymous = setUp({ approve: () => 'always' }).approvals;
    await anonymous.request(call({ principal: undefined }));
    const [stored] = await anonymous.listStored();
    for (const name of Object.keys(identity)) expect(stored).not.toHaveProperty(name);
  });

  it('expire by the clock of the store, whatever the clock of the process [so.clock]', async () => {
    const clock = fakeClock(1000);
    const approvals = createApprovals({ ...memoryStores({ clock }), clock: fakeClock(1000), approve: () => 'always' });
    await approvals.request(call());
    const [{ expiresAt = 0 } = {}] = await approvals.listStored();
    clock.advance(expiresAt - clock.now() - 1);
    expect(await approvals.listStored()).toHaveLength(1);
    clock.advance(1);
    expect(await approvals.listStored()).toEqual([]);
  });

  it('are limited in number', async () => {
    const { approvals } = setUp({ approve: () => ({ remember: 'exact' }) });
    for (let n = 0; n < 256; n++) await approvals.request(call({ arguments: { n } }));
    expect(await approvals.request(call())).toMatchObject({
      granted: true,
      reason: expect.stringContaining('too much'),
    });
    expect(await approvals.listStored()).toHaveLength(256);
  });
});

describe('a repeated call with an approval', () => {
  it('does not ask again, and uses the same approval', async () => {
    const journal = new Map<string, unknown>();
    const step = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
      if (!journal.has(name)) journal.set(name, await work());
      return journal.get(name) as T;
    };
    const { approvals } = setUp();
    const own = vi.fn((): Decision => 'always');
    await approvals.request(call(), { approve: own, step });
    expect(await approvals.request(call(), { approve: own, step })).toMatchObject({ granted: true });
    expect(own).toHaveBeenCalledTimes(2);
    expect(await approvals.listStored()).toHaveLength(1);
    expect(await approvals.request(call(), { approve: own })).toMatchObject({ granted: true });
    expect(own).toHaveBeenCalledTimes(2);

    journal.clear();
    const approve = vi.fn((): Decision => true);
    const other = setUp({ approve }).approvals;
    for (let n = 0; n < 3; n++) expect(await other.request(call(), { step })).toMatchObject({ granted: true });
    expect(approve).toHaveBeenCalledTimes(1);
  });
});
