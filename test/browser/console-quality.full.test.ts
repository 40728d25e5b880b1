/** Accessibility of the page of the console in Chromium. Skipped, with the reason, without a browser. */

import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { createServer, tool } from 'tenon';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ensureBrowser, skipMessage } from '../../scripts/browser.mjs';
import { type OpenedPage, openPage } from './open-page.js';

const { browser: found, errors } = await ensureBrowser();
if (!found) console.log(skipMessage(errors));
const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

const notes = createServer({
  name: 'notes',
  version: '1.0.0',
  tools: {
    add: tool({
      title: 'Add a note',
      description: 'Adds a note.',
      input: {
        type: 'object',
        required: ['title'],
        properties: {
          title: { type: 'string' },
          tags: { type: 'array', items: { type: 'string' } },
          kind: { enum: ['short', 'long'] },
          place: { oneOf: [{ type: 'string' }, { type: 'object', properties: { x: { type: 'number' } } }] },
          done: { type: 'boolean' },
        },
      },
      run: ({ title }) => `added ${String(title)}`,
    }),
    ask: tool({
      input: { type: 'object' },
      async run(_, ctx) {
        const { action } = await ctx.elicit({
          message: 'Which one?',
          input: { type: 'object', properties: { name: { type: 'string', title: 'Name' } }, required: ['name'] },
        });
        return action;
      },
    }),
  },
});
const targets = [
  { name: 'notes', target: { resolved: { target: notes, label: 'notes' } } },
  { name: 'closed', target: { reference: { kind: 'url', url: 'http://127.0.0.1:9/mcp' }, asks: false } },
] as const;

const VIEWS = [
  '/',
  '/s/notes',
  '/s/notes/resources',
  '/s/notes/prompts',
  '/s/notes/tasks',
  '/s/notes/subscriptions',
  '/s/closed',
  '/s/notes/tools/add?args=%7B%22tags%22%3A%5B%22a%22%5D%7D',
  '/calls',
  '/call/1',
  '/wire',
  '/wire?at=3',
  '/input-requests',
  '/recordings',
  '/compare?call=1&versions=2025-11-25,2026-07-28',
];

describe.skipIf(!found)('the page of the console', () => {
  let opened: OpenedPage;
  beforeAll(async () => {
    if (!found) return;
    opened = await openPage(found, { targets });
  });
  afterAll(() => opened?.close());

  const sizes = [
    [1440, 900],
    [390, 844],
  ] as const;
  it('has calls and an open input request for the views', async () => {
    await opened.opened.waitFor('server', event => event.server.name === 'notes' && event.server.counts !== null);
    await opened.opened.waitFor('server', event => event.server.name === 'closed' && event.server.finding !== null);
    const start = (name: string) =>
      opened.opened.call('POST', 'calls', {
        server: 'notes',
        method: 'tools/call',
        params: { name, arguments: { title: 'one' } },
      });
    const { id } = await start('add');
    await opened.opened.waitFor('call', event => event.call.id === id && event.call.took !== null);
    await start('ask');
    await opened.opened.waitFor('input-request');
  });

  it.each(sizes.flatMap(size => (['light', 'dark'] as const).map(theme => [...size, theme] as const)))(
    'has no finding of axe in each view at %s x %s in the %s theme [con.keys]',
    async (width, height, colorScheme) => {
      const { page, show } = opened;
      await page.setViewportSize({ width, height });
      await page.emulateMedia({ colorScheme });
      const source = await readFile(AXE, 'utf8');
      const findings: string[] = [];
      for (const view of VIEWS) {
        await show(view);
        // A view without its data has no heading.
        await page.locator('main h1').first().waitFor({ state: 'attached' });
        await page.evaluate(source);
        const { violations } = await page.evaluate(() => Reflect.get(globalThis, 'axe').run());
        for (const { id, nodes } of violations)
          for (const { html } of nodes) findings.push(`${view} ${id}: ${html.slice(0, 160)}`);
      }
      expect(findings).toEqual([]);
    },
  );
});
