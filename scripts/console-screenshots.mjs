// @ts-check
/** Takes the pictures of the console in docs/public, with the built command and the example `notes`: `npm run docs:screenshots`. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { chromium } from 'playwright-core';
import { ensureBrowser } from './browser.mjs';
import { root } from './process.mjs';

const { browser: found, problems } = await ensureBrowser();
if (found === undefined) throw new Error(problems.join(' '));
const command = spawn(
  process.execPath,
  [join(root, 'packages/cli/dist/tenon.mjs'), 'console', '--json', '--config', join(root, 'mcp.json')],
  { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] },
);
const browser = await chromium.launch({ ...found, args: ['--no-sandbox'] });
try {
  const [line] = await once(createInterface({ input: command.stdout }), 'line');
  const page = await browser.newPage({ viewport: { width: 1440, height: 720 }, colorScheme: 'light' });
  await page.goto(JSON.parse(line).url);
  await page.getByRole('link', { name: 'notes' }).first().click();
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
    await page.locator('.result, .answer').first().waitFor();
  }
  await page.locator('.answer input[type=checkbox]').first().waitFor();
  for (const box of await page.locator('.answer input[type=checkbox]').all()) await box.check();
  await page.getByRole('button', { name: 'Send' }).click();
  await page.locator('.answer').waitFor({ state: 'detached' });
  await page.locator('.result').waitFor();
  await page.screenshot({ path: join(root, 'docs/public/console-call.png') });
} finally {
  await browser.close();
  command.kill('SIGINT');
}
