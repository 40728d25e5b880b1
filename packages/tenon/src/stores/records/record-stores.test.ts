import { RECORD_KINDS, type Stores, type TenonError, toRecordValues } from '@tenon/base';
import { fakeClock, storeCases } from '@tenon/testing';
import { describe, expect, it } from 'vitest';
import { AppendLog } from '../append-log.js';
import { LeasedRecord } from '../leased-record.js';
import { memoryStores } from '../memory-stores.js';
import { prepareStores } from './prepare-stores.js';
import { toRecordStores } from './record-stores.js';

const keys = [{ id: 'k', key: new Uint8Array(32).fill(1) }];
const unknown = { code: 'store/unknown-format' };

describe('stores with format versions', () => {
  const open = () => {
    const clock = fakeClock();
    // The member with the format has 12 characters.
    const stores = toRecordStores(memoryStores({ clock, maxValueSize: 10_012 }));
    return { stores, maxValueSize: 10_000, advance: (ms: number) => clock.advance(ms) };
  };
  for (const { name, run } of storeCases(open, { secondOpen: true })) it(name, run);
});

function openPair() {
  const raw: Stores = { ...memoryStores(), durable: true };
  const errors: TenonError[] = [];
  return { raw, errors, stores: toRecordStores(raw, error => errors.push(error)) };
}

describe('a record', () => {
  it('has the format of its kind in the store, and reads like the written value', async () => {
    const { raw, stores } = openPair();
    for (const kind of Object.keys(RECORD_KINDS)) {
      await stores.values.put(`${kind.replace('.', '/')}/a`, { n: 1 });
      expect((await raw.values.get(`${kind.replace('.', '/')}/a`))?.value).toEqual({
        n: 1,
        $format: RECORD_KINDS[kind]?.format,
      });
      expect((await stores.values.get(`${kind.replace('.', '/')}/a`))?.value).toEqual({ n: 1 });
    }
  });

  it('is read and replaced without a format, as 0.1.0 wrote it', async () => {
    const { raw, stores } = openPair();
    await raw.values.put('task/a', { status: 'working' });
    expect(await stores.values.get('task/a')).toEqual({ key: 'task/a', value: { status: 'working' }, version: 1 });
    expect(await stores.values.put('task/a', { status: 'completed' }, { version: 1 })).toBe(2);
    expect(stores.getUnknownFormats?.()).toEqual([]);
  });

  it('is versioned once, however often its stores are wrapped', async () => {
    const { raw, stores } = openPair();
    expect(toRecordStores(stores)).toBe(stores);
    expect(prepareStores(stores, undefined, () => {})).toBe(stores);
    expect(toRecordValues(stores.values)).toBe(stores.values);
    expect(toRecordValues(raw.values)).toBe(stores.values);
  });
});

describe('a record of an unknown format', () => {
  const later = { $format: 2, moved: true };

  it.each(Object.keys(RECORD_KINDS))('is not read, replaced or deleted: %s', async kind => {
    const { raw, stores, errors } = openPair();
    const key = `${kind.replace('.', '/')}/a`;
    await raw.values.put(key, later);
    await expect(stores.values.get(key)).rejects.toMatchObject(unknown);
    await expect(stores.values.put(key, {}, { version: 0 })).rejects.toMatchObject(unknown);
    // A random key belongs to its writer, so no other release has written it.
    if (!RECORD_KINDS[kind]?.hasOwnKeys) {
      await expect(stores.values.put(key, {})).rejects.toMatchObject(unknown);
      await expect(stores.values.delete(key)).rejects.toMatchObject(unknown);
    }
    expect(await raw.values.get(key)).toEqual({ key, value: later, version: 1 });
    expect(stores.getUnknownFormats?.()).toEqual([{ kind, format: '2' }]);
    expect(errors).toMatchObject([unknown]);
  });

  it('is omitted from a list, whose page is filled from the next records', async () => {
    const { raw, stores } = openPair();
    await raw.values.put('policy/remembered/a', later);
    for (const id of ['b', 'c', 'd']) await stores.values.put(`policy/remembered/${id}`, { id });
    const listed = await stores.values.list('policy/remembered/', { limit: 2 });
    expect(listed.map(({ value }) => value)).toEqual([{ id: 'b' }, { id: 'c' }]);
  });

  it('stops the reader of a log, because a missing step would run again', async () => {
    const { raw, stores } = openPair();
    const options = { prefix: 'task-log/t/', writer: 'w', maxSize: 1000, ttl: () => 1000, owner: 'o' };
    const run = <R>(attempt: () => Promise<R>) => attempt();
    await new AppendLog(stores.values, { ...options, run }).append([{ step: 'a' }]);
    await raw.values.put('task-log/t/000000001', later);
    const reader = new AppendLog(stores.values, { ...options, run, writer: 'x' });
    await expect(reader.takeOver()).rejects.toMatchObject(unknown);
    expect((await raw.values.list('task-log/t/')).map(({ version }) => version)).toEqual([1, 1]);
  });

  it('is not taken over, and its taker does not wait', async () => {
    const { raw, stores } = openPair();
    await raw.values.put('retry/call.1', later);
    const owner = { clock: fakeClock(), lease: 1000, faults: {} };
    const taken = LeasedRecord.take(
      stores.values,
      'retry/call.1',
      owner,
      () => ({}),
      () => undefined,
    );
    await expect(taken).rejects.toMatchObject(unknown);
  });

  it('is found by the first check of the stores, also inside and outside of encryption', async () => {
    const raw: Stores = { ...memoryStores(), durable: true, remote: true, prefix: 't1' };
    await prepareStores(raw, keys, () => {}).values.put('task/plain', {});
    const inside = toRecordValues({ ...raw.values });
    await inside.put('token/x', {});
    await raw.values.put('upstream/a', { sealed: 'tenon7.k.AAAA.AAAA' });
    const stores = prepareStores(raw, keys, () => {});
    await expect(stores.check?.()).resolves.toBeUndefined();
    expect(stores.getUnknownFormats?.()).toEqual([{ kind: 'upstream', format: '7 of sealed text' }]);
    await expect(stores.values.put('upstream/a', {})).rejects.toMatchObject(unknown);
    expect((await raw.values.get('upstream/a'))?.version).toBe(1);
  });
});

describe('a message', () => {
  it('is dropped if its format is unknown, and others are delivered without their format', async () => {
    const { raw, stores } = openPair();
    const received: unknown[] = [];
    stores.bus.subscribe('tasks', message => received.push(message));
    await raw.bus.publish('tasks', { id: 'later', $format: 9 });
    await raw.bus.publish('tasks', { id: 'of 0.1.0' });
    await stores.bus.publish('tasks', { id: 'own' });
    await expect.poll(() => received).toEqual([{ id: 'of 0.1.0' }, { id: 'own' }]);
    expect(stores.getUnknownFormats?.()).toEqual([{ kind: 'tasks', format: '9 of messages' }]);
  });
});
