/** Journeys of a person in the page of the console, by the keyboard only. Without a browser, the tests are skipped and tell the reason. */
import { once } from 'node:events';
import { createServer as createHttpServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { createHost, createPolicy, deny, type Host } from '@tenon/host';
import type { Locator } from 'playwright-core';
import { createServer, tool } from 'tenon';
import { serveHttp } from 'tenon/node';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ensureBrowser, skipMessage } from '../../scripts/browser.mjs';
import { waitInPage } from '../support/wait-in-page.js';
import { type OpenedPage, openPage } from './open-page.js';

const { browser: found, errors } = await ensureBrowser();
if (!found) console.log(skipMessage(errors));

const MAX_TABS = 60;
const CHANGING = fileURLToPath(new URL('./fixtures/changing-server.mjs', import.meta.url));

/** Describes the element with the focus, and marks it. A "!" at the end: its focus is not visible, or it has no name. */
const DESCRIBE_FOCUS = `(() => {
  const element = document.activeElement;
  if (element === document.body || element === null) return null;
  const all = [...document.querySelectorAll('*')];
  element.setAttribute('data-reached', '');
  const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(element);
  const isVisible = (outlineStyle !== 'none' && outlineWidth !== '0px') || boxShadow !== 'none';
  const name = element.textContent.trim() || element.getAttribute('aria-label') || element.placeholder ||
    element.labels?.[0]?.textContent || element.title;
  return all.indexOf(element) + ' ' + element.outerHTML.slice(0, 120) + (isVisible && name ? '' : '!');
})()`;

/** Lists the controls that the focus has not reached. Of a list of tabs and of radio buttons, one is enough. */
const LIST_UNREACHED = `[...document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex="0"]')]
  .filter(each => !each.disabled && each.checkVisibility() && !each.hasAttribute('data-reached') && each.type !== 'radio')
  .filter(each => !(each.role === 'tab' && each.tabIndex === -1))
  .map(each => each.outerHTML.slice(0, 120))`;

const hardSchema = {
  type: 'object' as const,
  required: ['place', 'pair'],
  properties: {
    place: {
      oneOf: [
        { title: 'city', type: 'string' },
        { title: 'point', type: 'object', required: ['x'], properties: { x: { type: 'number' } } },
      ],
    },
    pair: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'integer' }], items: false, minItems: 2 },
    labels: { type: 'object', additionalProperties: { type: 'integer' } },
    node: { $ref: '#/$defs/node' },
  },
  $defs: {
    node: {
      type: 'object',
      required: ['name'],
      properties: { name: { type: 'string' }, children: { type: 'array', items: { $ref: '#/$defs/node' } } },
    },
  },
} as const;

const server = createServer({
  name: 'fixture',
  version: '1.0.0',
  tools: {
    hard: tool({
      annotations: { readOnlyHint: true },
      input: hardSchema,
      run: args => ({ content: [], structuredContent: { ...args } }),
    }),
    ask: tool({
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

const files = createServer({
  name: 'files',
  version: '1.0.0',
  tools: {
    read: tool({
      input: { type: 'object', required: ['path'], properties: { path: { type: 'string' } } },
      run: ({ path }) => `text of ${String(path)}`,
    }),
  },
});

describe.skipIf(!found)('a person with a keyboard', () => {
  let shown: OpenedPage;
  let page: OpenedPage['page'];
  let http: Awaited<ReturnType<typeof serveHttp>>;
  let refusing: Server;
  let host: Host;

  beforeAll(async () => {
    if (!found) return;
    http = await serveHttp(server, { port: 0 });
    refusing = createHttpServer(({ url }, response) => {
      if (url === '/mcp') response.writeHead(401, { 'www-authenticate': 'Bearer error="invalid_token"' }).end();
      else response.writeHead(404).end();
    });
    refusing.listen(0, '127.0.0.1');
    await once(refusing, 'listening');
    const policy = createPolicy(
      [deny({ arguments: { path: { under: '/etc' } }, because: 'it belongs to the system' })],
      {
        fallback: 'allow',
      },
    );
    host = await createHost({ servers: { files: { service: files } }, policy });
    const changing = { command: process.execPath, args: [CHANGING] };
    shown = await openPage(found, {
      targets: [
        { name: 'fixture', target: { resolved: { target: { url: http.url }, label: http.url } } },
        { name: 'changing', target: { resolved: { target: changing, label: 'changing' } } },
        { name: 'files', target: { resolved: { target: host.toServer({ servers: ['files'] }), label: 'files' } } },
      ],
    });
    ({ page } = shown);
    await page.locator('footer .state.ok').waitFor();
  });

  afterEach(() => {
    expect(shown.faults.splice(0)).toEqual([]);
  });

  afterAll(async () => {
    await shown?.close();
    await http?.close();
    await host?.close();
    refusing?.closeAllConnections();
    refusing?.close();
  });

  const tabTo = async (locator: Locator) => {
    await locator.waitFor();
    for (let count = 0; count < MAX_TABS; count += 1) {
      if ((await locator.and(page.locator(':focus')).count()) > 0) return;
      await page.keyboard.press('Tab');
    }
    throw new Error(`${MAX_TABS} times Tab do not lead to ${String(locator)}`);
  };

  it.each([
    ['a port without a server', () => 'http://127.0.0.1:9/mcp', /refused|ECONNREFUSED|not reachable|no server/i],
    ['a wrong path', () => http.url.replace(/\/mcp$/, '/wrong'), /404|path|\/mcp/],
    [
      'a refused token',
      () => `http://127.0.0.1:${(refusing.address() as AddressInfo).port}/mcp`,
      /401|refused|token/i,
      'Authorization: Bearer old',
    ],
  ])('sees the cause and a fix for %s [con.doctor] [con.keys]', async (_, readUrl, cause, header = '') => {
    const url = readUrl();
    await shown.show('/');
    if (header !== '') {
      await tabTo(page.locator('summary').filter({ hasText: 'headers' }));
      await page.keyboard.press('Enter');
      await tabTo(page.getByLabel(/^headers/));
      await page.keyboard.insertText(header);
    }
    const field = page.getByPlaceholder(/^URL, command line/);
    await tabTo(field);
    await page.keyboard.insertText(url);
    await page.keyboard.press('Enter');
    const { server: failed } = await shown.opened.waitFor(
      'server',
      event => event.server.label === url && event.server.state === 'failed',
    );
    await page.locator('main').getByText(cause).first().waitFor();
    await page.locator('main').getByText(String(failed.error?.fix)).first().waitFor();
  });

  it('fills a form with variants, a tuple, a map and a recursive schema [con.forms] [con.keys]', async () => {
    await shown.show('/s/fixture/tools/hard');
    await page.getByRole('heading', { name: 'hard' }).waitFor();
    expect(await page.locator('.issue').count()).toBe(0);
    await tabTo(page.getByLabel('arguments/place.', { exact: true }));
    await page.keyboard.type('Bern');
    await tabTo(page.getByLabel('arguments/pair/0', { exact: true }));
    await page.keyboard.type('a');
    await tabTo(page.getByLabel('arguments/pair/1', { exact: true }));
    await page.keyboard.type('1');
    await tabTo(page.getByRole('button', { name: 'Add labels' }));
    await page.keyboard.press('Enter');
    await tabTo(page.getByLabel('arguments/labels: name of a new member'));
    await page.keyboard.type('k');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Shift+Tab');
    await tabTo(page.getByLabel(/^k\b/));
    await page.keyboard.press('Control+a');
    await page.keyboard.type('5');
    await tabTo(page.getByRole('button', { name: 'Add node' }));
    await page.keyboard.press('Enter');
    await tabTo(page.getByLabel(/^name\*?$/));
    await page.keyboard.type('root');
    await page.keyboard.press('Control+Enter');
    await page.locator('.result').waitFor();
    const { call } = await shown.opened.waitFor(
      'call',
      event => event.call.name === 'hard' && event.call.took !== null,
    );
    const { result } = await shown.opened.call('GET', `calls/${call.id}`);
    const sent = { place: 'Bern', pair: ['a', 1], labels: { k: 5 }, node: { name: 'root' } };
    expect(result).toMatchObject({ structuredContent: sent });
  });

  it('answers an input request on two versions, and compares them [con.ask] [con.revision] [con.keys]', async () => {
    await shown.show('/s/fixture/tools/ask');
    await tabTo(page.getByRole('button', { name: 'Compare versions' }));
    await page.keyboard.press('Enter');
    const forms = page.getByRole('form', { name: 'elicitation of fixture' });
    await forms.nth(1).waitFor();
    for (const left of [1, 0]) {
      await tabTo(forms.first().getByRole('textbox', { name: /name/ }));
      await page.keyboard.type('Ann');
      await page.keyboard.press('Enter');
      await expect.poll(() => forms.count()).toBe(left);
    }
    await page.getByText('Same result on 2025-11-25 and 2026-07-28').waitFor();
    // The session of the older version has a header, and each request of the newer one names its method.
    await page.getByText('HTTP: request headers only on 2026-07-28: mcp-method and mcp-name.').first().waitFor();
  });

  it('finds which member of a tool has changed since it was listed first [con.diff] [con.keys]', async () => {
    await shown.show('/s/changing/tools/send');
    await page.getByRole('heading', { name: 'send' }).waitFor();
    await waitInPage(page, "document.activeElement?.closest('form') != null");
    await page.keyboard.press('Control+Enter');
    await page.locator('form').getByText('Sends a note to everyone.').waitFor();
    await page.keyboard.press('w');
    await page.keyboard.press('/');
    await page.keyboard.insertText('server:changing method:tools/list is:result');
    await page.getByText('2 messages', { exact: true }).waitFor();
    const list = page.getByRole('listbox', { name: 'Messages' });
    await page.keyboard.press('Escape');
    await tabTo(list);
    await page.keyboard.press('ArrowDown');
    await tabTo(page.getByRole('button', { name: 'Compare', exact: true }));
    await page.keyboard.press('Enter');
    await list.focus();
    await page.keyboard.press('ArrowDown');
    await tabTo(page.getByRole('link', { name: /^compare with message/ }));
    await page.keyboard.press('Enter');
    await page.getByText(/^− description: "Sends a note to its owner\."/).waitFor();
    await page.getByText(/^\+ description: "Sends a note to everyone\."/).waitFor();
  });

  /** Types into the field that the view focuses once it is drawn. */
  const fillFocused = async (text: string): Promise<void> => {
    await waitInPage(page, "document.activeElement?.matches('input, textarea')");
    await page.keyboard.insertText(text);
  };

  it('reads which rule denied a call, and sees that other arguments are allowed [con.keys]', async () => {
    await shown.show('/');
    const link = page.getByRole('link', { name: /read$/ });
    await tabTo(link);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: /read$/ }).waitFor();
    await fillFocused('/etc/passwd');
    await page.keyboard.press('Enter');
    await page
      .locator('.result')
      .getByText(/it belongs to the system/)
      .waitFor();
    await page
      .locator('.result')
      .getByText(/rule 1/)
      .waitFor();
    await page.keyboard.press('Control+A');
    await fillFocused('/tmp/a');
    await page.keyboard.press('Enter');
    await page.locator('.result').getByText('text of /tmp/a').waitFor();
  });

  it('calls a tool from the list of servers with two clicks and a field [con.forms]', async () => {
    await shown.show('/');
    await page.getByRole('link', { name: /read$/ }).click();
    await fillFocused('/tmp/b');
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    await page.locator('.result').getByText('text of /tmp/b').waitFor();
  });

  it.each([
    '/',
    '/s/fixture',
    '/s/fixture/tools/hard',
    '/calls',
    '/call/1',
    '/wire?at=1',
    '/recordings',
    '/input-requests',
    '/compare?call=1',
  ])('reaches each control of %s by Tab, each with a visible focus and a name [con.keys]', async path => {
    await shown.show(path);
    await page.locator('main h1').first().waitFor({ state: 'attached' });
    const reached = new Set<unknown>();
    const faults: unknown[] = [];
    // After the last control, the focus is on the page, and then on the first one. A view that is drawn late moves the focus
    // to its first field, so the second time on the page ends a whole round.
    for (let [count, rounds] = [0, 0]; count < 300 && rounds < 2; count += 1) {
      await page.keyboard.press('Tab');
      const focused: unknown = await page.evaluate(DESCRIBE_FOCUS);
      if (typeof focused !== 'string') rounds += 1;
      if (typeof focused !== 'string' || reached.has(focused)) continue;
      reached.add(focused);
      if (focused.endsWith('!')) faults.push(focused);
    }
    expect(faults).toEqual([]);
    const missing: unknown = await page.evaluate(LIST_UNREACHED);
    expect(missing).toEqual([]);
  });
});
