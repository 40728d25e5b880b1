import { chmod, mkdir, mkdtemp, open, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createHurriedClock } from '../../../../../test/support/hurried-clock.js';
import { acceptDrift } from '../../security/lock/accept-drift.js';
import { compareWithLock } from '../../security/lock/compare-with-lock.js';
import { createLock } from '../../security/lock/create-lock.js';
import { entry, notes, withTool } from '../../security/lock/fixtures/notes.js';
import { serializeLock } from '../../security/lock/serialize-lock.js';
import { openLockFile } from './lock-file.js';
import { openLockGuard } from './lock-guard.js';

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lock-'));
  path = join(folder, 'deep/mcp.lock');
});
afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }));

describe('openLockFile', () => {
  it('reads what it has written', async () => {
    const file = openLockFile(path);
    expect(await file.read()).toBeUndefined();
    const lock = await createLock([notes], [entry]);
    await file.write(lock);
    expect(await readFile(path, 'utf8')).toBe(serializeLock(lock));
    expect(serializeLock((await openLockFile(path).read())!)).toBe(serializeLock(lock));
    expect(await readdir(join(path, '..'))).toEqual(['mcp.lock']);
    const { mtimeMs } = await stat(path);
    await file.write(lock);
    expect((await stat(path)).mtimeMs).toBe(mtimeMs);
  });

  it('reads a file with a byte order mark', async () => {
    const file = openLockFile(path);
    await file.write({ servers: new Map() });
    await writeFile(path, `\ufeff${await readFile(path, 'utf8')}`);
    expect(await file.read()).toEqual({ servers: new Map() });
  });

  it('leaves no lock that others wait for when the disk is full', async () => {
    const file = openLockFile(path);
    await file.write({ servers: new Map() });
    const handle = await open(path);
    const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
    vi.spyOn(Object.getPrototypeOf(handle), 'writeFile').mockRejectedValueOnce(full);
    await handle.close();
    await expect(file.update(lock => lock)).rejects.toBe(full);
    expect(await readdir(join(path, '..'))).toEqual(['mcp.lock']);
  });

  it('names the file whose lock another process holds', async () => {
    await openLockFile(path).write({ servers: new Map() });
    await writeFile(`${path}.lock`, JSON.stringify({ id: 'a', pid: process.pid, host: hostname() }));
    const clock = createHurriedClock(60_000);
    await expect(openLockFile(path, { clock }).update(lock => lock)).rejects.toMatchObject({
      code: 'lock/busy',
      message: expect.stringContaining(path),
    });
  });

  it.skipIf(process.platform === 'win32')('refuses a link that leads out of its folder', async () => {
    const outside = join(folder, 'deep/users-file');
    await mkdir(join(folder, 'deep/project'), { recursive: true });
    await writeFile(outside, 'of the user');
    const link = join(folder, 'deep/project/mcp.lock');
    await symlink('../users-file', link);
    const file = openLockFile(link);
    await expect(file.write({ servers: new Map() })).rejects.toMatchObject({ code: 'lock/link' });
    await expect(file.update(lock => lock)).rejects.toMatchObject({ code: 'lock/link' });
    expect(await readFile(outside, 'utf8')).toBe('of the user');
    await rm(outside);
    await file.write({ servers: new Map() });
    await expect(readFile(outside)).rejects.toMatchObject({ code: 'ENOENT' });
    expect(await readFile(link, 'utf8')).toBe(serializeLock({ servers: new Map() }));
  });

  it.skipIf(process.platform === 'win32')('keeps its mode, and the link that leads to it', async () => {
    const lock = await createLock([notes], [entry]);
    await openLockFile(path).write(lock);
    await chmod(path, 0o640);
    const link = join(folder, 'link');
    await symlink(path, link);
    await openLockFile(link).write({ servers: new Map() });
    expect((await stat(path)).mode & 0o777).toBe(0o640);
    expect((await openLockFile(path).read())?.servers.size).toBe(0);
  });

  it('merges concurrent approvals', async () => {
    const lock = await createLock([notes], [entry]);
    await openLockFile(path).write(lock);
    const changes = [{ title: 'A' }, { description: 'B' }, { annotations: {} }, { outputSchema: {} }];
    await Promise.all(
      changes.map(async change => {
        const drifts = await compareWithLock(lock, entry, withTool(change));
        await openLockFile(path).update(held => acceptDrift(held, drifts));
      }),
    );
    const all = await createLock([withTool(Object.assign({}, ...changes))], [entry]);
    expect(serializeLock((await openLockFile(path).read())!)).toBe(serializeLock(all));
  });

  it('has all servers that two guards trust at the same time', async () => {
    const guards = await Promise.all([1, 2].map(() => openLockGuard({ file: path, onUnknown: 'trust-first' })));
    const names = Array.from({ length: 20 }, (_, n) => `notes${n}`);
    const trust = (name: string, n: number) =>
      guards[n % 2]?.check({ ...entry, name }, { ...notes, server: name }).then(({ ok }) => ok);
    expect(await Promise.all(names.map(trust))).toEqual(names.map(() => true));
    expect([...((await openLockFile(path).read())?.servers.keys() ?? [])].toSorted()).toEqual(names.toSorted());
  });

  it('reports why it cannot be read, and is not overwritten', async () => {
    await mkdir(path, { recursive: true });
    await expect(openLockFile(path).read()).rejects.toMatchObject({ code: 'lock/unreadable', received: 'EISDIR' });
    await rm(path, { recursive: true, maxRetries: 10 });
    await writeFile(path, '<<<<<<< HEAD\n');
    await expect(openLockFile(path).read()).rejects.toThrow('mcp.lock, line 1');
    await expect(openLockFile(path).update(lock => lock)).rejects.toMatchObject({ code: 'lock/syntax' });
    expect(await readFile(path, 'utf8')).toBe('<<<<<<< HEAD\n');
  });
});
