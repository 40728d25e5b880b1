/** The page of the console in Firefox. Skipped, with the reason, where there is no Firefox. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, launch, type Page } from 'puppeteer-core';
import { createServer, tool } from 'tenon';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openTestConsole } from '../../packages/cli/src/console/fixtures/console-page.js';
import { findFirefox, skipMessage } from '../../scripts/browser.mjs';
import { buildConsole } from '../../scripts/build-console.mjs';
import { waitInPage } from '../support/wait-in-page.js';
import { createAppServer } from './fixtures/app-server.js';

const { browser: found, errors } = await findFirefox();
if (!found) console.log(skipMessage(errors));

const TIMEOUT = 50_000;
/** Origin that no program serves. Requests to it are to be refused before they are sent. */
const NOWHERE = 'http://127.0.0.1:9';

const server = createServer({
  name: 'fixture',
  version: '1.0.0',
  tools: {
    echo: tool({
      annotations: { readOnlyHint: true },
      input: { type: 'object', required: ['message'], properties: { message: { type: 'string' } } },
      run: ({ message }) => `echo \u202E${String(message)}`,
    }),
    greet: tool({
      annotations: { readOnlyHint: true },
      input: { type: 'object' },
      async run(_, ctx) {
        const input = { type: 'object' as const, properties: { name: { type: 'string' as const } } };
        const { content } = await ctx.elicit({ message: 'Who are you?', input });
        return `hello ${JSON.stringify(content)}`;
      },
    }),
  },
});

describe.skipIf(!found)('the page of the console in Firefox', () => {
  const faults: string[] = [];
  let pageFolder: string;
  let opened: Awaited<ReturnType<typeof openTestConsole>>;
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    if (!found) return;
    pageFolder = await mkdtemp(join(tmpdir(), 'tenon-console-page-'));
    await buildConsole(pageFolder);
    const shop = createAppServer(NOWHERE, NOWHERE);
    const targets = [
      { name: 'fixture', target: { resolved: { target: server, label: 'fixture' } } },
      { name: 'shop', target: { resolved: { target: shop, label: 'shop' } } },
    ];
    opened = await openTestConsole({ pageFolder, targets });
    browser = await launch({ browser: 'firefox', executablePath: found.executablePath, timeout: TIMEOUT });
    page = await browser.newPage();
    page.setDefaultTimeout(TIMEOUT);
    await page.setViewport({ width: 1440, height: 900 });
    page.on('request', request => {
      if (/^https?:/.test(request.url()) && new URL(request.url()).origin !== opened.origin) faults.push(request.url());
    });
    page.on('console', message => {
      if (message.type() === 'error') faults.push(message.text());
    });
    page.on('pageerror', error => faults.push(String(error)));
    await page.goto(`${opened.origin}/#token=${opened.token}`);
  });

  afterEach(() => {
    expect(faults.splice(0)).toEqual([]);
  });

  afterAll(async () => {
    await browser?.close();
    await opened?.close();
    if (pageFolder) await rm(pageFolder, { recursive: true, force: true, maxRetries: 10 });
  });

  const waitForText = (text: string) => page.waitForSelector(`::-p-text(${text})`);

  it('shows the connected server, and removes the token from the address [con.multi] [con.token]', async () => {
    for (const name of ['fixture', 'shop'])
      await opened.waitFor('server', event => event.server.name === name && event.server.counts !== null);
    await page.waitForSelector('td .state.ok');
    expect(page.url()).toBe(`${opened.origin}/`);
  });

  it('calls a tool by the keyboard only, and shows a hidden character by its number [con.keys] [con.forms] [con.untrusted]', async () => {
    await page.goto(`${opened.origin}/s/fixture`);
    await page.waitForSelector('a[href*="tools/echo"]');
    await page.keyboard.press('/');
    await page.keyboard.type('echo');
    await page.keyboard.press('Enter');
    await page.waitForSelector('h1 ::-p-text(echo)');
    await page.waitForSelector('.fields :focus');
    await page.keyboard.type('by keys');
    await page.keyboard.down('Control');
    await page.keyboard.press('Enter');
    await page.keyboard.up('Control');
    await waitForText('echo \\\\u{202E}by keys');
  });

  it('answers an input request within a call, and compares it on another version [con.ask] [con.revision]', async () => {
    await page.goto(`${opened.origin}/s/fixture/tools/greet`);
    await page.locator('::-p-aria(Compare versions[role="button"])').click();
    for (let open = 2; open > 0; open -= 1) {
      await waitInPage(page, `document.querySelectorAll('form input').length === ${open}`);
      await page.locator('form input').fill('Ann');
      await page.locator('form ::-p-aria(Send[role="button"])').click();
    }
    await waitForText('Same result on 2025-11-25 and 2026-07-28');
  });

  it('filters the messages, keeps the filter after a reload, and changes the theme [con.wire] [con.url]', async () => {
    await page.goto(`${opened.origin}/wire`);
    await page.waitForSelector('[role="option"]');
    await page.keyboard.press('/');
    await page.keyboard.type('name:echo is:result');
    await waitForText('1 messages');
    await page.keyboard.press('Escape');
    await page.reload();
    await waitForText('1 messages');
    const readColor = () => page.evaluate('getComputedStyle(document.body).color');
    const before = await readColor();
    await page.keyboard.press('t');
    await expect.poll(readColor).not.toBe(before);
  });

  it('plans a fault of the next call, which the messages and the ladder of the call show', async () => {
    await page.goto(`${opened.origin}/s/fixture/tools/echo?break=1`);
    await page.locator('section.faults select').fill('malformed');
    await page.locator('section.faults ::-p-aria(Break the next call[role="button"])').click();
    await waitForText('planned: malform the response, next call');
    await page.locator('form .member input').fill('broken');
    await page.locator('form ::-p-aria(Call[role="button"])').click();
    await page.waitForSelector('.rung .label b ::-p-text(malformed)');
    expect(await page.$('::-p-text(planned:)')).toBeNull();
    await page.goto(`${opened.origin}/wire`);
    await page.waitForSelector('.message .kind ::-p-text(malformed)');
    const { call } = await opened.waitFor('call', event => event.call.state === 'failed');
    expect(call.method).toBe('tools/call');
  });

  it('shows an app in a frame of another origin, at the size that it reports and at that of a device [con.apps]', async () => {
    await page.goto(`${opened.origin}/s/shop/tools/price`);
    await page.locator('form .member input').fill('glue');
    await page.locator('form ::-p-aria(Call[role="button"])').click();
    await page.locator('::-p-aria(Open app[role="link"])').click();
    // The page cannot read its frame, so its messages and its size tell that the app runs.
    const size = (side: string) =>
      waitInPage(page, `document.querySelector('.app-frame iframe')?.getBoundingClientRect().${side}`);
    await size('height === 420');
    // The page sends the messages of its app to the console after it has used them.
    const readMethods = () => opened.rows().flatMap(({ hop, method }) => (hop === 'app' ? [method] : []));
    await expect
      .poll(readMethods, { timeout: TIMEOUT })
      .toEqual(expect.arrayContaining(['ui/initialize', 'ui/notifications/tool-result']));
    await page.locator('::-p-aria(390[role="button"])').click();
    await size('width === 390');
    const source = (await page.$eval('.app-frame iframe', iframe => iframe.getAttribute('src'))) ?? '';
    const { origin } = new URL(source);
    expect(origin).not.toBe(opened.origin);
    const unexpected = faults.splice(0).filter(each => !each.startsWith(origin));
    expect(unexpected).toEqual([]);
  });
});
