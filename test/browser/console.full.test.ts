/** The page of the console in Chromium. Skipped, with the reason, where there is no browser. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { createServer, tool } from 'tenon';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ensureBrowser, skipMessage } from '../../scripts/browser.mjs';
import { EVERYTHING } from '../cli/command.js';
import { type OpenedPage, openPage } from './open-page.js';

const { browser: found, errors } = await ensureBrowser();
if (!found) console.log(skipMessage(errors));

const FLOOD = fileURLToPath(new URL('../cli/fixtures/flood-server.mjs', import.meta.url));
const [command = '', ...args] = EVERYTHING;
const HOSTILE = '<img src=x onerror="document.title=1">\u202Etxt\u200B';

const server = createServer({
  name: 'fixture',
  version: '1.0.0',
  instructions: HOSTILE,
  tools: {
    greet: tool({
      description: HOSTILE,
      input: { type: 'object', properties: { topic: { type: 'string' } } },
      async run(_, ctx) {
        const form = { type: 'object' as const, properties: { name: { type: 'string' as const } }, required: ['name'] };
        const { action, content } = await ctx.elicit({ message: HOSTILE, input: form });
        return `${action} ${JSON.stringify(content ?? null)}`;
      },
    }),
    ['__proto__']: tool({ input: { type: 'object' }, run: () => HOSTILE }),
    link: tool({
      input: { type: 'object' },
      run: () => ({
        content: [
          { type: 'resource_link', uri: 'javascript:alert(1)', name: 'script' },
          { type: 'image', mimeType: 'image/svg+xml', data: btoa('<svg onload="alert(1)"/>') },
        ],
      }),
    }),
  },
});

const targets = [
  { name: 'fixture', target: { resolved: { target: server, label: 'fixture' } } },
  { name: 'everything', target: { reference: { kind: 'command' as const, command, args }, asks: false } },
  { name: 'flood', target: { resolved: { target: { command: process.execPath, args: [FLOOD] }, label: 'flood' } } },
];

describe.skipIf(!found)('the page of the console', () => {
  let shown: OpenedPage;
  let opened: OpenedPage['opened'];
  let page: OpenedPage['page'];

  beforeAll(async () => {
    if (!found) return;
    shown = await openPage(found, { targets });
    ({ opened, page } = shown);
  });

  afterEach(() => {
    expect(shown.faults.splice(0)).toEqual([]);
  });

  afterAll(() => shown?.close());

  it('shows all servers as connected [con.multi]', async () => {
    for (const { name } of targets)
      await opened.waitFor('server', event => event.server.name === name && event.server.counts !== null);
    await expect.poll(() => page.locator('td .state.ok').count()).toBe(targets.length);
  });

  it('stays within its budgets of bytes [con.one-file]', async () => {
    const html = await readFile(join(shown.pageFolder, 'index.html'), 'utf8');
    const names = await readdir(join(shown.pageFolder, 'assets'));
    const sizes = new Map<string, number>();
    for (const name of names) sizes.set(name, gzipSync(await readFile(join(shown.pageFolder, 'assets', name))).length);
    const isFirst = (name: string) => html.includes(name);
    const main = names.find(name => isFirst(name) && name.endsWith('.js')) ?? '';
    const script = await readFile(join(shown.pageFolder, 'assets', main), 'utf8');
    const imported = names.filter(name => new RegExp(`(?:from|import)"\\./${name}"`).test(script));
    const sum = (all: readonly string[]) => all.reduce((total, name) => total + (sizes.get(name) ?? 0), 0);
    expect(sum([...new Set([...names.filter(isFirst), ...imported])])).toBeLessThan(60_000);
    expect(sum(names)).toBeLessThan(200_000);
  });

  it('says that the command has ended or cannot be reached, in place of a text of the browser', async () => {
    const offline = await shown.context.newPage();
    await offline.route('**/api/**', request => request.abort());
    await offline.goto(`${opened.origin}/s/fixture#token=${opened.token}`);
    await offline.locator('footer').getByText('The command has ended, or cannot be reached').waitFor();
    const text = await offline.locator('main').textContent();
    expect(text).toContain('or cannot be reached. Start it again, and open the address that it prints');
    await offline.close();
  });

  it('asks for the address of the command in a page with the token of another one', async () => {
    const former = await shown.context.newPage();
    await former.goto(`${opened.origin}/s/fixture#token=former`);
    await former.locator('main').getByText('Open the address that it printed').waitFor();
    await former.close();
  });

  it('draws its frame before its scripts are loaded, in the colors that the user chose [con.speed]', async () => {
    await page.evaluate("localStorage.setItem('tenon-theme', 'dark')");
    const early = await shown.context.newPage();
    await early.route('**/assets/**', () => {});
    await early.goto(opened.origin);
    await early.getByText('Loading the console…').waitFor();
    await expect.poll(() => early.evaluate("performance.getEntriesByName('first-contentful-paint').length")).toBe(1);
    expect(await early.evaluate('document.documentElement.style.colorScheme')).toBe('dark');
    expect(await early.evaluate("getComputedStyle(document.querySelector('.rail')).width")).toBe('44px');
    await early.close();
    await page.evaluate("localStorage.removeItem('tenon-theme')");
  });

  it('removes the token from the address, and keeps the view after a reload [con.token] [con.url]', async () => {
    await page.getByRole('link', { name: 'fixture', exact: true }).click();
    await page.getByRole('link', { name: /^greet/ }).click();
    await page.reload();
    await page.getByRole('heading', { name: 'greet' }).waitFor();
    expect(page.url()).toBe(`${opened.origin}/s/fixture/tools/greet`);
  });

  it('calls a tool of the everything server by the keyboard only [con.keys] [con.forms] [con.wire]', async () => {
    await page.goto(`${opened.origin}/s/everything`);
    await page.getByRole('link', { name: /^echo/ }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('echo');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'echo' }).waitFor();
    // The field gets the focus after the view is painted.
    await page.locator('.fields :focus').waitFor();
    await page.keyboard.type('by keys');
    await page.keyboard.press('Control+Enter');
    await page.getByText('Echo: by keys').waitFor();
    await page.getByText('→ tools/call echo').waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('w');
    await page.getByRole('option', { name: /tools\/call echo result/ }).waitFor();
  });

  it('refuses an integer that a number cannot represent, in a field and as JSON [con.forms]', async () => {
    await page.goto(`${opened.origin}/s/everything/tools/get-sum`);
    await page.getByLabel(/^a\b/).fill('9007199254740993');
    await page.getByText('9007199254740993 cannot be sent exactly').waitFor();
    await page.getByLabel(/^a\b/).fill('9007199254740991');
    await page.getByRole('tab', { name: 'JSON' }).click();
    const editor = page.getByLabel('Arguments as JSON');
    expect(JSON.parse(await editor.inputValue())).toMatchObject({ a: 9007199254740991 });
    await editor.fill('{"a":1,"b":-9007199254740993}');
    await page.getByText('-9007199254740993 cannot be sent exactly').waitFor();
  });

  it('copies a call for a shell and as JSON, by the keyboard only [con.wire] [con.keys]', async () => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.goto(`${opened.origin}/call/1`);
    await page.getByText('Echo: by keys').waitFor();
    await page.keyboard.press('y');
    await page.getByText(`tenon call echo 'message=by keys' --`).waitFor();
    await page.getByRole('button', { name: 'Copy', exact: true }).first().press('Enter');
    await page.getByText('copied', { exact: true }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toContain(`'message=by keys' -- `);
    expect(await page.getByRole('tab', { name: 'curl' }).count()).toBe(0);
    await page.getByRole('tab', { name: 'JSON' }).press('Enter');
    await page.getByText('"method": "tools/call"').waitFor();
  });

  it('makes a test of a call, and saves messages as a recording [con.record]', async () => {
    await page.goto(`${opened.origin}/call/1`);
    await page.getByText('Echo: by keys').waitFor();
    await page.keyboard.press('y');
    await page.getByRole('tab', { name: 'Vitest test' }).press('Enter');
    await page.getByText(`await client.callTool('echo', { message: 'by keys' })`).waitFor();
    const save = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save echo.test.ts' }).press('Enter');
    expect((await save).suggestedFilename()).toBe('echo.test.ts');
    await page.goto(`${opened.origin}/wire?filter=call:1`);
    await page.getByText(/^2 messages$/).waitFor();
    const recording = page.waitForEvent('download');
    await page.keyboard.press('e');
    const file = await (await recording).path();
    expect((await readFile(file, 'utf8')).match(/"method":"(?:initialize|tools\/call)"/g)).toHaveLength(2);
  });

  it('opens tools, calls, views and actions by their names with the keyboard only [con.keys]', async () => {
    await page.goto(opened.origin);
    await page.locator('td .state.ok').first().waitFor();
    const open = async (query: string, option: RegExp) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: 'Command' }).waitFor();
      await page.keyboard.type(query);
      await page.getByRole('option', { name: option, selected: true }).waitFor();
      await page.keyboard.press('Enter');
    };
    await open('every echo', /^tool everything echo/);
    await page.getByRole('heading', { name: 'echo' }).waitFor();
    await open('call 1', /^call call 1 everything echo done/);
    await page.getByText('Echo: by keys').waitFor();
    await open('wire', /^view Wire/);
    await page.getByRole('combobox', { name: 'Filter of messages' }).waitFor();
    await page.keyboard.press('Control+k');
    // The entries that were used last are the first.
    await page.getByRole('option', { name: /^view Wire/, selected: true }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.getByRole('option', { name: /^call call 1/, selected: true }).waitFor();
    await page.keyboard.press('Escape');
    await open('all keys', /^action Show all keys/);
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    await page.keyboard.press('Escape');
    expect(await page.locator('*').count()).toBeLessThan(1500);
  });

  it('answers an elicitation within the call, and shows hostile texts as text [con.ask] [con.untrusted]', async () => {
    await page.goto(`${opened.origin}/s/fixture/tools/greet`);
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    const form = page.getByRole('form', { name: 'elicitation of fixture' });
    await form.getByText('<img src=x').waitFor();
    await form.getByRole('textbox', { name: /name/ }).fill('Ann');
    await form.getByRole('button', { name: 'Send' }).click();
    await page.getByText('accept {"name":"Ann"}').waitFor();
    for (const name of ['__proto__', 'link']) {
      await page.goto(`${opened.origin}/s/fixture/tools/${name}`);
      await page.getByRole('button', { name: 'Call', exact: true }).click();
      await page.locator('.result').waitFor();
    }
    await page.getByText('javascript:alert(1)').first().waitFor();
    expect(await page.locator('img, svg[onload], a[href^="javascript"]').count()).toBe(0);
    expect(await page.title()).toBe('Tenon console');
  });

  it('shows the result of a call with 10,000 notifications in few nodes [con.speed]', async () => {
    await page.goto(`${opened.origin}/s/flood/tools/flood`);
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    await page.getByText('sent 10000').waitFor();
    await page.getByText('10,000 ×').waitFor();
    expect(await page.locator('*').count()).toBeLessThan(1500);
    await page.goto(`${opened.origin}/wire?server=flood`);
    await page.getByText(/^10,0\d\d messages$/).waitFor();
    expect(await page.getByRole('option').count()).toBeGreaterThanOrEqual(30);
    expect(await page.locator('*').count()).toBeLessThan(1500);
  });

  it('filters the messages and the calls by the keyboard only, and keeps the filter in the address [con.wire] [con.url]', async () => {
    await page.goto(`${opened.origin}/wire`);
    await page.getByText(/^10,\d\d\d messages$/).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('met');
    await page.keyboard.press('Tab');
    await page.keyboard.type('tools/c');
    await page.getByRole('option', { name: 'tools/call', exact: true }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.keyboard.type('-is:request "by keys"');
    await page.getByText(/^1 messages$/).waitFor();
    await page.keyboard.press('Escape');
    await page.reload();
    await page.getByRole('option', { name: /tools\/call echo result/ }).waitFor();
    expect(new URL(page.url()).searchParams.get('filter')).toBe('method:tools/call -is:request "by keys"');
    await page.keyboard.press('/');
    await page.keyboard.type(' took:fast');
    await page.getByText('at character 41: took: expected >500ms, <2s or 100ms..2s, got fast').waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await page.keyboard.press('c');
    await page.keyboard.press('/');
    await page.keyboard.type('server:everything "by keys"');
    await page.getByText(/^1 call$/).waitFor();
  });

  it('opens a dropped recording, moves along its time by the keyboard, and replays a call [con.record] [con.keys]', async () => {
    await page.goto(`${opened.origin}/wire?filter=call:1`);
    await page.getByText(/^2 messages$/).waitFor();
    const download = page.waitForEvent('download');
    await page.keyboard.press('e');
    const text = await readFile(await (await download).path(), 'utf8');
    const data = await page.evaluateHandle(
      `(() => { const data = new DataTransfer(); data.items.add(new File([${JSON.stringify(text)}], 'bug.ndjson')); return data; })()`,
    );
    await page.dispatchEvent('body', 'drop', { dataTransfer: data });
    await page.getByRole('heading', { name: 'recordings / bug.ndjson' }).waitFor();
    const count = text.trim().split('\n').length - 2;
    await page.getByText(`${count} messages`, { exact: true }).waitFor();
    for (let index = 0; index < count; index += 1) await page.keyboard.press('ArrowRight');
    await page.getByText(new RegExp(`^${count} of ${count}, `)).waitFor();
    await page.getByText('Echo: by keys').first().waitFor();
    await page.getByText('→ tools/call echo').last().waitFor();
    expect(new URL(page.url()).searchParams.get('at')).toBe(String(count));
    await page.getByRole('slider', { name: 'Time' }).press('Home');
    await page.getByText(new RegExp(`^1 of ${count}, `)).waitFor();
    await page.getByRole('slider', { name: 'Time' }).press('End');
    await page.reload();
    await page.getByText(new RegExp(`^${count} of ${count}, `)).waitFor();
    await page.getByRole('combobox', { name: 'Server for the replay' }).selectOption('everything');
    await page.getByRole('button', { name: 'Replay' }).press('Enter');
    await page.getByRole('button', { name: 'Repeat' }).waitFor();
    await page.getByText('Echo: by keys').waitFor();
    await page.keyboard.press('o');
    await page.getByRole('link', { name: 'bug.ndjson' }).waitFor();
  });

  it('says that a recorded call has requested input or got no response, and asks below the buttons of its replay', async () => {
    const line = (seconds: number, dir: string, message: object) =>
      JSON.stringify({
        ...message,
        jsonrpc: '2.0',
        _meta: { dir, server: 'everything', session: 1, ts: `2026-11-30T00:00:0${seconds}.000Z` },
      });
    const call = (id: number) => ({ id, method: 'tools/call', params: { name: 'unlisted', arguments: {} } });
    const result = { resultType: 'input_required', inputRequests: {}, requestState: 'x' };
    const text = [line(1, 'send', call(1)), line(2, 'recv', { id: 1, result }), line(3, 'send', call(2))].join('\n');
    await opened.send('POST', 'recordings/open', { name: 'open.ndjson', text });
    await page.goto(`${opened.origin}/recordings/open.ndjson?at=1`);
    const head = page.locator('.call-head');
    await head.getByText('input required').waitFor();
    await head.getByRole('button', { name: 'Replay' }).click();
    const form = head.getByRole('form', { name: /^approval/ });
    const [asked, trace] = [await form.boundingBox(), await head.getByRole('link', { name: 'trace' }).boundingBox()];
    expect(asked && trace && asked.y >= trace.y + trace.height).toBe(true);
    await form.getByRole('button', { name: 'Refuse' }).click();
    await page.getByText('the call of unlisted is not approved').waitFor();
    await page.goto(`${opened.origin}/recordings/open.ndjson?at=3`);
    await head.getByText('no response').waitFor();
    // Chromium reports the response to the refused replay.
    expect(shown.faults.splice(0)).toEqual([expect.stringContaining('400')]);
  });

  it('cannot be framed by another page [con.csp]', async () => {
    const other = await (await shown.browser.newContext()).newPage();
    await other.setContent(`<iframe src="${opened.origin}/"></iframe>`);
    await expect.poll(() => other.frames()[1]?.url()).toMatch(/^chrome-error:|^about:blank/);
    await other.close();
  });
});
