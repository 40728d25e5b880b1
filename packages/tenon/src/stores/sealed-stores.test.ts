import { createSeal, type JsonObject, type Stores, type TenonError } from '@tenon/base';
import { fakeClock, storeCases } from '@tenon/testing';
import { describe, expect, it } from 'vitest';
import { LeasedRecord } from './leased-record.js';
import { memoryStores } from './memory-stores.js';
import { sealRemoteStores, sealStores } from './sealed-stores.js';
import { sealRestoredStores } from './sealing/restored-stores.js';

const oldKey = { id: 'old', key: new Uint8Array(32).fill(1) };
const newKey = { id: 'new', key: new Uint8Array(32).fill(2) };

describe('sealStores', () => {
  const open = () => {
    const clock = fakeClock();
    // The text of 9,998 characters gets a member of 18, a tag of 16 bytes, and four characters for each three bytes.
    const inner = memoryStores({ clock, maxValueSize: ((9_998 + 18 + 16) / 3) * 4 + 41 });
    const advance = (ms: number) => clock.advance(ms);
    return { stores: sealStores(inner, { keys: [newKey] }), maxValueSize: 9_998, advance };
  };
  for (const { name, run } of storeCases(open, { secondOpen: true })) it(name, run);

  const openWithErrors = (keys = [newKey, oldKey]) => {
    const errors: TenonError[] = [];
    const inner = memoryStores();
    return { inner, errors, stores: sealStores(inner, { keys, onError: error => errors.push(error) }) };
  };
  const toCodes = (errors: readonly TenonError[]) => errors.map(({ code }) => code);

  it('contain no readable part of a value or message [so.encrypt]', async () => {
    const { inner, stores } = openWithErrors();
    await stores.values.put('session/a', { token: 'secret-token' });
    const messages: unknown[] = [];
    inner.bus.subscribe('changes', message => messages.push(message));
    await stores.bus.publish('changes', { token: 'secret-token' });
    await expect.poll(() => messages).toHaveLength(1);
    const stored = await inner.values.list('');
    expect(JSON.stringify([stored, messages])).not.toMatch(/token/);
    expect(stored[0]?.value).toEqual({ sealed: expect.stringMatching(/^tenon1\.new\./) });
    expect(await stores.values.get('session/a')).toEqual({
      key: 'session/a',
      value: { token: 'secret-token' },
      version: 1,
    });
  });

  it('seal with the first key, and open with all, so that keys can be rotated [so.encrypt]', async () => {
    const inner = memoryStores();
    const before = sealStores(inner, { keys: [oldKey] });
    const added = sealStores(inner, { keys: [oldKey, newKey] });
    const moved = sealStores(inner, { keys: [newKey, oldKey] });
    await before.values.put('a', { n: 1 });
    await moved.values.put('b', { n: 2 });
    for (const stores of [added, moved])
      expect((await stores.values.list('')).map(({ value }) => value)).toEqual([{ n: 1 }, { n: 2 }]);
  });

  it('refuse data of a key that this process does not have [so.encrypt]', async () => {
    const inner = memoryStores();
    await sealStores(inner, { keys: [newKey] }).values.put('a', { n: 1 });
    const { values } = sealStores(inner, { keys: [oldKey] });
    const error = { code: 'store/unknown-key', message: expect.stringContaining('"new"') };
    await expect(values.get('a')).rejects.toMatchObject(error);
    await expect(values.list('')).rejects.toMatchObject(error);
    await expect(values.put('a', {}, { version: 0 })).rejects.toMatchObject(error);
    expect((await inner.values.get('a'))?.version).toBe(1);
  });

  it('open no value that was copied to another key, changed or written without a key', async () => {
    const { inner, errors, stores } = openWithErrors();
    await stores.values.put('session/ada', { user: 'ada' });
    const { value: { sealed } = {} } = (await inner.values.get('session/ada')) ?? {};
    await inner.values.put('session/bob', { sealed });
    await inner.values.put('session/changed', { sealed: `${String(sealed).slice(0, -2)}AA` });
    await inner.values.put('session/plain', { user: 'ada' });
    await inner.values.put('session/zoe', { sealed: 7 });
    for (const name of ['bob', 'changed', 'plain', 'zoe'])
      expect(await stores.values.get(`session/${name}`)).toBeUndefined();
    expect(toCodes(errors)).toEqual(Array(4).fill('store/not-sealed'));
    expect(errors[0]?.message).toContain('"session/"');
    expect(errors[0]?.message).not.toContain('bob');
    await stores.values.put('session/zz', { user: 'zz' });
    const page = await stores.values.list('session/', { limit: 2 });
    expect(page.map(({ value }) => value.user)).toEqual(['ada', 'zz']);
  });

  it('open no value or message that was copied to another prefix', async () => {
    const [one, two] = ['t1', 't2'].map(prefix => ({ ...memoryStores(), prefix })) as [Stores, Stores];
    const errors: TenonError[] = [];
    const copies = sealStores(two, { keys: [newKey], onError: error => errors.push(error) });
    const sent: JsonObject[] = [];
    const received: JsonObject[] = [];
    one.bus.subscribe('changes', message => sent.push(message));
    copies.bus.subscribe('changes', message => received.push(message));
    const source = sealStores(one, { keys: [newKey] });
    await source.values.put('session/a', { user: 'ada' });
    await source.bus.publish('changes', { n: 1 });
    await expect.poll(() => sent).toHaveLength(1);
    await two.values.put('session/a', (await one.values.get('session/a'))?.value ?? {});
    await two.bus.publish('changes', sent[0] ?? {});
    await copies.bus.publish('changes', { n: 2 });
    await expect.poll(() => received).toEqual([{ n: 2 }]);
    expect(await copies.values.get('session/a')).toBeUndefined();
    expect(await copies.values.list('')).toEqual([]);
    expect((await source.values.get('session/a'))?.value).toEqual({ user: 'ada' });
    expect(toCodes(errors)).toEqual(Array(3).fill('store/not-sealed'));
  });

  it('open what 0.1.0 sealed, until it is bound to the prefix', async () => {
    const [one, two] = ['t1', 't2'].map(prefix => ({ ...memoryStores(), prefix })) as [Stores, Stores];
    const sealed = await createSeal([newKey]).seal({ user: 'ada' }, 'value session/a');
    for (const { values } of [one, two]) await values.put('session/a', { sealed });
    const { values } = sealStores(one, { keys: [newKey] });
    expect((await values.get('session/a'))?.value).toEqual({ user: 'ada' });
    expect(await sealRestoredStores(one, { keys: [newKey], from: 't1' })).toEqual({
      resealed: 1,
      unchanged: 0,
      failed: 0,
    });
    await two.values.put('session/a', (await one.values.get('session/a'))?.value ?? {});
    expect(await sealStores(two, { keys: [newKey] }).values.get('session/a')).toBeUndefined();
  });

  it('move to another prefix with their lifetimes', async () => {
    const clock = fakeClock();
    const inner = memoryStores({ clock });
    const source = sealStores({ ...inner, prefix: 't1' }, { keys: [oldKey] });
    await source.values.put('session/a', { n: 1 }, { ttl: 1000 });
    await source.values.put('token/b', { n: 2 });
    await inner.values.put('seal-check', { keys: {} });
    await inner.values.put('broken', { sealed: 'tenon1.old.AAAA.AAAA' });
    const target = { ...inner, prefix: 't2' };
    const options = { keys: [newKey, oldKey], from: 't1' };
    expect(await sealRestoredStores(target, options)).toEqual({ resealed: 2, unchanged: 1, failed: 1 });
    expect(await sealRestoredStores(target, options)).toEqual({ resealed: 0, unchanged: 3, failed: 1 });
    const moved = sealStores(target, { keys: [newKey, oldKey] });
    expect((await moved.values.list('')).map(({ value }) => value)).toEqual([{ n: 1 }, { n: 2 }]);
    clock.advance(1000);
    expect((await moved.values.list('')).map(({ value }) => value)).toEqual([{ n: 2 }]);
  });

  it('reject at once for a key that another program has written', async () => {
    const { inner, stores } = openWithErrors();
    await inner.values.put('task/a', { forged: true });
    const owner = { clock: fakeClock(), lease: 1000 };
    const taken = LeasedRecord.take(
      stores.values,
      'task/a',
      owner,
      () => ({}),
      () => undefined,
    );
    await expect(taken).rejects.toMatchObject({ code: 'store/not-sealed' });
    expect(await stores.values.put('task/b', {}, { version: 0 })).toBe(1);
    expect(await stores.values.put('task/b', {}, { version: 0 })).toBeUndefined();
  });

  it('deliver no forged message, and none of another topic [so.bus-auth]', async () => {
    const { inner, errors, stores } = openWithErrors();
    const notifications: unknown[] = [];
    stores.bus.subscribe('sessions/a', message => notifications.push(message));
    const other: { sealed?: unknown }[] = [];
    inner.bus.subscribe('sessions/b', message => other.push(message));
    await stores.bus.publish('sessions/b', { kind: 'changed' });
    await expect.poll(() => other).toHaveLength(1);
    await inner.bus.publish('sessions/a', { kind: 'changed' });
    await inner.bus.publish('sessions/a', { sealed: other[0]?.sealed });
    await inner.bus.publish('sessions/a', { sealed: 'tenon1.gone.AAAA.AAAA' });
    await stores.bus.publish('sessions/a', { kind: 'mail' });
    await expect.poll(() => notifications).toEqual([{ kind: 'mail' }]);
    expect(toCodes(errors)).toEqual(['store/not-sealed', 'store/not-sealed', 'store/unknown-key']);
  });

  it('need valid keys', () => {
    for (const keys of [[], [{ id: 'a', key: new Uint8Array(16) }], [oldKey, oldKey]])
      expect(() => sealStores(memoryStores(), { keys })).toThrow(/invalid option `keys`/);
  });
});

describe('remote stores', () => {
  const remote: Stores = { ...memoryStores(), durable: true, remote: true };

  it('are refused without keys, because secrets would be readable there [so.encrypt]', () => {
    expect(() => sealRemoteStores(remote, undefined, () => {})).toThrow(
      expect.objectContaining({ code: 'server/state-keys' }) as Error,
    );
    const local = memoryStores();
    expect(sealRemoteStores(local, undefined, () => {})).toBe(local);
    expect(sealRemoteStores(local, [newKey], () => {})).toBe(local);
  });

  it('are sealed once', async () => {
    const sealed = sealRemoteStores(remote, [newKey], () => {});
    expect(sealed).not.toBe(remote);
    expect(sealed.durable).toBe(true);
    expect(sealRemoteStores(sealed, undefined, () => {})).toBe(sealed);
  });
});
