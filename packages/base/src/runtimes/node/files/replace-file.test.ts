import { chmod, chown, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../../timing/clock.js';
import { replaceFile } from './replace-file.js';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tenon-replace-'));
});
afterAll(() => rm(folder, { recursive: true }));

describe('replaceFile', () => {
  const isRoot = process.getuid?.() === 0;
  it.runIf(isRoot).each([
    [undefined, 0o640],
    [0o600, 0o600],
  ])('keeps the owner of a file that root replaces, with the mode %s', async (mode, expected) => {
    const path = join(folder, `owned-${mode}`);
    await writeFile(path, 'old');
    await chmod(path, 0o640);
    await chown(path, 12_345, 12_346);
    await replaceFile(path, 'new', systemClock, mode);
    const { uid, gid, mode: found } = await stat(path);
    expect([uid, gid, found & 0o777]).toEqual([12_345, 12_346, expected]);
    expect(await readFile(path, 'utf8')).toBe('new');
  });

  it('leaves no other file beside the one that it writes', async () => {
    const path = join(folder, 'alone', 'file');
    await expect(replaceFile(path, 'a', systemClock)).rejects.toThrow('ENOENT');
    await replaceFile(join(folder, 'file'), 'a', systemClock, 0o600);
    expect((await readdir(folder)).filter(name => name.startsWith('file'))).toEqual(['file']);
  });
});
