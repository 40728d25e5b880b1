/** Tabs and generated forms of the page of the console. Skipped, with the reason, without a browser. */
import { createServer, tool } from 'tenon';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ensureBrowser, skipMessage } from '../../scripts/browser.mjs';
import { findAxeFindings } from './axe.js';
import { type OpenedPage, openPage } from './open-page.js';

const { browser: found, errors } = await ensureBrowser();
if (!found) console.log(skipMessage(errors));

const createProperties = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, { type: 'string' as const }]));
const server = createServer({
  name: 'fixture',
  version: '1.0.0',
  tools: {
    small: tool({ input: { type: 'object', properties: createProperties(3) }, run: args => JSON.stringify(args) }),
    union: tool({
      input: {
        type: 'object',
        required: ['value'],
        properties: { value: { anyOf: [{ type: 'string' }, { type: 'number' }] }, list: { type: 'array' } },
      },
      run: args => JSON.stringify(args),
    }),
    large: tool({ input: { type: 'object', properties: createProperties(5000) }, run: args => JSON.stringify(args) }),
  },
});

describe.skipIf(!found)('the form of a tool in the page', { timeout: 120_000 }, () => {
  let shown: OpenedPage;

  beforeAll(async () => {
    if (!found) return;
    shown = await openPage(found, {
      targets: [{ name: 'ours', target: { resolved: { target: server, label: 'ours' } } }],
    });
  }, 120_000);

  afterEach(() => {
    expect(shown.faults.splice(0)).toEqual([]);
  });

  afterAll(() => shown?.close());

  it('chooses its tabs by the arrow keys, Home and End, and has one of them in the order of Tab', async () => {
    const { page } = shown;
    await shown.opened.waitFor('server', event => event.server.counts !== null);
    await shown.show('/s/ours/tools/small');
    const tabs = page.getByRole('tablist', { name: 'Arguments' }).getByRole('tab');
    const readFocus = () => page.evaluate('document.activeElement.textContent');
    await tabs.first().focus();
    for (const [key, title] of [
      ['ArrowRight', 'JSON'],
      ['ArrowRight', 'schema'],
      ['ArrowRight', 'form'],
      ['ArrowLeft', 'schema'],
      ['Home', 'form'],
      ['End', 'schema'],
      ['ArrowLeft', 'JSON'],
    ] as const) {
      await page.keyboard.press(key);
      await expect.poll(readFocus).toBe(title);
      await page.getByRole('tab', { name: title, selected: true }).waitFor();
      await page.getByRole('tabpanel', { name: title }).waitFor();
      const indexes = await Promise.all([0, 1, 2].map(index => tabs.nth(index).getAttribute('tabindex')));
      expect(indexes.toSorted()).toEqual(['-1', '-1', '0']);
    }
    await page.getByRole('textbox', { name: 'Arguments as JSON' }).waitFor();
  });

  it('chooses the forms of a copied call by the arrow keys', async () => {
    const { page } = shown;
    await shown.show('/s/ours/tools/small');
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    // A call that has not ended has no test and no recording.
    await page.locator('.result').first().waitFor();
    await page.getByRole('button', { name: /^Copy as/ }).click();
    // The form of the tool has a tab with this name too.
    const forms = page.getByRole('tablist', { name: 'Form', exact: true });
    await forms.getByRole('tab', { name: 'JSON' }).press('ArrowRight');
    const panel = page.getByRole('tabpanel', { name: 'Vitest test' });
    await panel.getByText('createReplayServer').first().waitFor();
    await forms.getByRole('tab', { name: 'Vitest test' }).press('ArrowRight');
    await page.getByRole('tabpanel', { name: 'recording' }).getByText('"dir":"send"').first().waitFor();
  });

  it('has the JSON editor in place of more than 500 fields, and calls with its value', async () => {
    const { page } = shown;
    await shown.show('/s/ours/tools/large');
    await page.getByText('more than 500 fields. Edit the value as JSON').waitFor();
    expect(await page.locator('form .member').count()).toBe(0);
    await page.getByRole('textbox', { name: 'arguments' }).fill('{ "p4999": "last" }');
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    await page.locator('.result').getByText('{"p4999":"last"}').first().waitFor();
    await shown.show('/s/ours/tools/small');
    await page.locator('form .member').nth(2).waitFor();
    expect(await page.getByText('more than 500 fields').count()).toBe(0);
  });

  it('fits into the page with the names of controls that only screen readers see', async () => {
    const { page } = shown;
    await shown.show('/s/ours/tools/union?args=%7B%22list%22%3A%5B1%5D%7D');
    await page.getByRole('textbox', { name: 'arguments/list/0' }).waitFor();
    expect(await page.locator('label.for-readers').count()).toBeGreaterThan(1);
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
  });

  it('keeps keys for the palette while its code is loaded', async () => {
    const { page } = shown;
    await shown.show('/s/ours/tools/small');
    let release = () => {};
    const released = new Promise<void>(resolve => {
      release = resolve;
    });
    await page.route('**/assets/part-*.js', async route => {
      await released;
      await route.continue();
    });
    const path = new URL(page.url()).pathname;
    const field = page.getByRole('textbox', { name: 'p1' });
    await page.evaluate('document.activeElement?.blur()');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('wirx');
    await field.focus();
    await page.keyboard.press('Backspace');
    await page.keyboard.type('e');
    expect(new URL(page.url()).pathname).toBe(path);
    release();
    await page.getByRole('option', { name: /^view Wire/, selected: true }).waitFor();
    expect(await page.getByRole('combobox', { name: 'Command' }).inputValue()).toBe('wire');
    expect(await page.getByLabel(/^p1/).inputValue()).toBe('');
    await page.unroute('**/assets/part-*.js');
    await page.keyboard.press('Escape');
  });

  it('has no finding of axe, also in dark and at 390 pixels', async () => {
    const { page } = shown;
    for (const path of ['/s/ours/tools/small', '/s/ours/tools/large']) {
      const findings = await findAxeFindings(page, async () => {
        await shown.show(path);
        await page.getByRole('tabpanel', { name: 'form' }).waitFor();
      });
      expect(findings).toEqual([]);
    }
  });
});
