// @ts-check
/** Lends the package the licence and the README of the project while npm packs it; `--undo` takes them back. */
import { copyFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { library, root } from './process.mjs';

for (const file of ['LICENSE', 'README.md']) {
  if (process.argv.includes('--undo')) await rm(join(library, file), { force: true });
  else await copyFile(join(root, file), join(library, file));
}
