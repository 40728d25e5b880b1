/** The page of the console with names and addresses that no path holds as they are. Skipped, with the reason, without a browser. */
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ensureBrowser, skipMessage } from '../../scripts/browser.mjs';
import { type OpenedPage, openPage } from './open-page.js';

const { browser: found, errors } = await ensureBrowser();
if (!found) console.log(skipMessage(errors));

const SERVER = fileURLToPath(new URL('./fixtures/odd-names-server.mjs', import.meta.url));
const LONG_NAME = 'a-very-long-name-of-a-server-'.repeat(3);
const NAMES = ['.', '..', '...', '', ' ', 'a/b', 'a/../b', '50%', '%2e%2e', '?a=b', '#a', '~"."', '\ud800'];

describe.skipIf(!found)('the page of the console with odd names', () => {
  let shown: OpenedPage;
  let page: OpenedPage['page'];

  beforeAll(async () => {
    if (!found) return;
    const start = (args: string[]) => ({
      resolved: { target: { command: process.execPath, args: [SERVER, ...args] }, label: 'odd' },
    });
    const target = start([]);
    shown = await openPage(found, {
      targets: [
        { name: '..', target },
        { name: 'ends', target },
        { name: LONG_NAME, target },
        { name: 'many', target: start(['--many']) },
      ],
    });
    ({ page } = shown);
  });

  afterEach(() => {
    expect(shown.faults.splice(0)).toEqual([]);
  });

  afterAll(async () => {
    await shown?.close();
  });

  it('leaves room for the target beside a long name of a server', async () => {
    await page.setViewportSize({ width: 1240, height: 900 });
    await shown.show('/');
    const row = page.locator('tr', { hasText: LONG_NAME });
    await row.waitFor();
    const box = await row.locator('td.wide').boundingBox();
    await page.setViewportSize({ width: 1440, height: 900 });
    expect(box?.width).toBeGreaterThan(100);
  });

  it('shows the name of a server above 150 tools at its full height', async () => {
    await shown.show('/s/many');
    await page.locator('nav.tools li a').nth(40).waitFor();
    const link = page.locator('nav.tools .server-link');
    expect(await link.evaluate(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight)).toBe(0);
  });

  it.each([390, 1280])('breaks long names and texts of a tool at a width of %i pixels', async width => {
    await page.setViewportSize({ width, height: 900 });
    await shown.show(`/s/many/tools/${'l'.repeat(120)}`);
    await page.locator('.member').waitFor();
    const wide = await page
      .locator('main, main .pane')
      .evaluateAll(boxes => boxes.filter(box => box.scrollWidth > box.clientWidth).map(box => box.className));
    await page.setViewportSize({ width: 1440, height: 900 });
    expect(wide).toEqual([]);
  });

  it('shows joiners and variants where emoji and scripts need them, and elsewhere their numbers', async () => {
    await shown.show('/s/many/tools/tool-7');
    const text = '\u26a0\ufe0f \u{1f469}\u200d\u{1f4bb} \u0645\u06cc\u200c\u062e a\\u{200C}b\\u{FE0F} 7';
    await page.getByText(text, { exact: true }).waitFor();
  });

  it('shows the server and the name of a tool beside its long title in the palette', async () => {
    await shown.show('/s/many');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('many llll');
    const name = page.locator('.palette-title', { hasText: 'many l' });
    await name.waitFor();
    expect((await name.boundingBox())?.width).toBeGreaterThan(200);
    await page.keyboard.press('Escape');
  });

  it.each(NAMES)('opens and calls the tool %j, also after a reload', async name => {
    await shown.show('/');
    await page.locator('td a.strong', { hasText: '..' }).click();
    await page.locator('nav.tools li a').nth(NAMES.indexOf(name)).click();
    const call = page.getByRole('button', { name: 'Call', exact: true });
    await call.click();
    await expect.poll(() => page.locator('.results').textContent()).toContain(`called ${JSON.stringify(name)}`);
    await page.reload();
    await call.waitFor();
  });

  it('shows a blank name as JSON in the lists of definitions', async () => {
    for (const feature of ['', '/prompts', '/resources']) {
      await shown.show(`/s/~".."${feature}`);
      await expect
        .poll(() => page.locator('nav.tools li').allInnerTexts())
        .toContainEqual(expect.stringMatching(/^(odd:)?" "/));
    }
  });

  it.each([
    '/call/abc',
    '/call',
    '/call/1e3',
    '/trace/abc',
    '/recordings/a/trace/',
    '/compare?call=abc',
    '/gateway/nope',
    '/wire?at=abc',
  ])('shows no call or message for the address %s, and names no NaN', async address => {
    await shown.show(address);
    const text = (await page.locator('main').allInnerTexts()).join();
    expect(text).toMatch(/No such view|Nothing to compare|Choose a message|messages/);
    expect(text).not.toMatch(/NaN|\b1000\b/);
  });

  it('shows an input request of a process in each call that runs, because the process names none', async () => {
    await shown.show('/s/ends/tools/ask');
    const forms = page.getByRole('form', { name: 'elicitation of ends' });
    const note = page.getByText('The server does not say which call asks');
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    await expect.poll(() => forms.count()).toBe(1);
    expect(await note.count()).toBe(0);
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    await note.waitFor();
    await forms.getByRole('button', { name: 'Decline' }).click();
    await page.getByText('decline for form of').waitFor();
    await shown.show('/input-requests');
    await forms.getByRole('button', { name: 'Decline' }).click();
    await expect.poll(() => forms.count()).toBe(0);
  });

  it('says that the connection of a process that has ended is lost, and starts it with the next call', async () => {
    await shown.show('/s/ends/tools/exit');
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    await page.getByText('connection lost').waitFor();
    await shown.show('/s/ends/prompts/a%2Fb');
    await page.getByRole('button', { name: 'Get', exact: true }).click();
    await page.getByText('got a/b').waitFor();
    await page.goto(`${shown.opened.origin}/s/ends`);
    await page.getByText('connected', { exact: true }).first().waitFor();
    expect(await page.locator('.why').count()).toBe(0);
  });
});
