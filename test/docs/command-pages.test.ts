import { expect, it } from 'vitest';
import { createPages, readPage } from '../../scripts/command-pages.mjs';
import { runTenon } from '../cli/command.js';

it('contain the help of each command, which `npm run build && npm run docs:command` writes', async () => {
  const pages = await createPages(async path => (await runTenon('.', [...path, '--help'])).out);
  for (const [name, text] of Object.entries(pages)) expect(readPage(name), name).toBe(text);
});
