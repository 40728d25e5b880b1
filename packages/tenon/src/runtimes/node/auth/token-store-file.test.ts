import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readdir, readFile, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createHurriedClock } from '../../../../../../test/support/hurried-clock.js';
import { fileTokenStore } from './token-store-file.js';

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vault-'));
  path = join(folder, 'deep/er/vault.json');
});
afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }));

const put = (tokenStore: ReturnType<typeof fileTokenStore>, key: string, value: object | null) =>
  tokenStore.update([key], async () => ({ next: value as never, result: undefined }));

/** A process that has ended. */
const dead = () =>
  new Promise<number>(resolve => {
    const child = spawn(process.execPath, ['-e', '']);
    child.once('exit', () => resolve(child.pid ?? 0));
  });

/** The lock that an update of a key takes, as somebody else would hold it. */
async function lockOf(tokenStore: ReturnType<typeof fileTokenStore>, key: string): Promise<string> {
  let lock = '';
  await tokenStore.update([key], async () => {
    lock = (await readdir(dirname(path))).find(file => file.endsWith('.lock')) ?? '';
    return { result: undefined };
  });
  return join(dirname(path), lock);
}

describe('fileTokenStore', () => {
  it('keeps secrets for the next process, and from other users [auth.security.token-storage auth.refresh-token-confidential]', async () => {
    const tokenStore = fileTokenStore(path);
    expect(await tokenStore.get(['a'])).toBeUndefined();
    await put(tokenStore, 'a', { x: 1 });
    await put(tokenStore, '__proto__', { y: 1 });
    expect(await fileTokenStore(path).get(['a'])).toEqual({ x: 1 });
    expect(await fileTokenStore(path).get(['__proto__'])).toEqual({ y: 1 });
    if (process.platform !== 'win32') expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readdir(dirname(path))).toEqual(['vault.json']);
    await put(tokenStore, 'a', null);
    expect(await tokenStore.get(['a'])).toBeUndefined();
  });

  it('tells that it waits, and names the file whose lock another process holds', async () => {
    const lock = await lockOf(fileTokenStore(path), 'a');
    await writeFile(lock, JSON.stringify({ id: 'a', pid: process.pid, host: hostname() }));
    const clock = createHurriedClock(60_000);
    const waits: number[] = [];
    const onWait = () => void waits.push(clock.now());
    await expect(put(fileTokenStore(path, { clock, onWait }), 'a', {})).rejects.toMatchObject({
      code: 'auth/token-store-busy',
      message: expect.stringContaining(`the lock of the token store ${path}`),
      hint: expect.stringContaining(lock),
    });
    expect(waits).toHaveLength(1);
    expect(waits[0]).toBeLessThan(600_000);
  });

  it.skipIf(process.platform === 'win32')('makes an existing file private', async () => {
    await put(fileTokenStore(path), 'a', { x: 1 });
    await writeFile(`${path}2`, await readFile(path), { mode: 0o644 });
    await put(fileTokenStore(`${path}2`), 'b', {});
    expect((await stat(`${path}2`)).mode & 0o777).toBe(0o600);
  });

  it.skipIf(process.platform === 'win32')('refuses a file that other users can write', async () => {
    await put(fileTokenStore(path), 'a', { x: 1 });
    for (const mode of [0o666, 0o660, 0o602]) {
      await chmod(path, mode);
      const refusal = { code: 'auth/token-store-permissions', received: `mode 0${mode.toString(8)}` };
      await expect(fileTokenStore(path).get(['a'])).rejects.toMatchObject(refusal);
      await expect(put(fileTokenStore(path), 'a', { x: 2 })).rejects.toMatchObject(refusal);
    }
    await chmod(path, 0o600);
    expect(await fileTokenStore(path).get(['a'])).toEqual({ x: 1 });
  });

  it.skipIf(process.platform === 'win32')(
    'warns of a file that other users can read, and makes it private',
    async () => {
      await put(fileTokenStore(path), 'a', { x: 1 });
      await chmod(path, 0o644);
      const warned = once(process, 'warning');
      expect(await fileTokenStore(path).get(['a'])).toEqual({ x: 1 });
      expect(await warned).toMatchObject([
        { code: 'auth/token-store-permissions', message: expect.stringContaining(path) },
      ]);
      expect((await stat(path)).mode & 0o777).toBe(0o600);
    },
  );

  it.skipIf(process.platform === 'win32')('writes to the target of a link', async () => {
    await put(fileTokenStore(path), 'a', { x: 1 });
    await symlink(path, join(folder, 'link'));
    await put(fileTokenStore(join(folder, 'link')), 'b', { y: 2 });
    expect(await fileTokenStore(path).get(['b'])).toEqual({ y: 2 });
  });

  it('creates its folder again when it was deleted, also during a sign-in', async () => {
    const tokenStore = fileTokenStore(path);
    await put(tokenStore, 'a', { x: 1 });
    await rm(dirname(path), { recursive: true });
    await put(tokenStore, 'b', { x: 2 });
    expect([await tokenStore.get(['a']), await tokenStore.get(['b'])]).toEqual([undefined, { x: 2 }]);
    await tokenStore.update(['c'], async () => {
      await rm(dirname(path), { recursive: true });
      return { next: { x: 3 } as never, result: undefined };
    });
    expect(await tokenStore.get(['c'])).toEqual({ x: 3 });
  });

  it('changes one key at a time, in any process', async () => {
    const vaults = [fileTokenStore(path), fileTokenStore(path)];
    const add = (i: number) =>
      vaults[i % 2]?.update(['n'], async before => ({
        next: { n: ((before?.n as number) ?? 0) + 1 },
        result: undefined,
      }));
    await Promise.all(Array.from({ length: 20 }, (_, i) => add(i)));
    expect(await vaults[0]?.get(['n'])).toEqual({ n: 20 });
  });

  it('changes other keys during a slow change', async () => {
    const tokenStore = fileTokenStore(path);
    let finish = () => {};
    const wait = new Promise<void>(resolve => {
      finish = resolve;
    });
    const slow = tokenStore.update(['slow'], async () => {
      await wait;
      return { next: { s: 1 }, result: undefined };
    });
    await put(tokenStore, 'quick', { q: 1 });
    finish();
    await slow;
    expect([await tokenStore.get(['slow']), await tokenStore.get(['quick'])]).toEqual([{ s: 1 }, { q: 1 }]);
  });

  it('stays as it was when a change fails', async () => {
    const tokenStore = fileTokenStore(path);
    await put(tokenStore, 'a', { x: 1 });
    await expect(tokenStore.update(['a'], async () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await tokenStore.get(['a'])).toEqual({ x: 1 });
    await put(tokenStore, 'a', { x: 2 });
  });

  it('takes the lock of a dead process', async () => {
    const tokenStore = fileTokenStore(path);
    const lock = await lockOf(tokenStore, 'a');
    await writeFile(lock, JSON.stringify({ id: 'x', pid: await dead(), host: hostname() }));
    // The age of the lock never frees it.
    const later = new Date(Date.now() + 3_600_000);
    await utimes(lock, later, later);
    await Promise.all([put(tokenStore, 'a', { x: 1 }), put(fileTokenStore(path), 'a', { x: 1 })]);
    expect(await tokenStore.get(['a'])).toEqual({ x: 1 });
  });

  it('takes a lock that was not renewed for long, such as one of another machine', async () => {
    const tokenStore = fileTokenStore(path);
    const lock = await lockOf(tokenStore, 'a');
    await writeFile(lock, JSON.stringify({ id: 'x', pid: 1, host: 'elsewhere' }));
    const before = new Date(Date.now() - 60_000);
    await utimes(lock, before, before);
    await put(tokenStore, 'a', { x: 1 });
    expect(await tokenStore.get(['a'])).toEqual({ x: 1 });
  });

  it('does not overwrite a file that is no token store, and hides its content', async () => {
    await put(fileTokenStore(path), 'a', {});
    for (const text of ['{"secrets": "shh', '[]', '']) {
      await writeFile(path, text);
      const error = await fileTokenStore(path)
        .get(['a'])
        .catch(thrown => thrown);
      expect(error.code).toBe('auth/token-store-unreadable');
      expect(`${error.message}${String(error.cause)}`).not.toContain('shh');
      await expect(put(fileTokenStore(path), 'a', {})).rejects.toMatchObject({ code: 'auth/token-store-unreadable' });
      expect(await readFile(path, 'utf8')).toBe(text);
    }
  });

  it('creates its folder at the first write, and reports a folder that cannot be created', async () => {
    expect(await fileTokenStore(path).listKeys?.()).toEqual([]);
    expect(await readdir(folder)).toEqual([]);
    await writeFile(join(folder, 'file'), '');
    const store = fileTokenStore(join(folder, 'file/tokens.json'));
    expect(await store.get(['a'])).toBeUndefined();
    await expect(put(store, 'a', {})).rejects.toMatchObject({
      code: 'auth/token-store-unreadable',
      received: expect.stringMatching(/ENOTDIR|EEXIST/),
    });
  });
});
