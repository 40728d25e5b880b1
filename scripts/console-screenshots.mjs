// @ts-check
/** Takes the pictures of the console in docs/public, with the built command and the example `notes`: `npm run docs:screenshots`. */
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { chromium } from 'playwright-core';
import { ensureBrowser } from './browser.mjs';
import { root } from './process.mjs';

const { browser: found, errors } = await ensureBrowser();
if (found === undefined) throw new Error(errors.join(' '));
/** @type {import('node:child_process').ChildProcess[]} */
const started = [];
const notes = await startProgram(['--import', 'tsx', 'examples/notes/http.ts', '--port', '0'], /(http:\S+\/mcp)/);
const folder = await mkdtemp(join(tmpdir(), 'tenon-pictures-'));
const config = join(folder, 'mcp.json');
await writeFile(config, JSON.stringify({ mcpServers: { notes: { url: notes } } }));
const address = await startProgram(
  [join(root, 'packages/cli/dist/tenon.mjs'), 'console', '--json', '--config', config],
  /"url":"([^"]+)"/,
);
const browser = await chromium.launch({ ...found, args: ['--no-sandbox'] });
try {
  const page = await browser.newPage({
    viewport: { width: 1440, height: 720 },
    colorScheme: 'light',
    reducedMotion: 'reduce',
  });
  await page.goto(address);
  await page.getByRole('link', { name: 'notes', exact: true }).first().click();
  // The configuration of a project needs an approval.
  const allow = page.getByRole('button', { name: 'Allow' });
  const tool = page.getByRole('link', { name: /^write/ });
  await allow.or(tool).first().waitFor();
  if (await allow.isVisible()) await allow.click();
  await tool.click();
  for (const body of ['Hide glue can be undone with steam.', 'Hide glue lets go when it is steamed.']) {
    await page.getByRole('textbox', { name: /title/ }).fill('Glue');
    await page.getByRole('textbox', { name: /body/ }).fill(body);
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    await page.locator('.result, .input-form').first().waitFor();
  }
  await answerAll(page, 1);
  await page.locator('.result').waitFor();
  await page.screenshot({ path: join(root, 'docs/public/console-call.png') });
  // A picture that is as wide as a README shows it.
  await page.setViewportSize({ width: 1100, height: 664 });
  await page.getByRole('textbox', { name: /body/ }).fill('Hide glue is undone with steam.');
  await page.getByRole('button', { name: 'Compare versions' }).click();
  await page.getByRole('button', { name: 'Allow' }).or(page.locator('.input-form').nth(1)).waitFor();
  await answerAll(page, 2);
  await page.getByText('Same result').waitFor();
  await page.mouse.move(0, 0);
  await page.screenshot({ path: join(root, 'docs/public/console-compare.png') });
  await takeGatewayPicture(page);
} finally {
  await browser.close();
  for (const each of started) each.kill('SIGINT');
  await rm(folder, { recursive: true });
}

/**
 * Shows the view of a gateway, with the tools of a server and a search.
 * @param {import('playwright-core').Page} page
 */
async function takeGatewayPicture(page) {
  const files = join(root, 'packages/cli/dist/tenon.mjs');
  const gateway = [files, 'gateway', config, '--trust', '--json', '--port', '0', '--console', '--no-control'];
  await page.goto(await startProgram(gateway, /"url":"(http:[^"]+#token=[^"]+)","readOnlyUrl"/));
  // Before the first event, the page does not know that it belongs to a gateway.
  await page.locator('footer .state.ok').waitFor();
  await page.keyboard.press('g');
  await page.getByRole('button', { name: /tools of notes/ }).click();
  await page.locator('ul.found li').first().waitFor();
  await page.getByRole('textbox', { name: 'Text to search' }).fill('change a note');
  await page.keyboard.press('Enter');
  await page.locator('ol.found li').first().waitFor();
  await page.mouse.move(0, 0);
  await page.screenshot({ path: join(root, 'docs/public/console-gateway.png') });
}

/**
 * Allows the replacement of a note in so many calls.
 * @param {import('playwright-core').Page} page @param {number} count
 */
async function answerAll(page, count) {
  const boxes = page.locator('.input-form input[type=checkbox]');
  await boxes.nth(count - 1).waitFor();
  for (let left = count; left > 0; left -= 1) {
    await boxes.first().check();
    await page.getByRole('button', { name: 'Send' }).first().click();
    await boxes.nth(left - 1).waitFor({ state: 'detached' });
  }
}

/**
 * Starts a program, and returns the address that it prints.
 * @param {readonly string[]} args @param {RegExp} pattern @returns {Promise<string>}
 */
async function startProgram(args, pattern) {
  const child = spawn(process.execPath, [...args], { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
  started.push(child);
  return new Promise((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', line => {
      const [, printed] = pattern.exec(line) ?? [];
      if (printed !== undefined) resolve(printed);
    });
    child.once('exit', code => reject(new Error(`${args.join(' ')}: exit ${code} before it printed an address`)));
  });
}
