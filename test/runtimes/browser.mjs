// @ts-check
/** The client in Chromium, on a page of another origin than the server's. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/**
 * A page that runs the smoke client.
 * @param {import('../../scripts/browser.mjs').Browser} installed
 * @param {string} folder of the project
 * @returns {Promise<{ origin: string, smoke: (way: object) => Promise<any>, heard: () => string, close: () => Promise<void> }>}
 */
export async function openPage(installed, folder) {
  const site = await servePage(await readFile(join(folder, 'bundles/page.js'), 'utf8'));
  const profile = await mkdtemp(join(tmpdir(), 'tenon-chromium-'));
  /** @type {import('playwright-core').BrowserContext | undefined} */
  let browser;
  const close = async () => {
    await browser?.close();
    await site.close();
    await rm(profile, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    const options = { ...installed, args: ARGS, headless: true, timeout: 50_000 };
    browser = await chromium.launchPersistentContext(profile, options);
    const page = browser.pages()[0] ?? (await browser.newPage());
    /** @type {string[]} */
    const heard = [];
    page.on('console', message => heard.push(message.text()));
    page.on('pageerror', error => heard.push(String(error)));
    await page.goto(site.origin);
    // What runs in the page is plain text: a function would be checked against the types of Node.
    const smoke = (/** @type {object} */ way) => page.evaluate(`smoke(${JSON.stringify(way)})`);
    return { origin: site.origin, smoke, heard: () => heard.join('\n'), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** @param {string} script */
async function servePage(script) {
  const server = createServer((request, response) => {
    const [type, body] = request.url === '/page.js' ? ['text/javascript', script] : ['text/html', PAGE];
    response.writeHead(200, { 'content-type': `${type}; charset=utf-8` }).end(body);
  });
  await new Promise(resolve => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  const close = async () => {
    server.closeAllConnections();
    await new Promise(resolve => server.close(resolve));
  };
  return { origin: `http://127.0.0.1:${port}`, close };
}

const PAGE = '<!doctype html><title>Tenon</title><script type="module" src="/page.js"></script>';
