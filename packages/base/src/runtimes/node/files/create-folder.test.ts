import { chmod, mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createFolder } from './create-folder.js';

describe('createFolder', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tenon-create-folder-'));
  });
  afterEach(() => rm(folder, { recursive: true, maxRetries: 10 }));
  const isFolder = async (...names: string[]) => (await stat(join(folder, ...names))).isDirectory();

  it('creates the folders above, and accepts one that exists or that a link leads to', async () => {
    await createFolder(join(folder, 'a', 'b', 'c'));
    await createFolder(join(folder, 'a', 'b', 'c'));
    expect(await isFolder('a', 'b', 'c')).toBe(true);
    await symlink(join(folder, 'a'), join(folder, 'link'));
    await createFolder(join(folder, 'link', 'd'));
    expect(await isFolder('a', 'd')).toBe(true);
    await createFolder('/');
  });

  it('creates each folder with the mode', async () => {
    await createFolder(join(folder, 'x', 'y'), 0o700);
    for (const path of ['x', 'x/y']) expect((await stat(join(folder, path))).mode & 0o777).toBe(0o700);
  });

  it('creates a folder that several callers need at the same time', async () => {
    const path = join(folder, 'deep', 'deeper', 'deepest');
    await Promise.all(Array.from({ length: 8 }, () => createFolder(path)));
    expect(await isFolder('deep', 'deeper', 'deepest')).toBe(true);
  });

  it('rejects below a file, for a file, and for a link that leads nowhere', async () => {
    await writeFile(join(folder, 'file'), '');
    await symlink(join(folder, 'nowhere', 'else'), join(folder, 'broken'));
    await expect(createFolder(join(folder, 'file', 'a'))).rejects.toMatchObject({ code: 'ENOTDIR' });
    await expect(createFolder(join(folder, 'file'))).rejects.toMatchObject({ code: 'EEXIST' });
    await expect(createFolder(join(folder, 'broken'))).rejects.toMatchObject({ code: 'EEXIST' });
    await expect(createFolder(join(folder, 'broken', 'a'))).rejects.toMatchObject({ code: 'EEXIST' });
  });

  it.skipIf(process.platform !== 'linux')(
    'rejects where the system says that an existing parent is missing',
    async () => {
      await expect(createFolder('/proc/tenon/a')).rejects.toMatchObject({ code: 'ENOENT' });
    },
  );

  it.skipIf(process.getuid?.() === 0)('rejects in a folder that is read-only', async () => {
    await chmod(folder, 0o500);
    await expect(createFolder(join(folder, 'a', 'b'))).rejects.toMatchObject({ code: 'EACCES' });
    await chmod(folder, 0o700);
  });
});
