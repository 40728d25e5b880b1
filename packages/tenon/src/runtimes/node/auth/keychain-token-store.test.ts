import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { TokenStore } from '../../../auth/client/token-store.js';
import { keychainTokenStore } from './keychain-token-store.js';
import type { Keychain } from './system-keychain.js';

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keychain-'));
  path = join(folder, 'tokens.json');
});
afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }));

function memoryKeychain() {
  const secrets = new Map<string, string>();
  const keychain: Keychain = {
    get: async account => secrets.get(account),
    set: async (account, secret) => void secrets.set(account, secret),
  };
  return { keychain, secrets };
}

const put = (store: TokenStore, key: string[], next: object | null) =>
  store.update(key, async () => ({ next: next as never, result: undefined }));

describe('keychainTokenStore', () => {
  it('keeps values for the next process, and none of them readable in the file', async () => {
    const { keychain, secrets } = memoryKeychain();
    const store = keychainTokenStore(path, { keychain });
    expect(await store.get(['a'])).toBeUndefined();
    await put(store, ['a'], { refresh: 'a secret' });
    expect(await keychainTokenStore(path, { keychain }).get(['a'])).toEqual({ refresh: 'a secret' });
    const text = await readFile(path, 'utf8');
    for (const hidden of ['a secret', 'refresh', ...secrets.values()]) expect(text).not.toContain(hidden);
    expect([...secrets.keys()]).toEqual([path]);
    await put(store, ['a'], null);
    expect(await store.get(['a'])).toBeUndefined();
  });

  it('changes one key at a time, also in several processes that create the encryption key together', async () => {
    const { keychain } = memoryKeychain();
    const stores = [1, 2, 3].map(() => keychainTokenStore(path, { keychain }));
    const increment = (store: TokenStore) =>
      store.update(['n'], async previous => ({
        next: { n: ((previous?.n as number) ?? 0) + 1 },
        result: undefined,
      }));
    await Promise.all([...stores, ...stores, ...stores].map(increment));
    expect(await stores[0]?.get(['n'])).toEqual({ n: 9 });
  });

  it('keeps the value when a change fails', async () => {
    const { keychain } = memoryKeychain();
    const store = keychainTokenStore(path, { keychain });
    await put(store, ['a'], { x: 1 });
    await expect(store.update(['a'], () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    await store.update(['a'], async () => ({ result: undefined }));
    expect(await store.get(['a'])).toEqual({ x: 1 });
  });

  it('treats values as absent that are moved to another key, or that were sealed with a lost key', async () => {
    const { keychain, secrets } = memoryKeychain();
    await put(keychainTokenStore(path, { keychain }), ['a'], { x: 1 });
    const moved = (await readFile(path, 'utf8')).replace('[\\"a\\"]', '[\\"b\\"]');
    await writeFile(path, moved);
    expect(await keychainTokenStore(path, { keychain }).get(['b'])).toBeUndefined();
    secrets.clear();
    const store = keychainTokenStore(path, { keychain });
    expect(await store.get(['b'])).toBeUndefined();
    await put(store, ['b'], { x: 2 });
    expect(await store.get(['b'])).toEqual({ x: 2 });
  });

  it('fails before a change runs while the keychain is locked, and works once it is unlocked', async () => {
    const { keychain } = memoryKeychain();
    let isLocked = true;
    const get = (account: string) => (isLocked ? Promise.reject(new Error('locked')) : keychain.get(account));
    const store = keychainTokenStore(path, { keychain: { ...keychain, get } });
    let runs = 0;
    const change = () =>
      store.update(['a'], async () => {
        runs += 1;
        return { next: { x: 1 }, result: undefined };
      });
    await expect(change()).rejects.toThrow('locked');
    isLocked = false;
    await change();
    expect([runs, await store.get(['a'])]).toEqual([1, { x: 1 }]);
  });

  it('refuses a key of the keychain that it has not written', async () => {
    const { keychain, secrets } = memoryKeychain();
    secrets.set(path, 'something else');
    await expect(put(keychainTokenStore(path, { keychain }), ['a'], {})).rejects.toMatchObject({
      code: 'auth/no-keychain',
      message: expect.not.stringContaining('something else'),
    });
  });

  it.skipIf(process.platform !== 'linux' || process.env.DBUS_SESSION_BUS_ADDRESS !== undefined)(
    'names the next step on a machine without a secret service',
    async () => {
      const store = keychainTokenStore(path);
      expect(await store.get(['a'])).toBeUndefined();
      await expect(put(store, ['a'], { x: 1 })).rejects.toMatchObject({
        code: 'auth/no-keychain',
        hint: expect.stringMatching(/gnome-keyring.*fileTokenStore/),
      });
    },
  );
});
