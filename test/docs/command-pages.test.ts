import { expect, it } from 'vitest';
import { createPages, readPage } from '../../scripts/command-pages.mjs';

it('has the help of each command on its page; `npm run build && npm run docs:command` writes them', () => {
  for (const [name, text] of Object.entries(createPages())) expect(readPage(name), name).toBe(text);
});
