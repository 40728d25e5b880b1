import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { accept } from '../../host/lock/accepting.js';
import { compare } from '../../host/lock/comparing.js';
import { entry, notes, withTool } from '../../host/lock/fixtures/notes.js';
import { lockOf } from '../../host/lock/making.js';
import { writeLock } from '../../host/lock/writing.js';
import { lockFile } from './lock-file.js';

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lock-'));
  path = join(folder, 'deep/mcp.lock');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('a lock in a file', () => {
  it('is there for the next one, as it was written', async () => {
    const file = lockFile(path);
    expect(await file.read()).toBeUndefined();
    const lock = await lockOf([notes], [entry]);
    await file.write(lock);
    expect(await readFile(path, 'utf8')).toBe(writeLock(lock));
    expect(writeLock((await lockFile(path).read())!)).toBe(writeLock(lock));
    expect(await readdir(join(path, '..'))).toEqual(['mcp.lock']);
    const { mtimeMs } = await stat(path);
    await file.write(lock);
    expect((await stat(path)).mtimeMs).toBe(mtimeMs);
  });

  it.skipIf(process.platform === 'win32')('keeps its mode, and the link that leads to it', async () => {
    const lock = await lockOf([notes], [entry]);
    await lockFile(path).write(lock);
    await chmod(path, 0o640);
    const link = join(folder, 'link');
    await symlink(path, link);
    await lockFile(link).write({ servers: new Map() });
    expect((await stat(path)).mode & 0o777).toBe(0o640);
    expect((await lockFile(path).read())?.servers.size).toBe(0);
  });

  it('takes the approvals of several at once', async () => {
    const lock = await lockOf([notes], [entry]);
    await lockFile(path).write(lock);
    const changes = [{ title: 'A' }, { description: 'B' }, { annotations: {} }, { outputSchema: {} }];
    await Promise.all(
      changes.map(async change => {
        const drifts = await compare(lock, entry, withTool(change));
        await lockFile(path).update(held => accept(held, drifts));
      }),
    );
    const all = await lockOf([withTool(Object.assign({}, ...changes))], [entry]);
    expect(writeLock((await lockFile(path).read())!)).toBe(writeLock(all));
  });

  it('says why it can not be read, and is not written over then', async () => {
    await mkdir(path, { recursive: true });
    await expect(lockFile(path).read()).rejects.toMatchObject({ code: 'lock/unreadable', got: 'EISDIR' });
    await rm(path, { recursive: true });
    await writeFile(path, '<<<<<<< HEAD\n');
    await expect(lockFile(path).read()).rejects.toThrow('mcp.lock, line 1');
    await expect(lockFile(path).update(lock => lock)).rejects.toMatchObject({ code: 'lock/syntax' });
    expect(await readFile(path, 'utf8')).toBe('<<<<<<< HEAD\n');
  });
});
