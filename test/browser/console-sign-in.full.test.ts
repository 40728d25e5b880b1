/** The ladder of a sign-in in Chromium. Skipped, with the reason, without a browser. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startProtectedServer } from '../../packages/cli/src/console/fixtures/protected-server.js';
import { ensureBrowser, skipMessage } from '../../scripts/browser.mjs';
import { collectFaults, type OpenedPage, openPage } from './open-page.js';

const { browser: found, errors } = await ensureBrowser();
if (!found) console.log(skipMessage(errors));
const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
/** Folder for pictures that a person looks at. */
const { TENON_PICTURES: pictures } = process.env;

describe.skipIf(!found)('the view of a sign-in', () => {
  let shown: OpenedPage;
  const closing: (() => Promise<void>)[] = [];
  const startServer = async (...options: Parameters<typeof startProtectedServer>) => {
    const server = await startProtectedServer(...options);
    closing.push(server.close);
    return server;
  };
  beforeAll(async () => {
    if (found) shown = await openPage(found, {});
  });
  afterEach(() => {
    expect(shown.faults.splice(0)).toEqual([]);
  });
  afterAll(async () => {
    await shown?.close();
    for (const close of closing) await close();
  });

  it('leads by keyboard alone to the diagnosis of a wrong resource, with its standard and its fix', async () => {
    const { page, show } = shown;
    const { url } = await startServer({ resource: 'https://other.example/<b>mcp</b>' });
    await show('/');
    await page.keyboard.press('s');
    await page.getByRole('heading', { name: 'Sign-in', exact: true }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type(url);
    await page.keyboard.press('Enter');
    const phase = page.getByRole('listitem', { name: 'Metadata of the resource', exact: true });
    await phase.getByText('the metadata describes another resource').first().waitFor();
    await phase.getByText('Fix:').waitFor();
    expect(await phase.getByRole('listitem').filter({ hasText: 'not met' }).textContent()).toContain('RFC 9728 § 3.3');
    // Markup of a server is text.
    expect(await phase.locator('b').allTextContents()).toEqual(['Fix:']);
    await page.reload();
    await phase.getByText('the metadata describes another resource').first().waitFor();
  });

  it('sends one request at a time, opens the page to sign in, and renews the token', async () => {
    const { page, show, context, opened } = shown;
    const server = await startServer();
    await show('/sign-in');
    await page.getByRole('textbox', { name: 'URL of an MCP server' }).fill(server.url);
    await page.getByRole('button', { name: 'Step by step' }).click();
    await page.getByRole('status').getByText('the next request waits for you').waitFor();
    expect(server.requests).toEqual([]);
    await page.locator('body').press('n');
    await expect.poll(() => server.requests).toEqual(['POST /mcp']);
    await page.getByRole('button', { name: 'Send all' }).click();
    const link = page.getByRole('link', { name: /^Open the page of 127/ });
    await link.waitFor();
    const opening = context.waitForEvent('page');
    await link.click();
    await (await opening).close();
    await page.getByText(`token for ${server.url}`).waitFor();
    await page.getByRole('button', { name: 'Renew the token' }).click();
    const renewal = page.getByRole('listitem', { name: 'Renewal', exact: true });
    await expect.poll(() => renewal.locator('details').count()).toBe(2);
    await renewal.locator('summary').first().click();
    await renewal.getByText('grant_type = refresh_token').waitFor();
    expect(await page.locator('body').textContent()).not.toContain('the-refresh-token');
    expect(opened.events.filter(({ type }) => type === 'sign-in').length).toBeGreaterThan(0);
  });

  it('shows no controls to a page that is read-only', async () => {
    const { browser, opened } = shown;
    const context = await browser.newContext();
    const page = await context.newPage();
    const faults = collectFaults(page, opened.origin);
    await page.goto(`${opened.origin}/sign-in#token=${opened.readOnlyToken}`);
    await page.locator('footer').getByText('read-only').waitFor();
    await page.getByRole('listitem', { name: 'Code for token', exact: true }).waitFor();
    expect(await page.locator('main').getByRole('button').count()).toBe(0);
    expect(await page.locator('main').getByRole('textbox').count()).toBe(0);
    expect(faults).toEqual([]);
    await context.close();
  });

  it('has no finding of axe at two sizes in both themes', async () => {
    const { page, show } = shown;
    const source = await readFile(AXE, 'utf8');
    const findings: string[] = [];
    for (const width of [1440, 390])
      for (const colorScheme of ['light', 'dark'] as const)
        for (const id of [1, 2]) {
          await page.setViewportSize({ width, height: 900 });
          await page.emulateMedia({ colorScheme });
          await show(`/sign-in?id=${id}`);
          await page.getByRole('listitem', { name: 'Metadata of the resource', exact: true }).waitFor();
          if (pictures) await page.screenshot({ path: `${pictures}/sign-in-${id}-${width}-${colorScheme}.png` });
          await page.evaluate(source);
          const { violations } = await page.evaluate(() => Reflect.get(globalThis, 'axe').run());
          for (const { id: rule, nodes } of violations)
            for (const { html } of nodes) findings.push(`${width} ${colorScheme} ${rule}: ${html.slice(0, 160)}`);
          expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
        }
    expect(findings).toEqual([]);
  });
});
