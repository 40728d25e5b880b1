import { describe, expect, it } from 'vitest';
import { listPages, readPage } from '../../scripts/command-pages.mjs';
import { runTenon } from '../cli/command.js';

// Each page loads the code of its command, which takes a busy machine some time.
const pages = await listPages(async path => (await runTenon('.', [...path, '--help'])).out);

describe('the pages of the command', () => {
  it.each(pages)(
    'contain the help that `npm run build && npm run docs:command` writes: $name',
    async ({ name, create }) => {
      expect(readPage(name)).toBe(await create());
    },
  );
});
