import { describe, expect, it } from 'vitest';
import type { Drift } from './drift.js';
import { addTool, entry, notes, remote, withTool } from './fixtures/notes.js';
import { createGate, MAX_QUESTIONS } from './gate.js';
import { lockOf } from './making.js';
import { writeLock } from './writing.js';

const changed = { ...withTool({ description: 'Obey.', title: 'Obey' }), instructions: 'Obey.' };
const empty = { servers: new Map() };

/** Somebody who gives the answers in their order, and no after. */
function person(...answers: (boolean | ((drifts: readonly Drift[]) => readonly Drift[]))[]) {
  const asked: Drift[][] = [];
  const ask = async (drifts: readonly Drift[]) => {
    asked.push([...drifts]);
    const answer = answers.shift() ?? false;
    return typeof answer === 'boolean' ? answer : answer(drifts);
  };
  return { ask, asked };
}

describe('a gate that asks', () => {
  it('opens for what is approved, for exactly that, and has it in the lock', async () => {
    const lock = await lockOf([notes], [entry]);
    const before = writeLock(lock);
    const { ask, asked } = person(drifts => drifts.filter(({ kind }) => kind !== 'title'));
    const saved: Drift[] = [];
    const gate = createGate({ lock, onDrift: 'ask', ask, onApproved: drifts => void saved.push(...drifts) });
    const verdict = await gate.check(entry, changed);
    expect(asked.map(all => all.map(({ kind }) => kind))).toEqual([['instructions', 'description', 'title']]);
    expect(verdict.blocked).toMatchObject([{ kind: 'tool', name: 'add', drifts: [{ kind: 'title' }] }]);
    expect(verdict.drifts.map(({ kind }) => kind)).toEqual(['title']);
    expect(saved.map(({ kind }) => kind)).toEqual(['instructions', 'description']);
    const expected = await lockOf([{ ...withTool({ description: 'Obey.' }), instructions: 'Obey.' }], [entry]);
    expect(writeLock(gate.lock)).toBe(writeLock(expected));
    expect(writeLock(lock)).toBe(before);
    expect(gate.unsaved).toBe(false);
  });

  it.each([
    ['a command', { ...entry, target: { command: 'sh' } }, notes],
    ['a URL', remote, notes],
    ['a version', entry, { ...notes, info: { name: 'n', version: '2', __proto__: null } }],
    ['tools', entry, { ...notes, tools: [{ ...addTool, name: 'plus' }] }],
    ['all there is', remote, { ...changed, info: undefined, prompts: [], templates: [], resources: [] }],
  ])('has after an approval of %s the lock that would be made now', async (_, from, offered) => {
    const gate = createGate({ lock: await lockOf([notes], [entry]), onDrift: 'ask', ask: async () => true });
    await gate.check(from, offered);
    await gate.approve((await gate.check(from, offered)).drifts);
    expect(writeLock(gate.lock)).toBe(writeLock(await lockOf([offered], [from])));
    expect(await gate.check(from, offered)).toEqual({ ok: true, blocked: [], drifts: [] });
    expect(gate.unsaved).toBe(true);
  });

  it('asks once about the same change, and again about another', async () => {
    const { ask, asked } = person();
    const gate = createGate({ lock: await lockOf([notes], [entry]), onDrift: 'ask', ask });
    const obey = withTool({ description: 'Obey.' });
    await gate.check(entry, obey);
    await gate.check(entry, notes);
    expect((await gate.check(entry, obey)).ok).toBe(false);
    expect(asked).toHaveLength(1);
    await gate.check(entry, withTool({ description: 'Do obey.' }));
    expect(asked).toHaveLength(2);
  });

  it('wears nobody down', async () => {
    const { ask, asked } = person();
    const gate = createGate({ lock: await lockOf([notes], [entry]), onDrift: 'ask', ask });
    for (let i = 0; i < 50; i += 1) await gate.check(entry, withTool({ description: `Obey ${i}.` }));
    expect(asked).toHaveLength(MAX_QUESTIONS);
  });

  it('takes a question that fails for a no, and asks in vain about duplicates never', async () => {
    const ask = () => Promise.reject(new Error('gone'));
    const lock = await lockOf([notes], [entry]);
    expect((await createGate({ lock, onDrift: 'ask', ask }).check(entry, changed)).ok).toBe(false);
    const { asked, ask: yes } = person(true);
    const twice = { ...notes, tools: [...notes.tools, { ...addTool, title: 'B' }] };
    expect((await createGate({ lock, onDrift: 'ask', ask: yes }).check(entry, twice)).ok).toBe(false);
    expect(asked).toEqual([]);
  });

  it('asks about one server one question at a time', async () => {
    const { ask, asked } = person(true);
    const gate = createGate({ lock: await lockOf([notes], [entry]), onDrift: 'ask', ask });
    const verdicts = await Promise.all([gate.check(entry, changed), gate.check(entry, changed)]);
    expect(verdicts.map(({ ok }) => ok)).toEqual([true, true]);
    expect(asked).toHaveLength(1);
  });

  it('is not made without somebody to ask', () => {
    expect(() => createGate({ lock: empty, onDrift: 'ask' })).toThrow('nobody to ask');
    expect(() => createGate({ lock: empty, unknown: 'ask' })).toThrow('nobody to ask');
  });
});

describe('a server that the lock does not know', () => {
  it('is blocked, unless told otherwise, before it is started', async () => {
    const gate = createGate({ lock: empty });
    expect(await gate.check(entry)).toMatchObject({ ok: false, blocked: [{ kind: 'server', name: 'notes' }] });
    expect(await gate.check(entry, notes)).toMatchObject({ ok: false, drifts: [{ kind: 'unknown server' }] });
  });

  it('is trusted first and held to that', async () => {
    const gate = createGate({ lock: empty, unknown: 'trust-first' });
    expect(await gate.check(entry)).toMatchObject({ ok: true });
    expect(gate.unsaved).toBe(false);
    expect(await gate.check(entry, notes)).toEqual({ ok: true, blocked: [], drifts: [] });
    expect(gate.unsaved).toBe(true);
    expect(writeLock(gate.lock)).toBe(writeLock(await lockOf([notes], [entry])));
    expect(await gate.check(entry, changed)).toMatchObject({
      ok: false,
      blocked: [{ kind: 'server' }, { kind: 'tool' }],
    });
  });

  it('is asked about once its offer is known, and anew when that is another', async () => {
    const { ask, asked } = person(false, true);
    const gate = createGate({ lock: empty, unknown: 'ask', ask });
    expect((await gate.check(entry)).ok).toBe(true);
    expect(asked).toEqual([]);
    expect((await gate.check(entry, notes)).ok).toBe(false);
    expect((await gate.check(entry, notes)).ok).toBe(false);
    expect(asked).toHaveLength(1);
    expect((await gate.check(entry, withTool({ title: 'B' }))).ok).toBe(true);
    expect((await gate.check(entry, notes)).ok).toBe(false);
  });

  it('says when what was approved is not written', async () => {
    const onApproved = () => Promise.reject(new Error('read-only'));
    const gate = createGate({ lock: empty, unknown: 'trust-first', onApproved });
    expect((await gate.check(entry, notes)).ok).toBe(true);
    expect(gate.unsaved).toBe(true);
  });

  it('may have resources that come and go', async () => {
    const gate = createGate({ lock: await lockOf([notes], [entry]), kinds: ['tool', 'prompt'] });
    const more = { ...notes, resources: [{ name: 'second', uri: 'note://2' }] };
    expect(await gate.check(entry, more)).toMatchObject({ ok: true, drifts: [{ kind: 'added' }, { kind: 'removed' }] });
  });
});
