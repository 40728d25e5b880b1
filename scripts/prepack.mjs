// @ts-check
/** Lends the package, in whose folder npm runs this, the licence and the README of the project; `--undo` takes them back. */
import { copyFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from './process.mjs';

for (const file of ['LICENSE', 'README.md']) {
  if (process.argv.includes('--undo')) await rm(join(process.cwd(), file), { force: true });
  else await copyFile(join(root, file), join(process.cwd(), file));
}
