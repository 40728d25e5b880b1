/** The view of a gateway in Chromium, for an operator and read-only. Skipped, with the reason, without a browser. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createTestGateway, type TestGateway } from '../../packages/cli/src/console/fixtures/test-gateway.js';
import { ensureBrowser, skipMessage } from '../../scripts/browser.mjs';
import { collectFaults, type OpenedPage, openPage } from './open-page.js';

const { browser: found, errors } = await ensureBrowser();
if (!found) console.log(skipMessage(errors));
const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

describe.skipIf(!found)('the view of a gateway', () => {
  let gateway: TestGateway;
  let shown: OpenedPage;
  beforeAll(async () => {
    if (!found) return;
    gateway = await createTestGateway();
    shown = await openPage(found, gateway.console);
    for (const name of ['notes__add', 'notes__lose']) await gateway.host.callTool(name, {});
  });
  afterEach(() => {
    expect(shown.faults.splice(0)).toEqual([]);
  });
  afterAll(async () => {
    await shown?.close();
    await gateway?.host.close();
  });

  it('shows state, version, calls, errors, latency and tokens of each server [con.latency] [con.budget]', async () => {
    const { page, show } = shown;
    await show('/');
    await page.keyboard.press('g');
    const row = page.getByRole('row', { name: /^notes/ });
    await row.waitFor();
    expect(new URL(page.url()).pathname).toBe('/gateway');
    await expect
      .poll(() => row.textContent())
      .toMatch(/notes 1\.2\.0.*connected.*2026-07-2821[\d.]+ m?s[\d.]+ m?s[\d.]+ m?s2\d+disable/);
    await page.getByText('unknown setting "comand"').waitFor();
    expect(await page.getByRole('row', { name: /^typo/ }).getByRole('button', { name: 'restart' }).count()).toBe(0);
  });

  it('shows the tokens of each tool, the most first, at an address of its own [con.budget]', async () => {
    const { page } = shown;
    await page.getByRole('button', { name: '2 tools of notes' }).click();
    const tools = page.locator('ul.found li');
    await tools.first().waitFor();
    expect(await tools.allTextContents()).toEqual([
      expect.stringMatching(/^\d+ tokensnotes__lose1 call, 1 error, p50 [\d.]+ m?s, p95 [\d.]+ m?s, p99 [\d.]+ m?s/),
      expect.stringMatching(/^\d+ tokensnotes__add1 call, p50/),
    ]);
    await page.reload();
    await tools.first().waitFor();
  });

  it('shows the result of the tool search for a text [con.budget]', async () => {
    const { page } = shown;
    await page.getByRole('textbox', { name: 'Text to search' }).fill('browser');
    await page.keyboard.press('Enter');
    await page.getByText(/1 tool found by search_tools/).waitFor();
    expect(await page.locator('ol.found li').allTextContents()).toEqual([
      expect.stringMatching(/^\d+ tokenspages__open/),
    ]);
  });

  it('disables and enables a server, and restarts and reconnects it, after a question if calls would fail', async () => {
    const { page } = shown;
    const row = page.getByRole('row', { name: /^pages/ });
    await page.getByRole('button', { name: 'disable pages' }).click();
    const question = page.getByRole('alertdialog', { name: 'disable pages?' });
    await question.getByText('No call is running.').waitFor();
    await page.keyboard.press('Escape');
    await question.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'disable pages' }).click();
    await question.getByRole('button', { name: 'Keep' }).click();
    expect(gateway.changes).toEqual([]);
    await page.getByRole('button', { name: 'disable pages' }).click();
    await page.keyboard.press('Enter');
    await row.getByText('disabled').waitFor();
    await page.getByRole('button', { name: 'enable pages' }).click();
    await page.getByRole('button', { name: 'restart pages' }).click();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'reconnect pages' }).click();
    await expect.poll(() => gateway.changes.at(-1)).toBe('reconnect pages');
    await row.getByText('connected').waitFor();
    expect(gateway.changes).toEqual(['disable pages', 'enable pages', 'restart pages', 'reconnect pages']);
  });

  it('shows waiting calls of all callers, and allows, remembers, revokes and denies them [con.approvals]', async () => {
    const { page } = shown;
    const erase = (name: string) => gateway.host.callTool('archive__erase', { page: name });
    const first = erase('a');
    await page.locator('nav .count').getByText('1').waitFor();
    await page.locator('body').press('a');
    const form = page.getByRole('form', { name: 'tool erase of archive' });
    await form.getByText('erasing cannot be undone').waitFor();
    await form.getByText('may destroy data').waitFor();
    await form.getByText('a caller without sign-in').waitFor();
    await form.getByRole('combobox', { name: 'Calls to allow' }).selectOption('exact');
    await form.getByRole('button', { name: 'Allow' }).click();
    expect(JSON.stringify(await first)).toContain('erased');
    const remembered = page.getByRole('region', { name: 'Remembered approvals' });
    await remembered.getByRole('row', { name: /^erase of archive/ }).waitFor();
    const second = erase('b');
    await form.getByText('approved the same arguments').waitFor();
    await form.getByRole('button', { name: 'Deny' }).click();
    expect(await second).toMatchObject({ isError: true });
    await form.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Revoke the approval of erase' }).click();
    await remembered.waitFor({ state: 'detached' });
  });

  it('shows waiting calls without buttons if the page is read-only [con.approvals]', async () => {
    const { browser, opened } = shown;
    const call = gateway.host.callTool('archive__erase', { page: 'c' });
    const context = await browser.newContext();
    const page = await context.newPage();
    const faults = collectFaults(page, opened.origin);
    await page.goto(`${opened.origin}/approvals#token=${opened.readOnlyToken}`);
    await page.getByRole('form', { name: 'tool erase of archive' }).waitFor();
    expect(await page.getByRole('main').getByRole('button').count()).toBe(0);
    expect(faults).toEqual([]);
    await context.close();
    const [pending] = await gateway.host.approvals.listPending();
    await gateway.host.approvals.answer(pending?.id ?? '', 'deny');
    await call;
  });

  it('has no buttons for changes, calls and answers in any view if the page is read-only', async () => {
    const { browser, opened } = shown;
    const context = await browser.newContext();
    const page = await context.newPage();
    const faults = collectFaults(page, opened.origin);
    await page.goto(`${opened.origin}/gateway#token=${opened.readOnlyToken}`);
    await page.getByRole('row', { name: /^notes/ }).waitFor();
    await page.locator('footer').getByText('read-only').waitFor();
    expect(await page.getByRole('button', { name: /disable|restart|reconnect/ }).count()).toBe(0);
    const { id } = await opened.call('POST', 'calls', {
      server: 'notes',
      method: 'tools/call',
      params: { name: 'notes__add', arguments: {} },
    });
    await opened.waitFor('call', event => event.call.id === id && event.call.took !== null);
    const views = [
      `/`,
      `/s/notes`,
      `/s/notes/tools/notes__add`,
      `/call/${id}`,
      `/compare?call=${id}`,
      '/input-requests',
      '/recordings',
    ];
    for (const view of views) {
      await page.goto(opened.origin + view);
      await page.locator('footer').getByText('read-only').waitFor();
      await page.locator('main h1').first().waitFor({ state: 'attached' });
      const buttons = await page.locator('main').getByRole('button').allTextContents();
      const changing =
        /^(?:Call|Compare versions|Repeat|Cancel|Connect|Reconnect|Remove|Send|Decline|Allow|Examine|All \d|20\d\d)/;
      expect([view, buttons.filter(text => changing.test(text))]).toEqual([view, []]);
    }
    await page.goto(`${opened.origin}/s/notes/tools/notes__add`);
    await page.getByRole('heading', { name: 'notes__add' }).waitFor();
    await page.keyboard.press('Control+Enter');
    await page.keyboard.press('r');
    expect(faults).toEqual([]);
    await context.close();
  });

  it('has no finding of axe at two sizes in both themes', async () => {
    const { page, show } = shown;
    const source = await readFile(AXE, 'utf8');
    const findings: string[] = [];
    const call = gateway.host.callTool('archive__erase', { page: 'd' });
    const check = async (width: number, colorScheme: string) => {
      await page.evaluate(source);
      const { violations } = await page.evaluate(() => Reflect.get(globalThis, 'axe').run());
      for (const { id, nodes } of violations)
        for (const { html } of nodes) findings.push(`${width} ${colorScheme} ${id}: ${html.slice(0, 160)}`);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
    };
    for (const width of [1440, 390])
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.setViewportSize({ width, height: 844 });
        await page.emulateMedia({ colorScheme });
        await show('/gateway?server=notes&q=note');
        await page.locator('ol.found li').first().waitFor();
        await page.locator('ul.found li').first().waitFor();
        await check(width, colorScheme);
        await show('/approvals');
        await page.getByRole('form', { name: 'tool erase of archive' }).waitFor();
        await check(width, colorScheme);
      }
    const [pending] = await gateway.host.approvals.listPending();
    await gateway.host.approvals.answer(pending?.id ?? '', 'deny');
    await call;
    expect(findings).toEqual([]);
  });
});
