import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Stores } from '@tenon/base';
import { fakeClock } from '@tenon/testing';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { sqliteStores } from '../../../../tenon/src/sqlite.js';
import { memoryStores } from '../../../../tenon/src/stores/memory-stores.js';
import { call } from '../policy/fixtures/call.js';
import { createPolicy } from '../policy/policy.js';
import { ask } from '../policy/rules.js';
import { createApprovals } from './approvals.js';
import type { PendingApproval } from './pending-approvals.js';
import type { Approvals, ApprovalsOptions } from './types.js';

function setUp(options: Partial<ApprovalsOptions> = {}) {
  const clock = fakeClock(1000);
  const stores = memoryStores({ clock });
  const open = () => createApprovals({ ...stores, clock, ttl: 60_000, ...options });
  return { clock, stores, caller: open(), operator: open() };
}

async function first(approvals: Approvals): Promise<PendingApproval> {
  return vi.waitFor(async () => {
    const [approval] = await approvals.listPending();
    if (!approval) throw new Error('nothing waits yet');
    return approval;
  });
}

/** A pending approval whose caller's process has died, while its records remain. */
async function orphaned({ stores, clock, operator }: ReturnType<typeof setUp>): Promise<PendingApproval> {
  const dead = createApprovals({
    values: { ...stores.values, delete: async () => false },
    clock: { ...clock, after: () => () => {} },
    ttl: 60_000,
  });
  void dead.request(call());
  const approval = await first(operator);
  await operator.answer(approval.id, 'allow');
  return approval;
}

describe('an approval request in a store', () => {
  it.each(['allow', 'deny'] as const)('is decided by another process: %s [tools.host.human-in-loop]', async action => {
    const { caller, operator, stores } = setUp();
    const receive = vi.fn();
    operator.watch(receive);
    const verdict = createPolicy([ask({ because: 'it writes' })]).evaluate(call());
    const obtained = caller.request(call(), { verdict });
    const approval = await first(operator);
    expect(approval).toMatchObject({
      kind: 'tool',
      server: 'notes',
      name: 'add',
      arguments: { text: 'a' },
      principal: 'ann',
      reason: 'approval required by rule 1: it writes',
      askedAt: 1000,
      expiresAt: 61_000,
    });
    await operator.answer(approval.id, action, { by: 'olga' });
    const reason = action === 'allow' ? 'approved by olga' : 'denied by olga';
    expect(await obtained).toEqual({ granted: action === 'allow', reason });
    expect(receive).toHaveBeenCalledTimes(1);
    expect(await stores.values.list('policy/')).toEqual([]);
  });

  it('shows and stores no secret, and is bound to it nevertheless', async () => {
    const { caller, operator, stores } = setUp();
    const login = (password: string) => call({ arguments: { user: 'ann', password } });
    void caller.request(login('hunter2'));
    const one = await first(operator);
    expect(one.arguments).toEqual({ user: 'ann', password: '…' });
    expect(JSON.stringify(await stores.values.list(''))).not.toContain('hunter2');
    void caller.request(login('swordfish'));
    const other = await vi.waitFor(async () => {
      const found = (await operator.listPending()).find(each => each.id !== one.id);
      return found ?? Promise.reject(new Error('not yet'));
    });
    expect(other.arguments).toEqual(one.arguments);
    expect(other.digest).not.toBe(one.digest);
  });

  it('ends as a denial with the reason when no one responds', async () => {
    const { caller, operator, clock, stores } = setUp();
    const obtained = caller.request(call());
    const { id } = await first(operator);
    clock.advance(5000);
    await vi.waitFor(() => expect(clock.timers).toBe(1));
    for (let passed = 0; passed < 60_000; passed += 5000) {
      clock.advance(5000);
      await new Promise(resolve => setImmediate(resolve));
    }
    expect(await obtained).toEqual({ granted: false, reason: 'no answer within 60000 ms' });
    expect(await stores.values.list('policy/')).toEqual([]);
    await expect(operator.answer(id, 'allow')).rejects.toMatchObject({ code: 'policy/no-pending-approval' });
    expect(clock.timers).toBe(0);
  });

  it('is withdrawn when the caller disconnects', async () => {
    const { caller, operator, clock } = setUp();
    const going = new AbortController();
    const obtained = caller.request(call(), { signal: going.signal });
    const { id } = await first(operator);
    going.abort();
    expect(await obtained).toMatchObject({ granted: false, reason: expect.stringContaining('disconnected') });
    expect(await operator.listPending()).toEqual([]);
    await expect(operator.answer(id, 'allow')).rejects.toMatchObject({ code: 'policy/no-pending-approval' });
    expect(clock.timers).toBe(0);
  });

  it('is decided once, by the first', async () => {
    const { caller, operator } = setUp();
    const obtained = caller.request(call());
    const { id } = await first(operator);
    const answers = await Promise.allSettled(
      Array.from({ length: 10 }, (_, n) => operator.answer(id, n % 2 ? 'allow' : 'deny')),
    );
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await obtained).toEqual({ granted: false, reason: 'denied by a person' });
  });

  it('is found without notifications too', async () => {
    const { clock, stores, operator } = setUp();
    const obtained = createApprovals({ values: stores.values, clock }).request(call());
    const { id } = await first(operator);
    await operator.answer(id, 'allow');
    await vi.waitFor(() => expect(clock.timers).toBe(1));
    clock.advance(5000);
    expect(await obtained).toMatchObject({ granted: true });
  });

  it('may be remembered by the operator, as far as it matches the request', async () => {
    const { caller, operator } = setUp();
    const obtained = caller.request(call());
    const { id } = await first(operator);
    for (const remember of [
      { server: 'x' },
      { tool: 'delete' },
      { prompt: 'add' },
      { principal: 'bob' },
      'all',
      { tols: 'x' },
    ])
      await expect(operator.answer(id, 'allow', { remember: remember as never })).rejects.toMatchObject({
        code: 'policy/decision',
      });
    await expect(operator.answer(id, 'deny', { remember: 'exact' })).rejects.toMatchObject({ code: 'policy/decision' });
    await operator.answer(id, 'allow', { remember: { arguments: { text: 'b' } } });
    expect(await obtained).toMatchObject({ granted: true });
    expect(await caller.request(call({ arguments: { text: 'b' } }))).toMatchObject({ granted: true });
    const again = caller.request(call());
    await operator.answer((await first(operator)).id, 'deny');
    expect(await again).toMatchObject({ granted: false });
  });

  it('is limited in number for each user', async () => {
    const { caller, operator } = setUp({ maxPending: 3, maxPendingPerUser: 2 });
    for (let n = 0; n < 2; n++) {
      void caller.request(call({ arguments: { n } }));
      await vi.waitFor(async () => expect(await operator.listPending()).toHaveLength(n + 1));
    }
    const full = { granted: false, reason: 'too many approvals are pending' };
    expect(await caller.request(call())).toEqual(full);
    void caller.request(call({ principal: 'bob' }));
    await vi.waitFor(async () => expect(await operator.listPending()).toHaveLength(3));
    expect(await caller.request(call({ principal: 'eve' }))).toEqual(full);
  });

  it('names the user, issuer and OAuth client of its caller, where they are known', async () => {
    const { caller, operator } = setUp();
    const identity = { principal: 'ann', issuer: 'https://as.example', clientId: 'app' };
    const going = new AbortController();
    const obtained = caller.request(call(identity), { signal: going.signal });
    expect(await first(operator)).toMatchObject(identity);
    going.abort();
    await obtained;
    void caller.request(call({ principal: undefined }));
    const anonymous = await first(operator);
    for (const name of Object.keys(identity)) expect(anonymous).not.toHaveProperty(name);
  });

  it('expires by the clock of the store, for operators with any clock [so.clock]', async () => {
    for (const skew of [-3_600_000, 3_600_000]) {
      const clock = fakeClock(10_000_000);
      const stores = memoryStores({ clock });
      const caller = createApprovals({ ...stores, clock: { ...clock, after: () => () => {} }, ttl: 50 });
      const operator = createApprovals({ ...stores, clock: { ...clock, now: () => clock.now() + skew } });
      void caller.request(call());
      const { id } = await first(operator);
      clock.advance(49);
      expect(await operator.listPending()).toHaveLength(1);
      clock.advance(1);
      expect(await operator.listPending()).toEqual([]);
      await expect(operator.answer(id, 'allow')).rejects.toMatchObject({ code: 'policy/no-pending-approval' });
    }
  });

  it('is decided by an operator whose clock is an hour ahead or behind [so.clock]', async () => {
    for (const skew of [-3_600_000, 3_600_000]) {
      const clock = fakeClock(10_000_000);
      const stores = memoryStores({ clock });
      const operator = createApprovals({ ...stores, clock: { ...clock, now: () => clock.now() + skew } });
      const obtained = createApprovals({ ...stores, clock }).request(call());
      await operator.answer((await first(operator)).id, 'allow', { remember: 'exact' });
      expect(await obtained).toMatchObject({ granted: true });
      expect(await operator.request(call())).toMatchObject({ granted: true });
    }
  });

  it('is not stored where no operator would decide', async () => {
    const { caller } = setUp({ waits: false });
    expect(await caller.request(call())).toEqual({ granted: false, reason: 'no user can be asked for approval' });
  });
});

describe('a decision whose caller has died', () => {
  it('applies to the same call, once, of twenty that want it', async () => {
    const all = setUp();
    await orphaned(all);
    all.clock.advance(10_000);
    const others = [all.caller, all.operator];
    const going = new AbortController();
    let granted = 0;
    const obtained = Array.from({ length: 20 }, async (_, n) => {
      const approval = await others[n % 2]?.request(call(), { signal: going.signal });
      if (approval?.granted) granted++;
    });
    await vi.waitFor(async () => expect(await all.operator.listPending()).toHaveLength(19));
    expect(granted).toBe(1);
    going.abort();
    await Promise.all(obtained);
    expect(granted).toBe(1);
  });

  it('applies to one of concurrent callers', async () => {
    const all = setUp();
    await orphaned(all);
    all.clock.advance(10_000);
    const { values } = all.stores;
    let here = 0;
    let open: (() => void) | undefined;
    const gate = new Promise<void>(resolve => {
      open = resolve;
    });
    const list: typeof values.list = async (prefix, options) => {
      const found = await values.list(prefix, options);
      if (!prefix.startsWith('policy/question/')) return found;
      if (++here === 20) open?.();
      await gate;
      return found;
    };
    const approvals = createApprovals({ values: { ...values, list }, clock: all.clock, waits: false });
    const obtained = await Promise.all(Array.from({ length: 20 }, () => approvals.request(call())));
    expect(obtained.filter(({ granted }) => granted)).toHaveLength(1);
  });

  it('applies to no other call', async () => {
    const all = setUp();
    await orphaned(all);
    all.clock.advance(10_000);
    const quick = createApprovals({ ...all.stores, clock: all.clock, waits: false });
    for (const more of [
      { arguments: { text: 'b' } },
      { principal: 'bob' },
      { name: 'x' },
      { server: 'x' },
      { kind: 'prompt' },
    ] as const)
      expect(await quick.request(call(more))).toMatchObject({ granted: false });
    const verdict = createPolicy([ask()]).evaluate(call());
    expect(await quick.request(call(), { verdict })).toMatchObject({ granted: false });
    expect(await quick.request(call())).toMatchObject({ granted: true });
    expect(await quick.request(call())).toMatchObject({ granted: false });
  });

  it('is reserved for its caller for a while, and expires with its request', async () => {
    const all = setUp();
    const quick = createApprovals({ ...all.stores, clock: all.clock, waits: false });
    await orphaned(all);
    expect(await quick.request(call())).toMatchObject({ granted: false });
    all.clock.advance(60_000);
    expect(await quick.request(call())).toMatchObject({ granted: false });
  });
});

describe('processes that share a store', () => {
  const opened: Stores[] = [];
  let folder: string | undefined;
  afterEach(async () => {
    for (const each of opened.splice(0)) await each.close();
    if (folder) rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  });

  it('request and decide for each other, and use no approval twice [so.approval]', async () => {
    folder = mkdtempSync(join(tmpdir(), 'tenon-policy-'));
    const open = async () => {
      const stores = await sqliteStores(join(folder ?? '', 'stores.db'));
      opened.push(stores);
      return createApprovals({ ...stores });
    };
    const [one, two, operator] = [await open(), await open(), await open()];
    const going = new AbortController();
    const outcomes = Array.from({ length: 20 }, (_, n) =>
      (n % 2 ? one : two).request(call(), { signal: going.signal }),
    );
    await vi.waitFor(async () => expect(await operator.listPending()).toHaveLength(20), { timeout: 10_000 });
    const { id } = await first(operator);
    await operator.answer(id, 'allow');
    expect(await Promise.race(outcomes)).toMatchObject({ granted: true });
    going.abort();
    expect((await Promise.all(outcomes)).filter(({ granted }) => granted)).toHaveLength(1);
    expect(await operator.listPending()).toEqual([]);
  });
});
