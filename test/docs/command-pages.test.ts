import { expect, it } from 'vitest';
import { createPages, readPage } from '../../scripts/command-pages.mjs';
import { runTenon } from '../cli/command.js';

it('has the help of each command on its page; `npm run build && npm run docs:command` writes them', async () => {
  const pages = await createPages(async path => (await runTenon('.', [...path, '--help'])).out);
  for (const [name, text] of Object.entries(pages)) expect(readPage(name), name).toBe(text);
});
