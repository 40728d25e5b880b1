/**
 * Takes the pictures of docs/hosts/operate.md, and that of an app, from consoles in this process, in Chromium. `npm run docs:screenshots` runs it.
 */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { type BrowserContext, chromium, type Page } from 'playwright-core';
import { connect } from 'tenon';
import { serveHttp } from 'tenon/node';
import { server as salesServer } from '../examples/apps/server.js';
import { createLockedGateway } from '../packages/cli/src/console/fixtures/locked-gateway.js';
import { createPolicyGateway } from '../packages/cli/src/console/fixtures/policy-gateway.js';
import { progressServer } from '../packages/cli/src/console/fixtures/progress-server.js';
import { startProtectedServer } from '../packages/cli/src/console/fixtures/protected-server.js';
import { createTestGateway } from '../packages/cli/src/console/fixtures/test-gateway.js';
import { createTracedGateway } from '../packages/cli/src/console/fixtures/traced-gateway.js';
import { type ConsoleOptions, openConsole } from '../packages/cli/src/console/open-console.js';
import { exitCodes } from '../packages/cli/src/exit-codes.js';
import { createScreen } from '../packages/cli/src/screen.js';
import { createTerminal } from '../packages/cli/src/terminal.js';
import { ensureBrowser } from './browser.mjs';
import { buildConsole } from './build-console.mjs';

const SIZE = { width: 1200, height: 640 };
const QUALITY = 82;
const RULES = `{
  "rules": [
    { "deny": "notes/*", "arguments": { "title": "secret*" }, "because": "titles are public" },
    { "allow": "notes/*" }
  ]
}
`;

const { browser: found, errors } = await ensureBrowser();
if (!found) throw new Error(errors.join(' '));
// The pictures show this path.
const folder = join(tmpdir(), 'gateway');
await mkdir(folder);
const pageFolder = join(folder, 'page');
await mkdir(pageFolder);
await buildConsole(pageFolder);
const browser = await chromium.launch({ ...found, args: ['--no-sandbox'] });
const closing: (() => Promise<unknown>)[] = [];
try {
  await takeLockPictures();
  await takePolicyPictures();
  await takeApprovalPicture();
  await takeSignInPicture();
  await takeFaultPictures();
  await takeAppPicture();
  await takeTracePicture();
} finally {
  await browser.close();
  for (const close of closing.reverse()) await close();
  await rm(folder, { recursive: true });
}

/** Opens the page of a console. */
async function open(
  options: Partial<ConsoleOptions>,
): Promise<{ readonly page: Page; show(path: string): Promise<void> }> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  for (const stream of [stdout, stderr]) stream.resume();
  const screen = createScreen(stdout, stderr);
  const terminal = createTerminal(new PassThrough(), new PassThrough(), screen);
  const context = { screen, terminal, env: { TENON_HOME: folder }, cwd: folder, code: exitCodes.success };
  const opened = await openConsole(context, { port: 0, targets: [], pageFolder, ...options });
  closing.push(() => opened.close());
  const shown: BrowserContext = await browser.newContext({
    viewport: SIZE,
    colorScheme: 'light',
    reducedMotion: 'reduce',
  });
  const page = await shown.newPage();
  await page.goto(opened.url);
  await page.locator('footer .state.ok').waitFor();
  const { origin } = new URL(opened.url);
  return {
    page,
    async show(path) {
      await page.goto(origin + path);
      await page.locator('footer .state.ok').waitFor();
    },
  };
}

/** Saves a picture as WebP, which needs a third of the bytes of PNG. */
async function take(page: Page, name: string): Promise<void> {
  await page.mouse.move(0, 0);
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: QUALITY });
  const path = fileURLToPath(new URL(`../docs/public/${name}.webp`, import.meta.url));
  await writeFile(path, Buffer.from(data, 'base64'));
  console.log(path, Math.round(data.length * 0.75));
}

async function takeLockPictures(): Promise<void> {
  const gateway = await createLockedGateway(join(folder, 'mcp.lock'));
  closing.push(() => gateway.host.close());
  const { page, show } = await open(gateway.console);
  await show('/gateway/lock');
  await page.getByRole('region', { name: 'shop › tool price › description' }).waitFor();
  await take(page, 'operate-lock');
}

async function takePolicyPictures(): Promise<void> {
  const [file, audit] = [join(folder, 'policy.json'), join(folder, 'audit.jsonl')];
  await writeFile(file, RULES);
  const gateway = await createPolicyGateway(file, audit);
  closing.push(() => gateway.host.close());
  const { page, show } = await open(gateway.console);
  for (const title of ['secret plan', 'shopping', 'secretary', 'shopping', 'the week'])
    await gateway.host.callTool('notes__add', { title });
  await show('/gateway/policy');
  const decisions = page.getByRole('region', { name: 'Decisions' });
  await decisions.locator('button', { hasText: 'notes/add' }).nth(2).click();
  await decisions.getByText('→ denied by rule 1').waitFor();
  const rules = page.getByRole('textbox', { name: 'Rules of the policy' });
  await rules.fill((await readFile(file, 'utf8')).replace('"secret*"', '{ "in": ["secret", "secret plan"] }'));
  await page.getByRole('button', { name: 'Try' }).click();
  await page.getByText('1 decision changes').waitFor();
  await take(page, 'operate-policy');
  await show('/gateway/audit');
  await page.locator('tbody tr').first().waitFor();
  await page.getByRole('button', { name: 'Verify' }).click();
  await page.getByText(/valid/).first().waitFor();
  await page.locator('tbody tr').nth(4).getByRole('button').first().click();
  await take(page, 'operate-audit');
}

async function takeApprovalPicture(): Promise<void> {
  const gateway = await createTestGateway();
  closing.push(() => gateway.host.close());
  const { page, show } = await open(gateway.console);
  const { host } = gateway;
  for (let count = 0; count < 4; count += 1) await host.callTool('notes__add', { title: 'shopping' });
  await host.callTool('notes__lose', {});
  await show('/gateway');
  await page.getByRole('button', { name: /tools of notes/ }).click();
  await page.locator('ul.found li').first().waitFor();
  await take(page, 'operate-gateway');
  const call = host.callTool('archive__erase', { path: '/notes/2025', token: 'ghp_abcdefghijklmnop1234' });
  await show('/approvals');
  await page
    .getByRole('button', { name: /^Allow/ })
    .first()
    .waitFor();
  await take(page, 'operate-approvals');
  for (const { id } of await host.approvals.listPending()) await host.approvals.answer(id, 'deny');
  await call.catch(() => {});
}

async function takeSignInPicture(): Promise<void> {
  const server = await startProtectedServer({ resource: 'https://notes.example/mcp' });
  closing.push(() => server.close());
  const { page, show } = await open({});
  await show('/sign-in');
  await page.getByRole('textbox', { name: 'URL of an MCP server' }).fill(server.url);
  await page.keyboard.press('Enter');
  const phase = page.getByRole('listitem', { name: 'Metadata of the resource', exact: true });
  await phase.getByText('Fix:').waitFor();
  await phase.scrollIntoViewIfNeeded();
  await take(page, 'operate-sign-in');
}

async function takeTracePicture(): Promise<void> {
  const gateway = await createTracedGateway();
  closing.push(() => gateway.host.close());
  const { page, show } = await open(gateway.console);
  const answer = async () => {
    await page.waitForTimeout(300);
    return { action: 'accept' as const, content: {} };
  };
  const client = await connect(gateway.host.toServer(), { elicit: answer });
  await client.callTool('booking__book', {});
  await client.close();
  await show('/wire?filter=name:booking__book');
  await page
    .getByRole('option', { name: /booking__book/ })
    .first()
    .click();
  await page.getByRole('link', { name: 'trace', exact: true }).click();
  await page.getByRole('option').filter({ hasText: 'input_required' }).last().click();
  await page.getByRole('complementary', { name: 'Bar' }).waitFor();
  await take(page, 'operate-trace');
}

async function takeFaultPictures(): Promise<void> {
  const served = await serveHttp(progressServer, { port: 0 });
  closing.push(() => served.close());
  const targets = [{ name: 'notes', target: { resolved: { target: { url: served.url }, label: served.url } } }];
  const { page, show } = await open({ targets, connection: { protocolVersion: '2025-11-25' } });
  await page.getByRole('link', { name: 'say' }).first().waitFor();
  await show('/s/notes/tools/say');
  await page.getByRole('button', { name: 'Break', exact: true }).click();
  await page.getByRole('combobox', { name: /^fault/ }).selectOption('cut');
  await page.getByRole('button', { name: 'Break the next call' }).click();
  await page.getByText('planned:').waitFor();
  await page.getByRole('button', { name: 'Call', exact: true }).click();
  await page.locator('.result').getByText('said').waitFor();
  await take(page, 'operate-faults');
  await show('/call/1');
  await page.getByRole('button', { name: /^Copy as/ }).click();
  await page.getByRole('tab', { name: 'Vitest test' }).click();
  await page.getByText('? cut : undefined').waitFor();
  await page.locator('section.copy').scrollIntoViewIfNeeded();
  await take(page, 'operate-test');
}

/** Shows the app of the example for a call, at the width of a phone. */
async function takeAppPicture(): Promise<void> {
  const { page, show } = await open({
    targets: [{ name: 'sales', target: { resolved: { target: salesServer, label: 'sales' } } }],
  });
  await page.getByRole('link', { name: 'showSales' }).first().waitFor();
  await show('/s/sales/tools/showSales');
  await page.getByLabel(/year/).fill('2026');
  await page.getByRole('button', { name: 'Call', exact: true }).click();
  await page.getByRole('link', { name: 'Open app' }).click();
  await page.getByRole('button', { name: '390', exact: true }).click();
  await page.getByText(/^shown/).waitFor();
  await page.frameLocator('.app-frame iframe').frameLocator('iframe').locator('rect').nth(5).waitFor();
  await take(page, 'console-app');
}
