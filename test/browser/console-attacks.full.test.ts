/** Attacks on the page of the console in Chromium: by servers, and by other pages. Skipped, with the reason, without a browser. */
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { createServer, tool } from 'tenon';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ensureBrowser, skipMessage } from '../../scripts/browser.mjs';
import { collectFaults, type OpenedPage, openPage } from './open-page.js';

const { browser: found, errors } = await ensureBrowser();
if (!found) console.log(skipMessage(errors));

const HOSTILE = fileURLToPath(new URL('./fixtures/hostile-server.mjs', import.meta.url));
/** Labels of the texts of the hostile server that a view shows, by the view. */
const TOOL_LABELS =
  'tool-name tool-title tool-description title-of-text default-text description-of-long default-long variant-title choice-label constant member-name';
const CALL_LABELS =
  'asked-message asked-default content-text link-uri link-name script-uri data-uri resource-uri resource-type image-type block-type block-member block-value column cell';
const SERVER_LABELS = 'server-title server-version capability instructions';

const big = createServer({
  name: 'big',
  version: '1.0.0',
  tools: {
    text: tool({ input: { type: 'object' }, run: () => 'x'.repeat(1_000_000) }),
    keys: tool({
      input: { type: 'object' },
      run: () => ({
        structuredContent: Object.fromEntries(Array.from({ length: 1_000_000 }, (_, at) => [`k${at}`, at])),
        content: [],
      }),
    }),
    ask: tool({
      input: { type: 'object' },
      async run(_, ctx) {
        const input = { type: 'object' as const, properties: { name: { type: 'string' as const } } };
        const { action, content } = await ctx.elicit({ message: 'Who are you?', input });
        return `${action} ${JSON.stringify(content)}`;
      },
    }),
  },
});

/** Runs in the page: collects each text and attribute that hides a character, also if it is shown for a moment only. */
const WATCH = String.raw`{
  const seen = (globalThis.hiddenTexts = []);
  const hidden = /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]|\u{e0041}/u;
  const check = node => {
    if (node instanceof Text && hidden.test(node.data)) seen.push(node.parentElement?.tagName + ': ' + node.data);
    if (!(node instanceof Element)) return;
    for (const { name, value } of node.attributes)
      if (name !== 'value' && hidden.test(value)) seen.push(name + '=' + value);
    for (const child of node.childNodes) check(child);
  };
  new MutationObserver(records => {
    for (const { target, addedNodes } of records) for (const node of [target, ...addedNodes]) check(node);
  }).observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
}`;

/** Runs in a page of another origin: tries to read, to call and to frame the console. */
const ATTACK = `async ([target, secret]) => {
  const attempt = (path, init) => fetch(target + path, init).then(response => response.type, () => 'refused');
  const headers = { 'x-tenon-token': secret, 'content-type': 'application/json' };
  const body = JSON.stringify({ server: 'big', method: 'tools/call', params: { name: 'ask', arguments: {} } });
  const frame = document.createElement('iframe');
  frame.src = target;
  const loaded = new Promise(resolve => frame.addEventListener('load', resolve));
  document.body.append(frame);
  await loaded;
  const other = window.open(target, 'console');
  let access = 'none';
  try {
    access = String(other?.document?.title);
  } catch {
    access = 'refused';
  }
  return {
    read: await attempt('/api/wire/1', { headers }),
    call: await attempt('/api/calls', { method: 'POST', headers, body }),
    form: await attempt('/api/calls', { method: 'POST', mode: 'no-cors', body }),
    page: await attempt('/', {}),
    frames: frame.contentDocument === null ? 'refused' : 'read',
    access,
  };
}`;

describe.skipIf(!found)('the page of the console', () => {
  let opened: OpenedPage;

  beforeAll(async () => {
    if (!found) return;
    const targets = [
      {
        name: 'hostile',
        target: { resolved: { target: { command: process.execPath, args: [HOSTILE] }, label: 'hostile' } },
      },
      { name: 'big', target: { resolved: { target: big, label: 'big' } } },
    ];
    opened = await openPage(found, { targets }, context => context.addInitScript(WATCH));
  });

  afterEach(() => {
    expect(opened.faults.splice(0)).toEqual([]);
  });

  afterAll(() => opened?.close());

  const expectNothingHidden = async () => {
    const hidden: unknown = await opened.page.evaluate('hiddenTexts');
    expect(hidden).toEqual([]);
    expect(
      await opened.page.locator('img, iframe, object, embed, a[href^="javascript"], a[href^="data"]').count(),
    ).toBe(0);
    expect(await opened.page.title()).toBe('Tenon console');
  };
  const expectLabels = async (labels: string) => {
    const shown = (await opened.page.locator('body').textContent()) ?? '';
    const missing = labels.split(' ').filter(label => !shown.includes(`${label}\\u{202E}`));
    expect(missing).toEqual([]);
  };
  const callShownTool = async () => {
    await opened.page.getByRole('button', { name: 'Call', exact: true }).click();
  };

  it('shows the hidden characters of each text of a server by their numbers, in each view [con.untrusted]', async () => {
    const { page, show } = opened;
    for (const name of ['hostile', 'big'])
      await opened.opened.waitFor('server', event => event.server.name === name && event.server.counts !== null);
    await show('/');
    await page.getByRole('link', { name: 'hostile', exact: true }).waitFor();
    await expectNothingHidden();
    await show('/s/hostile');
    await page.getByText('instructions\\u{202E}').waitFor();
    await expectLabels(SERVER_LABELS);
    await expectNothingHidden();
    await page.getByRole('link', { name: /^tool-name/ }).click();
    await page.getByText('tool-description\\u{202E}').waitFor();
    await expectLabels(TOOL_LABELS);
    for (const name of ['JSON', 'schema', 'form']) {
      await page.getByRole('tab', { name, exact: true }).click();
      await expectNothingHidden();
    }
    await callShownTool();
    const form = page.getByRole('form', { name: 'elicitation of hostile' });
    await page.getByText('progress\\u{202E}').waitFor();
    await form.waitFor();
    await expectNothingHidden();
    await expectLabels('asked-message asked-default');
    await form.getByRole('button', { name: 'Send' }).click();
    await page.getByText('content-text\\u{202E}').first().waitFor();
    await expectLabels(CALL_LABELS.replace('asked-message asked-default ', ''));
    for (const rung of await page.locator('.rung').all()) {
      await rung.click();
      await page.locator('.body').waitFor();
      await expectNothingHidden();
    }
    await show('/s/hostile/tools/fails');
    await callShownTool();
    await page.getByText('error-message\\u{202E}').waitFor();
    await expectLabels('error-message error-data error-key');
    for (const path of ['/wire?server=hostile', '/calls', '/input-requests', '/call/1']) {
      await show(path);
      await expectNothingHidden();
    }
    await show('/wire?server=hostile');
    await page.getByRole('option').first().click();
    for (let at = 0; at < 12; at += 1) {
      await page.locator('.detail .body').waitFor();
      await expectNothingHidden();
      await page.locator('.scroll').focus();
      await page.keyboard.press('ArrowDown');
    }
  });

  it('shows a word of 1 MB, and an object with 1,000,000 members, in small parts and few nodes [con.untrusted] [con.output]', async () => {
    const { page, show } = opened;
    const sizes: number[] = [];
    page.on('response', response => {
      if (new URL(response.url()).pathname.startsWith('/api/'))
        sizes.push(Number(response.headers()['content-length'] ?? 0));
    });
    for (const [name, text] of [
      ['text', /more characters/],
      ['keys', /more$/],
    ] as const) {
      await show(`/s/big/tools/${name}`);
      await callShownTool();
      await page.locator('.result').getByText(text).first().waitFor();
      expect(await page.locator('*').count()).toBeLessThan(1500);
      await page.locator('.rung').last().click();
      await page.locator('.body').getByText(text).first().waitFor();
      expect(await page.locator('*').count()).toBeLessThan(1500);
    }
    await page.locator('.result').getByRole('button', { name: '999,900 more' }).click();
    await page.locator('.result').getByText('k599:').waitFor();
    await page.getByRole('button', { name: 'Text', exact: true }).click();
    await page
      .locator('.body')
      .getByText(/more characters/)
      .waitFor();
    expect(Math.max(...sizes)).toBeLessThan(300_000);
  });

  it('answers an input request once in two tabs, and tells the other one [con.ask]', async () => {
    const { page, show, context } = opened;
    await show('/s/big/tools/ask');
    await callShownTool();
    const form = page.getByRole('form', { name: 'elicitation of big' });
    await form.waitFor();
    const other = await context.newPage();
    const faults = collectFaults(other, opened.opened.origin);
    await other.goto(`${opened.opened.origin}/input-requests#token=${opened.opened.token}`);
    await other.getByRole('form', { name: 'elicitation of big' }).getByRole('button', { name: 'Decline' }).click();
    await page.getByText('decline').first().waitFor();
    await form.waitFor({ state: 'detached' });
    expect(faults).toEqual([]);
    await other.close();
  });

  it('gives nothing to a page of another origin, which can neither read, call nor frame it [con.token] [con.csp]', async () => {
    const { origin, token } = opened.opened;
    const server = createHttpServer((_, response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end('<p>other'),
    );
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    const other = await opened.context.newPage();
    await other.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    const before = opened.opened.rows().length;
    const popup = other.waitForEvent('popup');
    const outcomes: unknown = await other.evaluate(`(${ATTACK})(${JSON.stringify([origin, token])})`);
    expect(outcomes).toMatchObject({ read: 'refused', call: 'refused', page: 'refused', frames: 'refused' });
    expect(outcomes).not.toMatchObject({ access: 'Tenon console' });
    expect(opened.opened.rows()).toHaveLength(before);
    // A late window would count as one that the console opens.
    await (await popup).close();
    await other.close();
    await new Promise(resolve => server.close(resolve));
  });

  it('opens an address of a server only after a question that shows all of it [con.untrusted]', async () => {
    const { page, show, context } = opened;
    await show('/call/1');
    const link = page.getByRole('button', { name: /^https:\/\/example\.com\/link-uri/ });
    await link.waitFor();
    const pages = context.pages().length;
    const opening = page.waitForEvent('dialog');
    await link.click();
    const dialog = await opening;
    expect(dialog.message()).toContain('https://example.com/link-uri\\u{202E}');
    expect(context.pages()).toHaveLength(pages);
    expect(opened.faults.splice(0)).toEqual([dialog.message()]);
  });
});
