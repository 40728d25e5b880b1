import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { openTestConsole } from '../../packages/cli/src/console/fixtures/console-page.js';
import type { ConsoleOptions } from '../../packages/cli/src/console/open-console.js';
import type { Browser as InstalledBrowser } from '../../scripts/browser.mjs';
import { buildConsole } from '../../scripts/build-console.mjs';

const ARGS = ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking', '--disable-sync'];

/** A console with its page in a browser. */
export interface OpenedPage {
  readonly browser: Browser;
  readonly context: BrowserContext;
  readonly opened: Awaited<ReturnType<typeof openTestConsole>>;
  readonly page: Page;
  /** Folder with the built page. */
  readonly pageFolder: string;
  /** Requests to other hosts, reports of the policy, dialogs and errors. */
  readonly faults: string[];
  /** Opens an address of a view. */
  show(path: string): Promise<void>;
  close(): Promise<void>;
}

/** Opens a console in Chromium, and collects what its page must never do. */
export async function openPage(
  found: InstalledBrowser,
  options: Partial<ConsoleOptions>,
  beforeOpen: (context: BrowserContext) => Promise<unknown> = async () => {},
): Promise<OpenedPage> {
  const pageFolder = await mkdtemp(join(tmpdir(), 'tenon-console-page-'));
  await buildConsole(pageFolder);
  const browser = await chromium.launch({ ...found, args: ARGS });
  const opened = await openTestConsole({ pageFolder, ...options });
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  await beforeOpen(context);
  const page = await context.newPage();
  page.setDefaultTimeout(50_000);
  const faults = collectFaults(page, opened.origin);
  await page.goto(`${opened.origin}/#token=${opened.token}`);
  return {
    browser,
    context,
    opened,
    page,
    pageFolder,
    faults,
    async show(path) {
      await page.goto(opened.origin + path);
      await page.locator('footer .state.ok').waitFor();
    },
    async close() {
      await browser.close();
      await opened.close();
      await rm(pageFolder, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}

/** Collects requests to other hosts, errors of the page, reports of its policy, and dialogs. */
export function collectFaults(page: Page, origin: string): string[] {
  const faults: string[] = [];
  page.on('request', request => {
    if (!/^(?:blob|data):/.test(request.url()) && new URL(request.url()).origin !== origin) faults.push(request.url());
  });
  page.on('console', message => {
    if (message.type() === 'error') faults.push(`${message.text()} ${message.location().url}`);
  });
  page.on('pageerror', error => faults.push(error.message));
  page.on('dialog', dialog => {
    faults.push(dialog.message());
    void dialog.dismiss();
  });
  return faults;
}
