import { describe, expect, it } from 'vitest';
import type { CallerInfo } from '../handler/context.js';
import type { HasVisibility } from './registry.js';
import { Registry } from './registry.js';

interface Item extends HasVisibility {
  readonly n: number;
}

const caller = (principal?: string): CallerInfo => ({
  client: undefined,
  capabilities: {},
  auth: principal === undefined ? undefined : { principal },
});
const anyone = caller();

function start(source?: ConstructorParameters<typeof Registry<Item>>[0]) {
  const notifications: (readonly HasVisibility[])[] = [];
  const check = (name: string) => {
    if (name === 'bad') throw new Error('bad name');
  };
  return { notifications, catalog: new Registry<Item>(source, check, items => notifications.push(items)) };
}

describe('Registry', () => {
  it('finds and lists entries in the order in which they were added', () => {
    const { catalog } = start({ b: { n: 1 }, a: { n: 2 } });
    expect(catalog.find('a', anyone)).toEqual({ n: 2 });
    expect(catalog.listFor(anyone).map(([name]) => name)).toEqual(['b', 'a']);
    expect(catalog.listNames()).toEqual(['b', 'a']);
    expect([catalog.size, catalog.has('a'), catalog.has('c')]).toEqual([2, true, false]);
  });

  it('finds nothing by the name of an Object.prototype member', () => {
    for (const source of [{ a: { n: 1 } }, () => ({ a: { n: 1 } })]) {
      const { catalog } = start(source);
      for (const name of ['constructor', '__proto__', 'toString', 'hasOwnProperty'])
        expect(catalog.find(name, anyone)).toBeUndefined();
    }
  });

  it('notifies of each change with the changed entries', () => {
    const { catalog, notifications } = start({ a: { n: 1 } });
    catalog.set('a', { n: 2 });
    catalog.set('b', { n: 3 });
    expect(catalog.delete('b')).toBe(true);
    expect(catalog.delete('b')).toBe(false);
    catalog.notifyChanged();
    expect(notifications).toEqual([[{ n: 1 }, { n: 2 }], [{ n: 3 }], [{ n: 3 }], [{ n: 2 }]]);
    expect(catalog.version).toBe(4);
  });

  it('refuses invalid entries at once and later, and keeps its state', () => {
    expect(() => start({ bad: { n: 1 } })).toThrow('bad name');
    const { catalog, notifications } = start({});
    expect(() => catalog.set('bad', { n: 1 })).toThrow('bad name');
    expect([catalog.size, notifications.length]).toEqual([0, 0]);
    const own = start(() => ({ bad: { n: 1 } }));
    expect(() => own.catalog.listFor(anyone)).toThrow('bad name');
  });

  it('shows each caller the entries that are visible to it [caching.access-control-independent tools.security.access-control]', () => {
    const { catalog } = start({ open: { n: 1 }, own: { n: 2, visible: ({ auth }) => auth?.principal === 'ann' } });
    expect(catalog.isShared).toBe(false);
    expect(catalog.listFor(anyone)).toHaveLength(1);
    expect(catalog.listFor(caller('ann'))).toHaveLength(2);
    expect(catalog.find('own', caller('bob'))).toBeUndefined();
    catalog.delete('own');
    expect(catalog.isShared).toBe(true);
  });

  it.each([Promise.resolve(true), Promise.resolve(false), 'no', 1, undefined])(
    'hides an entry whose `visible` returns %j instead of true',
    result => {
      const { catalog } = start({ own: { n: 1, visible: () => result as never } });
      expect(catalog.listFor(anyone)).toEqual([]);
      expect(catalog.find('own', anyone)).toBeUndefined();
    },
  );

  it('selects entries by name, as they are now and as the caller may see them', () => {
    const isLong = (name: string) => name.length > 1;
    const picked = (from: typeof catalog, who = anyone) => from.pick(isLong, who).map(([name]) => name);
    const { catalog } = start({ a: { n: 1 }, bb: { n: 2 }, cc: { n: 3, visible: ({ auth }) => auth !== undefined } });
    expect([picked(catalog), picked(catalog, caller('ann'))]).toEqual([['bb'], ['bb', 'cc']]);
    catalog.set('dd', { n: 4 });
    catalog.delete('bb');
    expect(picked(catalog)).toEqual(['dd']);
    const own = start(({ auth }) => (auth ? { a: { n: 1 }, [auth.principal]: { n: 2 } } : {}));
    expect([picked(own.catalog), picked(own.catalog, caller('ann'))]).toEqual([[], ['ann']]);
  });

  it('returns other entries for each caller when it is a function', () => {
    const { catalog } = start(({ auth }) => (auth ? { [auth.principal]: { n: 1 } } : {}));
    expect(catalog.find('ann', caller('ann'))).toEqual({ n: 1 });
    expect(catalog.find('ann', caller('bob'))).toBeUndefined();
    expect([catalog.isShared, catalog.isOffered]).toEqual([false, true]);
  });

  it('counts as offered when it was given, empty or not, or when an entry was added', () => {
    expect([start().catalog.isOffered, start({}).catalog.isOffered, start(() => ({})).catalog.isOffered]).toEqual([
      false,
      true,
      true,
    ]);
    const { catalog } = start();
    catalog.set('a', { n: 1 });
    catalog.delete('a');
    expect(catalog.isOffered).toBe(true);
  });

  it('throws at set and delete when it is a function, because no client would see the change', () => {
    const { catalog, notifications } = start(() => ({ a: { n: 1 } }));
    const code = 'server/catalog-function';
    expect(() => catalog.set('b', { n: 2 })).toThrow(
      expect.objectContaining({ code, message: expect.stringContaining('"b"') }),
    );
    expect(() => catalog.delete('a')).toThrow(
      expect.objectContaining({ code, hint: expect.stringContaining('notifyChanged()') }),
    );
    expect([notifications, catalog.version]).toEqual([[], 0]);
    catalog.notifyChanged();
    expect(notifications).toHaveLength(1);
  });

  it('notifies all callers of a change when it is a function or is empty, because no entry restricts it', () => {
    for (const source of [() => ({ a: { n: 1 } }), {}]) {
      const { catalog, notifications } = start(source);
      catalog.notifyChanged();
      expect(notifications).toEqual([[{}]]);
    }
  });
});
