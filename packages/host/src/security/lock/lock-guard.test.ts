import { describe, expect, it } from 'vitest';
import { createLock } from './create-lock.js';
import type { Drift } from './drift.js';
import { addTool, entry, notes, remote, withTool } from './fixtures/notes.js';
import { createLockGuard, MAX_CONFIRMATIONS } from './lock-guard.js';
import { serializeLock } from './serialize-lock.js';

const changed = { ...withTool({ description: 'Obey.', title: 'Obey' }), instructions: 'Obey.' };
const empty = { servers: new Map() };

/** Somebody who gives the answers in their order, and no after. */
function person(...answers: (boolean | ((drifts: readonly Drift[]) => readonly Drift[]))[]) {
  const requests: Drift[][] = [];
  const ask = async (drifts: readonly Drift[]) => {
    requests.push([...drifts]);
    const answer = answers.shift() ?? false;
    return typeof answer === 'boolean' ? answer : answer(drifts);
  };
  return { ask, requests };
}

describe('a lock guard that asks', () => {
  it('admits exactly the approved definitions, and adds them to the lock', async () => {
    const lock = await createLock([notes], [entry]);
    const before = serializeLock(lock);
    const { ask: confirm, requests } = person(drifts => drifts.filter(({ kind }) => kind !== 'title'));
    const saved: Drift[] = [];
    const guard = createLockGuard({
      lock,
      onChanged: 'ask',
      confirm,
      onApproved: drifts => void saved.push(...drifts),
    });
    const verdict = await guard.check(entry, changed);
    expect(requests.map(all => all.map(({ kind }) => kind))).toEqual([['instructions', 'description', 'title']]);
    expect(verdict.blocked).toMatchObject([{ kind: 'tool', name: 'add', drifts: [{ kind: 'title' }] }]);
    expect(verdict.drifts.map(({ kind }) => kind)).toEqual(['title']);
    expect(saved.map(({ kind }) => kind)).toEqual(['instructions', 'description']);
    const expected = await createLock([{ ...withTool({ description: 'Obey.' }), instructions: 'Obey.' }], [entry]);
    expect(serializeLock(guard.lock)).toBe(serializeLock(expected));
    expect(serializeLock(lock)).toBe(before);
    expect(guard.isUnsaved).toBe(false);
  });

  it.each([
    ['a command', { ...entry, target: { command: 'sh' } }, notes],
    ['a URL', remote, notes],
    ['a version', entry, { ...notes, info: { name: 'n', version: '2', __proto__: null } }],
    ['tools', entry, { ...notes, tools: [{ ...addTool, name: 'plus' }] }],
    ['all there is', remote, { ...changed, info: undefined, prompts: [], templates: [], resources: [] }],
  ])('has after an approval of %s the lock that would be created now', async (_, from, offered) => {
    const guard = createLockGuard({
      lock: await createLock([notes], [entry]),
      onChanged: 'ask',
      confirm: async () => true,
    });
    await guard.check(from, offered);
    await guard.approve((await guard.check(from, offered)).drifts);
    expect(serializeLock(guard.lock)).toBe(serializeLock(await createLock([offered], [from])));
    expect(await guard.check(from, offered)).toEqual({ ok: true, blocked: [], drifts: [] });
    expect(guard.isUnsaved).toBe(true);
  });

  it('asks once about the same change, and again about another', async () => {
    const { ask: confirm, requests } = person();
    const guard = createLockGuard({ lock: await createLock([notes], [entry]), onChanged: 'ask', confirm });
    const obey = withTool({ description: 'Obey.' });
    await guard.check(entry, obey);
    await guard.check(entry, notes);
    expect((await guard.check(entry, obey)).ok).toBe(false);
    expect(requests).toHaveLength(1);
    await guard.check(entry, withTool({ description: 'Do obey.' }));
    expect(requests).toHaveLength(2);
  });

  it('limits the number of confirmations', async () => {
    const { ask: confirm, requests } = person();
    const guard = createLockGuard({ lock: await createLock([notes], [entry]), onChanged: 'ask', confirm });
    for (let i = 0; i < 50; i += 1) await guard.check(entry, withTool({ description: `Obey ${i}.` }));
    expect(requests).toHaveLength(MAX_CONFIRMATIONS);
  });

  it('treats a failed confirmation as a denial, and never asks about duplicates', async () => {
    const confirm = () => Promise.reject(new Error('gone'));
    const lock = await createLock([notes], [entry]);
    expect((await createLockGuard({ lock, onChanged: 'ask', confirm }).check(entry, changed)).ok).toBe(false);
    const { requests, ask: yes } = person(true);
    const twice = { ...notes, tools: [...notes.tools, { ...addTool, title: 'B' }] };
    expect((await createLockGuard({ lock, onChanged: 'ask', confirm: yes }).check(entry, twice)).ok).toBe(false);
    expect(requests).toEqual([]);
  });

  it('asks one question at a time about a server', async () => {
    const { ask: confirm, requests } = person(true);
    const guard = createLockGuard({ lock: await createLock([notes], [entry]), onChanged: 'ask', confirm });
    const verdicts = await Promise.all([guard.check(entry, changed), guard.check(entry, changed)]);
    expect(verdicts.map(({ ok }) => ok)).toEqual([true, true]);
    expect(requests).toHaveLength(1);
  });

  it('requires `confirm`', () => {
    expect(() => createLockGuard({ lock: empty, onChanged: 'ask' })).toThrow('`confirm` is missing');
    expect(() => createLockGuard({ lock: empty, onUnknown: 'ask' })).toThrow('`confirm` is missing');
  });
});

describe('a server that is missing in the lock', () => {
  it('is blocked by default before it is started', async () => {
    const guard = createLockGuard({ lock: empty });
    expect(await guard.check(entry)).toMatchObject({ ok: false, blocked: [{ kind: 'server', name: 'notes' }] });
    expect(await guard.check(entry, notes)).toMatchObject({ ok: false, drifts: [{ kind: 'unknown server' }] });
  });

  it('is accepted first with `trust-first`, and then fixed', async () => {
    const guard = createLockGuard({ lock: empty, onUnknown: 'trust-first' });
    expect(await guard.check(entry)).toMatchObject({ ok: true });
    expect(guard.isUnsaved).toBe(false);
    expect(await guard.check(entry, notes)).toEqual({ ok: true, blocked: [], drifts: [] });
    expect(guard.isUnsaved).toBe(true);
    expect(serializeLock(guard.lock)).toBe(serializeLock(await createLock([notes], [entry])));
    expect(await guard.check(entry, changed)).toMatchObject({
      ok: false,
      blocked: [{ kind: 'server' }, { kind: 'tool' }],
    });
  });

  it('is asked about once its definitions are known, and again when they change', async () => {
    const { ask: confirm, requests } = person(false, true);
    const guard = createLockGuard({ lock: empty, onUnknown: 'ask', confirm });
    expect((await guard.check(entry)).ok).toBe(true);
    expect(requests).toEqual([]);
    expect((await guard.check(entry, notes)).ok).toBe(false);
    expect((await guard.check(entry, notes)).ok).toBe(false);
    expect(requests).toHaveLength(1);
    expect((await guard.check(entry, withTool({ title: 'B' }))).ok).toBe(true);
    expect((await guard.check(entry, notes)).ok).toBe(false);
  });

  it('reports an approval that is not written yet', async () => {
    const onApproved = () => Promise.reject(new Error('read-only'));
    const guard = createLockGuard({ lock: empty, onUnknown: 'trust-first', onApproved });
    expect((await guard.check(entry, notes)).ok).toBe(true);
    expect(guard.isUnsaved).toBe(true);
  });

  it('stores the approvals that wait for an earlier one together', async () => {
    const stored: string[][] = [];
    const onApproved = async (drifts: readonly Drift[]) => {
      stored.push(drifts.map(({ server }) => server));
      await new Promise(resolve => setTimeout(resolve, 20));
    };
    const guard = createLockGuard({ lock: empty, onUnknown: 'trust-first', onApproved });
    const servers = Array.from({ length: 50 }, (_, n) => `notes${n}`);
    const verdicts = await Promise.all(
      servers.map(name => guard.check({ ...entry, name }, { ...notes, server: name })),
    );
    expect(verdicts.every(({ ok }) => ok)).toBe(true);
    expect(stored.flat().toSorted()).toEqual(servers.toSorted());
    expect(stored.length).toBeLessThanOrEqual(3);
    expect([guard.lock.servers.size, guard.isUnsaved]).toEqual([50, false]);
  });

  it('stores the other approvals if one of them cannot be stored', async () => {
    const stored = new Set<string>();
    const onApproved = async (drifts: readonly Drift[]) => {
      await new Promise(setImmediate);
      if (drifts.some(({ server }) => server === 'huge')) throw new Error('too large');
      for (const { server } of drifts) stored.add(server);
    };
    const guard = createLockGuard({ lock: empty, onUnknown: 'trust-first', onApproved });
    const servers = ['first', 'second', 'huge', 'third'];
    await Promise.all(servers.map(name => guard.check({ ...entry, name }, { ...notes, server: name })));
    expect([...stored].toSorted()).toEqual(['first', 'second', 'third']);
    expect(guard.isUnsaved).toBe(true);
  });

  it('may add and remove resources when only tools and prompts are locked', async () => {
    const guard = createLockGuard({ lock: await createLock([notes], [entry]), kinds: ['tool', 'prompt'] });
    const more = { ...notes, resources: [{ name: 'second', uri: 'note://2' }] };
    expect(await guard.check(entry, more)).toMatchObject({
      ok: true,
      drifts: [{ kind: 'added' }, { kind: 'removed' }],
    });
  });
});
