/** Opens the page of the console in Chromium, and records what it must never do. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { openTestConsole } from '../../packages/cli/src/console/fixtures/console-page.js';
import type { NamedTarget } from '../../packages/cli/src/console/open-console.js';
import type { Browser } from '../../scripts/browser.mjs';
import { buildConsole } from '../../scripts/build-console.mjs';

const ARGS = ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking', '--disable-sync'];

/** Builds the page, starts a console with these servers, and opens it. */
export async function openConsolePage(found: Browser, targets: readonly NamedTarget[]) {
  const folder = await mkdtemp(join(tmpdir(), 'tenon-console-page-'));
  await buildConsole(folder);
  const browser = await chromium.launch({ ...found, args: ARGS });
  const opened = await openTestConsole({ targets, pageFolder: folder });
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  page.setDefaultTimeout(50_000);
  /** Requests to other hosts, reports of the policy, and errors. */
  const faults: string[] = [];
  page.on('request', request => {
    if (!/^(?:blob|data):/.test(request.url()) && new URL(request.url()).origin !== opened.origin)
      faults.push(request.url());
  });
  page.on('console', message => {
    if (message.type() === 'error') faults.push(message.text());
  });
  page.on('pageerror', error => faults.push(error.message));
  await page.goto(`${opened.origin}/#token=${opened.token}`);
  return {
    page,
    opened,
    faults,
    async close() {
      await browser.close();
      await opened.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
