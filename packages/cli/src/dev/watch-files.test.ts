import { chmodSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type FileWatch, watchFiles } from './watch-files.js';

/** Runs the work as a user without the rights of the superuser, whom permissions of folders do not bind. */
function runAsOrdinaryUser(work: () => void): void {
  const isRoot = process.getuid?.() === 0;
  if (isRoot) process.seteuid?.(65_534);
  try {
    work();
  } finally {
    if (isRoot) process.seteuid?.(0);
  }
}

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const clean of cleanups.splice(0)) clean();
});

function start() {
  const folder = mkdtempSync(join(tmpdir(), 'tenon-watch-'));
  const changes: (readonly string[])[] = [];
  const watch: FileWatch = watchFiles(files => changes.push(files));
  cleanups.push(
    () => watch.close(),
    () => rmSync(folder, { recursive: true, maxRetries: 10 }),
  );
  const path = (name: string) => join(folder, name);
  const write = (name: string) => writeFileSync(path(name), String(Math.random()));
  return { watch, changes, path, write, folder };
}

describe('a watch of files', () => {
  it('reports a change, a replacement and the creation of a file once, and not those of other files', async () => {
    const { watch, changes, path, write } = start();
    write('a.ts');
    write('b.ts');
    watch.update({ files: [path('a.ts'), path('later.ts')], folders: [] });
    write('b.ts');
    write('a.ts');
    write('a.ts');
    await expect.poll(() => changes).toEqual([[path('a.ts')]]);
    write('a.ts.tmp');
    renameSync(path('a.ts.tmp'), path('a.ts'));
    await expect.poll(() => changes.length).toBe(2);
    write('later.ts');
    await expect.poll(() => changes.at(-1)).toEqual([path('later.ts')]);
  });

  it('reports every file of a whole folder, also a new one', async () => {
    const { watch, changes, path, write, folder } = start();
    mkdirSync(path('references'));
    watch.update({ files: [], folders: [], wholeFolders: [folder] });
    write('references/new.md');
    await expect.poll(() => changes).toEqual([[path('references/new.md')]]);
  });

  it.skipIf(process.platform === 'win32')('omits folders that were deleted or cannot be read', async () => {
    const { watch, changes, path, write, folder } = start();
    for (const name of ['src', 'src/locked']) mkdirSync(path(name));
    chmodSync(folder, 0o755);
    chmodSync(path('src/locked'), 0o000);
    runAsOrdinaryUser(() => watch.update({ files: [], folders: [folder, path('absent')] }));
    write('src/a.ts');
    await expect.poll(() => changes).toEqual([[path('src/a.ts')]]);
  });

  it('reports source files in folders, without those of packages', async () => {
    const { watch, changes, path, write, folder } = start();
    for (const name of ['src', 'node_modules', '.git']) mkdirSync(path(name));
    watch.update({ files: [], folders: [folder] });
    write('node_modules/a.ts');
    write('.git/a.ts');
    write('src/notes.db');
    write('src/a.ts');
    await expect.poll(() => changes).toEqual([[path('src/a.ts')]]);
    watch.update({ files: [path('b.ts')], folders: [] });
    write('src/a.ts');
    write('b.ts');
    await expect.poll(() => changes.at(-1)).toEqual([path('b.ts')]);
  });
});
