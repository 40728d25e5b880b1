/** The ladder of a sign-in in Chromium. Skipped, with the reason, without a browser. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { memoryTokenStore, type TokenStore } from 'tenon/auth';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startProtectedServer } from '../../packages/cli/src/console/fixtures/protected-server.js';
import { createTestGateway, type TestGateway } from '../../packages/cli/src/console/fixtures/test-gateway.js';
import { CallerSignIns } from '../../packages/cli/src/console/sign-in/caller-sign-ins.js';
import { ensureBrowser, skipMessage } from '../../scripts/browser.mjs';
import { findAxeFindings } from './axe.js';
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

  it('leads by keyboard alone to the diagnosis of a wrong resource, with its standard and its fix [con.oauth]', async () => {
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

  it('names the part with the problem above all parts if the server refuses the issued token', async () => {
    const { page, show, context } = shown;
    const { url } = await startServer({ audience: 'https://other.example/mcp' });
    await show('/sign-in');
    await page.getByRole('textbox', { name: 'URL of an MCP server' }).fill(url);
    await page.keyboard.press('Enter');
    const opening = context.waitForEvent('page');
    await page.getByRole('link', { name: /^Open the page of 127/ }).click();
    await (await opening).close();
    await page.getByRole('status').getByText('done, with a problem').waitFor();
    await page.getByRole('button', { name: 'problem in part 7' }).click();
    const phase = page.getByRole('listitem', { name: 'The request again, with the token', exact: true });
    await phase.getByText('the server refuses the token that was issued for it').waitFor();
    const head = phase.getByRole('heading');
    await expect.poll(async () => (await head.boundingBox())?.y ?? 900).toBeLessThan(700);
  });

  it('sends one request at a time, opens the page to sign in, and renews the token [con.oauth]', async () => {
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
        for (const id of [1, 2, 3]) {
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

const addSignIn = async (tokenStore: TokenStore, principal: string, server: string, issuer: string) => {
  const owner = JSON.stringify([principal, 'agent', 'https://login.example']);
  const user = JSON.stringify([owner, server]);
  const url = `https://${server}.example/mcp`;
  const set = (key: readonly string[], next: object) =>
    tokenStore.update(['user', user, ...key], async () => ({ next: { ...next }, result: undefined }));
  await set(['server', url, 'console-client'], { issuer, resource: url });
  await set(['tokens', url, issuer, url, 'console-client'], { access: 'a', type: 'bearer', asked: [] });
};

describe.skipIf(!found)('the sign-ins of the callers of a gateway', () => {
  const signedOut: unknown[] = [];
  let gateway: TestGateway;
  let shown: OpenedPage;
  let issuer: Awaited<ReturnType<typeof startProtectedServer>>;

  beforeAll(async () => {
    if (!found) return;
    const tokenStore = memoryTokenStore();
    issuer = await startProtectedServer();
    await addSignIn(tokenStore, 'ann@example.com', 'notes', issuer.origin);
    await addSignIn(tokenStore, '<b>bob</b>', 'pages', issuer.origin);
    await addSignIn(tokenStore, 'carl@example.com', 'archive', 'https://gone.invalid');
    gateway = await createTestGateway(
      undefined,
      new CallerSignIns(tokenStore, { signOut: async (...given) => void signedOut.push(given) }),
    );
    shown = await openPage(found, gateway.console);
  });
  afterEach(() => {
    expect(shown.faults.splice(0).filter(fault => !/status of (?:4|5)\d\d/.test(fault))).toEqual([]);
  });
  afterAll(async () => {
    await shown?.close();
    await gateway?.host.close();
    await issuer?.close();
  });

  const openList = async () => {
    await shown.show('/sign-in');
    const list = shown.page.getByRole('region', { name: 'Sign-ins of callers' });
    await list.getByRole('row').nth(1).waitFor();
    return list;
  };

  it('has no finding of axe at two sizes in both themes, and is not wider than the page', async () => {
    const { page } = shown;
    const findings = await findAxeFindings(page, async () => {
      const list = await openList();
      await list.getByRole('button', { name: /^Revoke the sign-in of ann/ }).click();
      expect((await list.getByRole('row').nth(2).boundingBox())?.height).toBeLessThan(160);
      if (!pictures) return;
      const { width = 0 } = page.viewportSize() ?? {};
      const isDark = await page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches");
      await page.screenshot({ path: `${pictures}/callers-${width}-${isDark ? 'dark' : 'light'}.png` });
    });
    expect(findings).toEqual([]);
    await page.setViewportSize({ width: 1440, height: 900 });
  });

  it('names caller, server and client, and revokes a sign-in after a question only [con.oauth]', async () => {
    const { page } = shown;
    const list = await openList();
    // Markup of a name is text.
    expect(await list.locator('b').count()).toBe(0);
    const row = list.getByRole('row').filter({ hasText: 'ann@example.com, by agent' });
    await row.getByText('console-client').waitFor();
    await row.getByRole('button', { name: /^Revoke/ }).press('Enter');
    const question = page.getByRole('alertdialog', { name: /^Revoke the sign-in of ann.* at notes\?$/ });
    await question.press('Escape');
    await question.waitFor({ state: 'detached' });
    expect(signedOut).toEqual([]);
    await row.getByRole('button', { name: /^Revoke/ }).press('Enter');
    await question.getByRole('button', { name: 'Revoke' }).press('Enter');
    await row.waitFor({ state: 'detached' });
    expect(signedOut).toEqual([
      ['notes', { principal: 'ann@example.com', clientId: 'agent', issuer: 'https://login.example' }],
    ]);
    expect(await list.getByRole('row').count()).toBe(3);
  });

  it('removes a sign-in also if its authorization server cannot be reached, and shows the error', async () => {
    const { page } = shown;
    const list = await openList();
    const row = list.getByRole('row').filter({ hasText: 'carl@example.com' });
    await row.getByRole('button', { name: /^Revoke/ }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke' }).click();
    await row.waitFor({ state: 'detached' });
    await list
      .getByText(/not revoked|gone\.invalid/)
      .first()
      .waitFor();
  });
});

describe.skipIf(!found)('a gateway at whose servers callers do not sign in', () => {
  it('says so in place of an error', async () => {
    if (!found) return;
    const gateway = await createTestGateway();
    const shown = await openPage(found, gateway.console);
    await shown.show('/sign-in');
    await shown.page.getByText('Callers do not sign in at the servers of this gateway.').waitFor();
    expect(shown.faults).toEqual([]);
    await shown.close();
    await gateway.host.close();
  });
});
