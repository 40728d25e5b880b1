import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium, type Page, type Response } from 'playwright-core';
import type { Browser } from '../../scripts/browser.mjs';

/** A page at which a sign-in ended. */
export interface LastPage {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly url: string;
  readonly text: string;
}

/** Somebody in front of Chromium. */
export interface ChromiumUser {
  /** What programs call to open a page. */
  open(url: URL): void;
  /** What the user was asked, with what is to be consented to. */
  readonly prompts: string[];
  /** Everything that the browser asked for, and the page that it came from. */
  readonly requests: { readonly url: string; readonly referer: string | undefined }[];
  /** The scripts of pages that ran. */
  readonly scripts: string[];
  /** What did not go as it should. */
  readonly errors: string[];
  /** The pages at which the sign-ins have ended, once all are through. */
  ended(): Promise<readonly LastPage[]>;
  /** Whether the user says yes. */
  willing: boolean;
  close(): Promise<void>;
}

const ARGS = ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking', '--disable-sync'];
const STEPS = 6;

export async function startChromiumUser(installed: Browser): Promise<ChromiumUser> {
  const profile = await mkdtemp(join(tmpdir(), 'tenon-chromium-'));
  const options = { ...installed, args: ARGS, headless: true, timeout: 50_000 };
  const context = await chromium.launchPersistentContext(profile, options);
  context.setDefaultTimeout(10_000);
  const sessions: Promise<LastPage | undefined>[] = [];
  const user: ChromiumUser = {
    prompts: [],
    requests: [],
    scripts: [],
    errors: [],
    willing: true,
    open: url => void sessions.push(signsIn(context, url, user).catch(error => void user.errors.push(String(error)))),
    ended: async () => (await Promise.all(sessions)).filter(page => page !== undefined),
    async close() {
      await context.close();
      await rm(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
  context.on('request', request => {
    user.requests.push({ url: request.url(), referer: request.headers().referer });
  });
  // The pages of the authorization server want a font from elsewhere.
  await context.route(
    url => url.hostname !== '127.0.0.1',
    route => route.abort(),
  );
  return user;
}

async function signsIn(context: BrowserContext, start: URL, user: ChromiumUser): Promise<LastPage> {
  const page = await context.newPage();
  await watch(context, page, user);
  let last: Response | undefined;
  page.on('response', response => {
    if (response.request().isNavigationRequest()) last = response;
  });
  await page.goto(start.href);
  for (let steps = 0; (await page.locator('form').count()) > 0; steps += 1) {
    if (steps === STEPS) throw new Error('the pages have no end');
    const before = page.url();
    await answer(page, user);
    await page.waitForURL(url => url.href !== before);
  }
  if (!last) throw new Error('there is no page');
  const text = (await page.locator('body').textContent()) ?? '';
  const ended = { status: last.status(), headers: last.headers(), url: page.url(), text: text.trim() };
  await page.close();
  return ended;
}

/** The scripts of pages, which have an address, unlike those by which the user is played. */
async function watch(context: BrowserContext, page: Page, user: ChromiumUser): Promise<void> {
  const session = await context.newCDPSession(page);
  session.on('Debugger.scriptParsed', ({ url, executionContextAuxData }) => {
    const ofPage = (executionContextAuxData as { isDefault?: boolean } | undefined)?.isDefault;
    if (ofPage && url !== '') user.scripts.push(url);
  });
  await session.send('Debugger.enable');
  page.on('pageerror', error => user.errors.push(String(error)));
}

async function answer(page: Page, user: ChromiumUser): Promise<void> {
  const prompt = (await page.locator('input[name=prompt]').getAttribute('value')) ?? 'unknown';
  // A scope is shown twice: by itself, and below the server that it is for.
  const items = new Set(await page.locator('ul ul li').allTextContents());
  user.prompts.push([prompt, ...items].join(' '));
  if (prompt === 'login') {
    await page.fill('input[name=login]', 'ada');
    await page.fill('input[name=password]', 'x');
  }
  await page.click(user.willing ? 'button[type=submit]' : 'text=Cancel');
}
