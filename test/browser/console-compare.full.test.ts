/** Calls on two protocol versions, and differences of messages, in the page of the console. */
import { fileURLToPath } from 'node:url';
import { createServer, tool } from 'tenon';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ensureBrowser, skipMessage } from '../../scripts/browser.mjs';
import { findAxeFindings } from './axe.js';
import { type OpenedPage, openPage } from './open-page.js';

const { browser: found, errors } = await ensureBrowser();
if (!found) console.log(skipMessage(errors));

const CHANGING = fileURLToPath(new URL('./fixtures/changing-server.mjs', import.meta.url));
const changing = { command: process.execPath, args: [CHANGING] };
const form = { type: 'object' as const, properties: { name: { type: 'string' as const } }, required: ['name'] };
let count = 0;

const server = createServer({
  name: 'fixture',
  version: '1.0.0',
  tools: {
    greet: tool({
      annotations: { readOnlyHint: true },
      input: { type: 'object' },
      async run(_, ctx) {
        const { content } = await ctx.elicit({ message: 'Who are you?', input: form });
        return `hello ${JSON.stringify(content)}`;
      },
    }),
    count: tool({
      input: { type: 'object' },
      run() {
        count += 1;
        return `count ${count}, 12345678901234567890, \u202Eturned`;
      },
    }),
  },
});

describe.skipIf(!found)('the comparison of calls in the page', () => {
  let console: OpenedPage;

  beforeAll(async () => {
    if (found)
      console = await openPage(found, {
        targets: [
          { name: 'fixture', target: { resolved: { target: server, label: 'fixture' } } },
          { name: 'changing', target: { resolved: { target: changing, label: 'changing' } } },
        ],
      });
  });
  afterEach(() => {
    expect(console.faults).toEqual([]);
  });
  afterAll(() => console?.close());

  it('shows an input request of two versions side by side, and the difference in words [con.revision] [con.url]', async () => {
    const { page, opened } = console;
    await page.goto(`${opened.origin}/s/fixture/tools/greet`);
    await page.getByRole('button', { name: 'Compare versions' }).click();
    const forms = page.getByRole('form', { name: 'elicitation of fixture' });
    await forms.nth(1).waitFor();
    for (const left of [1, 0]) {
      await forms.first().getByRole('textbox', { name: /name/ }).fill('Ann');
      await forms.first().getByRole('button', { name: 'Send' }).click();
      await expect.poll(() => forms.count()).toBe(left);
    }
    const words = [
      'Same result on 2025-11-25 and 2026-07-28',
      '2025-11-25 opens with initialize; 2026-07-28 asks server/discover.',
      '2025-11-25 sends elicitation/create over the open stream; 2026-07-28 ends the round with input_required.',
      '2025-11-25 answers on the same stream; 2026-07-28 calls tools/call again with inputResponses and requestState.',
    ];
    for (const each of words) await page.getByText(each).waitFor();
    await page.reload();
    for (const each of words) await page.getByText(each).waitFor();
    expect(page.url()).toMatch(/\/compare\?call=\d+&versions=2025-11-25$/);
    expect(await page.locator('*').count()).toBeLessThan(1500);
    // The messages of a step are compared member by member.
    await page.getByText('input response').locator('..').getByRole('button', { name: 'diff' }).click();
    const params = page.getByRole('insertion').filter({ hasText: /^\+ params: / });
    await params.getByRole('button', { name: /^… all .* characters$/ }).click();
    await params.filter({ hasText: '"inputResponses"' }).waitFor();
  });

  it('asks before it calls a tool with effects again, and shows how the results differ [con.revision] [con.untrusted]', async () => {
    const { page, opened } = console;
    await page.goto(`${opened.origin}/s/fixture/tools/count`);
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    await page.getByText('count 1').first().waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'compare', exact: true }).click();
    await page.getByRole('button', { name: '2025-03-26' }).click();
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.getByText('Results differ: 2025-03-26 | 2026-07-28').waitFor();
    expect(count).toBe(2);
    const removed = await page.locator('.compared-results del.leaf').textContent();
    expect(removed).toContain('12345678901234567890');
    expect(await page.locator('.compared-results .hidden').count()).toBe(2);
  });

  it('compares two messages of the wire, which have an address [con.diff] [con.url]', async () => {
    const { page, opened } = console;
    const results = () =>
      opened.rows().filter(({ kind, name, from }) => kind === 'result' && name === 'count' && from === 'server');
    await expect.poll(() => results().length).toBe(2);
    const [first, second] = results();
    await page.goto(`${opened.origin}/wire?filter=name:count%20is:result&at=${first?.seq}`);
    await page.getByRole('button', { name: 'Compare', exact: true }).click();
    await page.getByText('2 messages', { exact: true }).waitFor();
    await page.getByRole('listbox', { name: 'Messages' }).getByRole('option').nth(1).click();
    await page.getByRole('link', { name: `compare with message ${first?.seq}` }).click();
    await page.getByText('Difference of two messages').waitFor();
    expect(page.url()).toBe(`${opened.origin}/compare?a=${first?.seq}&b=${second?.seq}`);
    await page.getByText(/^− text: /).waitFor();
    await page.reload();
    await page.getByText(/^\+ text: /).waitFor();
  });

  it('shows the difference of the definitions of a server between any two times, also after it was connected again [con.diff]', async () => {
    const { page, opened, show } = console;
    const isChanging = (count: number) =>
      opened.waitFor('server', event => event.server.name === 'changing' && event.server.listing === count);
    await isChanging(1);
    await show('/s/changing');
    await page.getByRole('button', { name: 'Examine (doctor)' }).waitFor();
    const changes = page.getByRole('region', { name: 'Changes of the definitions' });
    expect(await changes.count()).toBe(0);
    await opened.call('POST', 'calls', {
      server: 'changing',
      method: 'tools/call',
      params: { name: 'send', arguments: {} },
    });
    await isChanging(2);
    await changes.getByRole('region', { name: 'changing › tool send › description' }).waitFor();
    expect(await changes.locator('.line').allTextContents()).toEqual([
      '− Sends a note to its owner.',
      '+ Sends a note to everyone.',
    ]);
    expect(await findAxeFindings(page, () => changes.waitFor())).toEqual([]);
    await page.getByRole('button', { name: 'Reconnect' }).press('Enter');
    await isChanging(3);
    await changes.getByText('0 changes').waitFor();
    await changes.getByRole('combobox', { name: 'from' }).selectOption('2');
    await changes.getByText('1 change', { exact: true }).waitFor();
    expect(await changes.locator('.line').first().textContent()).toBe('− Sends a note to everyone.');
  });
});
