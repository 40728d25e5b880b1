import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe } from 'vitest';
import { pages, root } from './pages.js';

/** The tests of the recipe, written to files and run by this runner: Vitest cannot run within the process of a page. */
const PAGE = 'docs/recipes/test-with-vitest.md';

const cache = join(root, '.cache/docs');
mkdirSync(cache, { recursive: true });
const folder = mkdtempSync(join(cache, 'vitest-'));
const blocks = pages().find(({ path }) => path === PAGE)?.blocks ?? [];
for (const { file, code } of blocks) writeFileSync(join(folder, file), code);
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));

const tests = blocks.filter(({ file }) => file.endsWith('.test.ts'));
if (tests.length === 0) throw new Error(`${PAGE} has no tests`);
for (const { file } of tests) {
  const register: () => Promise<unknown> = () => import(join(folder, file));
  describe(file, register as () => Promise<void>);
}
