/** Long lists, large results and large schemas in the page of the console. Skipped, with the reason, without a browser. */
import { fileURLToPath } from 'node:url';
import { createServer, tool } from 'tenon';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ensureBrowser, skipMessage } from '../../scripts/browser.mjs';
import { type OpenedPage, openPage } from './open-page.js';

const { browser: found, errors } = await ensureBrowser();
if (!found) console.log(skipMessage(errors));

const LARGE = fileURLToPath(new URL('./fixtures/large-server.mjs', import.meta.url));
const SIZE = 50_000_000;
const range = <T>(count: number, create: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => create(at));

/** Tools of the program whose schemas have more than 1 MB, each of another kind. */
const WIDE = ['members', 'choices', 'variants', 'references', 'words'];

const server = createServer({
  name: 'many',
  version: '1.0.0',
  tools: Object.fromEntries(
    range(60, at => [
      `tool_${at}`,
      tool({ description: 'One of many.', input: { type: 'object' }, run: () => 'done' }),
    ]),
  ),
});
const large = createServer({
  name: 'large',
  version: '1.0.0',
  tools: { text: tool({ input: { type: 'object' }, run: () => 'x'.repeat(SIZE) }) },
});
describe.skipIf(!found)('the page of the console', { timeout: 120_000 }, () => {
  let shown: OpenedPage;

  beforeAll(async () => {
    if (!found) return;
    const program = { command: process.execPath, args: [LARGE] };
    shown = await openPage(
      found,
      {
        targets: [
          ...Object.entries({ many: server, large }).map(([name, target]) => ({
            name,
            target: { resolved: { target, label: name } },
          })),
          { name: 'program', target: { resolved: { target: program, label: 'program' } } },
        ],
      },
      context =>
        context.addInitScript(`{
          globalThis.longTasks = [];
          new PerformanceObserver(list => longTasks.push(...list.getEntries().map(each => each.duration))).observe({ type: 'longtask' });
        }`),
    );
  }, 120_000);

  afterEach(() => {
    expect(shown.faults.splice(0)).toEqual([]);
  });

  afterAll(() => shown?.close());

  /** Opens an address of a server, as soon as it is connected. */
  const showPart = async (server: string, path: string) => {
    await shown.opened.waitFor('server', event => event.server.name === server && event.server.counts !== null);
    await shown.show(path);
  };

  /** Counts the elements that are shown from their first to their last line. */
  const countShown = (selector: string): Promise<number> =>
    shown.page.evaluate(`[...document.querySelectorAll(${JSON.stringify(selector)})].filter(element => {
      const { top, bottom, left, width } = element.getBoundingClientRect();
      const isAt = y => element.contains(document.elementFromPoint(left + width / 2, y));
      return top >= 0 && bottom <= innerHeight && isAt(top + 1) && isAt(bottom - 1);
    }).length`);

  /** Returns the tasks that have stopped the page for longer than this, in milliseconds. A busy machine doubles the goal of 100. */
  const readLongTasks = (limit = 200): Promise<unknown> =>
    shown.page.evaluate(`longTasks.filter(each => each > ${limit})`);

  it('shows at least 26 tools and 30 messages at once in 900 pixels [con.wire]', async () => {
    const { page, opened, show } = shown;
    const params = { name: 'tool_1', arguments: {} };
    const calls = await Promise.all(
      range(30, () => opened.call('POST', 'calls', { server: 'many', method: 'tools/call', params })),
    );
    for (const { id } of calls) await opened.waitFor('call', event => event.call.id === id && event.call.took !== null);
    await showPart('many', '/s/many');
    await page.getByRole('link', { name: /^tool_59/ }).waitFor();
    expect(await countShown('nav.tools li')).toBeGreaterThanOrEqual(26);
    await show('/wire?server=many');
    await page
      .getByRole('option', { name: /tools\/call tool_1 result/ })
      .last()
      .waitFor();
    await expect.poll(() => countShown('.message')).toBeGreaterThanOrEqual(30);
  });

  it('shows the beginning and the size of a result of 50 MB, and stays usable [con.output] [con.untrusted]', async () => {
    const { page, show } = shown;
    await showPart('large', '/s/large/tools/text');
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    const rest = (SIZE - 20_000).toLocaleString('en');
    await page.locator('.result').getByText(`${rest} more characters`).first().waitFor();
    expect(await page.locator('*').count()).toBeLessThan(1500);
    expect(await readLongTasks()).toEqual([]);
    await show('/wire?server=large');
    await page.getByRole('option', { name: /tools\/call text result .*50\.0M/ }).click();
    await page
      .locator('.detail .body')
      .getByText(/more characters/)
      .first()
      .waitFor();
    await show('/s/many/tools/tool_1');
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    await page.locator('.result').getByText('done').waitFor();
  });

  it('names the limit of a program with a result of 50 MB, and calls the program again [con.output] [con.untrusted]', async () => {
    const { page, show } = shown;
    await showPart('program', '/s/program/tools/text');
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    const results = page.locator('.results');
    await results.getByText(/received a line that is too long\. Expected at most 16777216 bytes/).waitFor();
    await results.getByText(/ask the author of the server to split the data into pages or links/).waitFor();
    await show('/s/program/tools/echo');
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    await page.locator('.result').getByText('called echo').first().waitFor();
  });

  it.each(WIDE)(
    'edits the arguments of a tool as JSON if its schema has more than 1 MB [con.forms] [con.untrusted]: %s',
    async name => {
      const { page } = shown;
      await showPart('program', `/s/program/tools/${name}`);
      const reason = page.getByText(/^The form is not shown: its schema has \d{7} characters, of at most 200000\.$/);
      await reason.waitFor();
      await page.getByLabel('Arguments as JSON').fill('{"title":"one"}');
      await page.getByRole('tab', { name: 'schema', exact: true }).click();
      await reason.waitFor();
      await page.getByRole('tab', { name: 'form', exact: true }).click();
      await page.getByRole('button', { name: 'Call', exact: true }).click();
      await page.locator('.result').getByText(`called ${name}`).waitFor();
      expect(await page.locator('*').count()).toBeLessThan(1500);
      expect(await readLongTasks()).toEqual([]);
    },
  );
});
