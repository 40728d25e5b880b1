// @ts-check
/**
 * The page of `tenon console` in Chromium: its bytes, its first paint beside that of an empty page, its longest task and its
 * nodes with many messages and large results, and its heap with 100,000 messages.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { chromium } from 'playwright-core';
import { ensureBrowser } from '../../scripts/browser.mjs';
import { root } from '../../scripts/process.mjs';
import { compare, formatNumber, formatRatio, heading, median, RATIOS_NOTE, range, table } from '../report.mjs';

/** @typedef {import('playwright-core').Browser} Browser */
/** @typedef {import('playwright-core').Page} Page */
/** `longestTask`: milliseconds, 0 if none took 50. `shown`: milliseconds until the result was shown. @typedef {{ longestTask: number, shown: number, nodes: number }} CallSample */
/** `heap`: MB of the page after a collection. `filtered`: milliseconds until a text filter has read 10,000 messages. @typedef {{ heap: number, nodes: number, rows: number, filtered: number }} WireSample */
/** @typedef {{ name: string, tool: string, count: number, shows: RegExp, samples: CallSample[] }} Scenario */

const program = join(root, 'packages/cli/dist/tenon.mjs');
const server = fileURLToPath(new URL('server.mjs', import.meta.url));
const ARGS = ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking', '--disable-sync'];
const VIEWPORT = { width: 1440, height: 900 };
const TIMEOUT = 300_000;
const MB = 1_000_000;
const NOTIFICATIONS = 10_000;
/** Number of calls whose notifications fill the messages that the console keeps. */
const FILLING_CALLS = 11;
/** Large values take seconds in the command, and their figures vary little. */
const MAX_LARGE_ROUNDS = 5;

/** @returns {Scenario[]} */
const createScenarios = () => [
  { name: 'no notification', tool: 'flood', count: 0, shows: /sent 0/, samples: [] },
  { name: '10,000 notifications', tool: 'flood', count: NOTIFICATIONS, shows: /sent 10000/, samples: [] },
  { name: 'a text of 15 MB', tool: 'text', count: 15 * MB, shows: /more (characters|lines)/, samples: [] },
  { name: 'an object with 1,000,000 members', tool: 'members', count: MB, shows: /more$/, samples: [] },
  { name: 'a text of 50 MB, which the client refuses', tool: 'text', count: 50 * MB, shows: /too long/, samples: [] },
];

/** @param {{ rounds: number }} options */
export async function measureConsole({ rounds }) {
  const { browser: found, errors } = await ensureBrowser();
  if (found === undefined) throw new Error(errors.join(' '));
  const browser = await chromium.launch({ ...found, args: ARGS });
  try {
    const bytes = await measureBytes();
    const paints = await measurePaints(browser, rounds);
    const scenarios = createScenarios();
    for (const scenario of scenarios) {
      const calls = scenario.count > NOTIFICATIONS ? Math.min(rounds, MAX_LARGE_ROUNDS) : rounds;
      await withConsole(async address => {
        for (let round = 0; round < calls; round += 1)
          scenario.samples.push(await measureCall(browser, address, scenario));
      });
    }
    const wire = await withConsole(address => measureWire(browser, address, Math.min(rounds, MAX_LARGE_ROUNDS)));
    const results = {
      browser: browser.version(),
      bytes,
      paints,
      calls: scenarios.map(({ name, samples }) => ({ name, samples })),
      wire,
    };
    return { results, markdown: toMarkdown(results) };
  } finally {
    await browser.close();
  }
}

/** Bytes of the page after gzip: the files of the first load, and all. */
async function measureBytes() {
  const folder = join(root, 'packages/cli/dist/console');
  const html = await readFile(join(folder, 'index.html'));
  const names = await readdir(join(folder, 'assets'));
  const files = await Promise.all(
    names.map(async name => {
      const text = await readFile(join(folder, 'assets', name));
      return { name, text: text.toString(), size: gzipSync(text).length };
    }),
  );
  const isNamed = (/** @type {string} */ name) => html.includes(name);
  const main = files.find(({ name }) => isNamed(name) && name.endsWith('.js'))?.text ?? '';
  const isImported = (/** @type {string} */ name) => new RegExp(`(?:from|import)"\\./${name}"`).test(main);
  const sum = (/** @type {typeof files} */ of) => of.reduce((total, { size }) => total + size, 0);
  return { first: sum(files.filter(({ name }) => isNamed(name) || isImported(name))), all: sum(files) };
}

/** Headers that make the browser start a process or check a policy: an empty page from the same server has them. */
const PAGE_HEADERS = [
  'content-security-policy',
  'cross-origin-opener-policy',
  'cross-origin-resource-policy',
  'referrer-policy',
  'x-content-type-options',
  'x-frame-options',
];

/** @typedef {{ plain: number, empty: number, console: number }} PaintSample */

/**
 * First contentful paint of the page, of an empty page with the headers of the console, and of one without headers. Each in a
 * new context.
 * @param {Browser} browser @param {number} rounds
 */
async function measurePaints(browser, rounds) {
  return withConsole(async address => {
    const { headers } = await fetch(address);
    const same = PAGE_HEADERS.flatMap(name => {
      const value = headers.get(name);
      return value === null ? [] : [[name, value]];
    });
    const servers = [await serveEmptyPage({}), await serveEmptyPage(Object.fromEntries(same))];
    const [plain, empty] = servers;
    /** @type {readonly [keyof PaintSample, string][]} */
    const pages = [
      ['plain', plain?.address ?? ''],
      ['empty', empty?.address ?? ''],
      ['console', address],
    ];
    try {
      /** @type {PaintSample[]} */
      const samples = [];
      // The first round starts processes of the browser.
      for (let round = 0; round <= rounds; round += 1) {
        const sample = { plain: 0, empty: 0, console: 0 };
        for (const [name, url] of round % 2 === 0 ? pages : pages.toReversed())
          sample[name] = await readPaint(browser, url);
        if (round > 0) samples.push(sample);
      }
      return samples;
    } finally {
      for (const { server } of servers) server.close();
    }
  });
}

/** @param {Record<string, string>} headers */
async function serveEmptyPage(headers) {
  const server = createServer((_, response) =>
    response
      .writeHead(200, { ...headers, 'content-type': 'text/html' })
      .end('<!doctype html><title>empty</title><p>empty'),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const bound = server.address();
  return { server, address: `http://127.0.0.1:${typeof bound === 'object' ? bound?.port : ''}/` };
}

/** @param {Browser} browser @param {string} address @returns {Promise<number>} */
async function readPaint(browser, address) {
  const context = await browser.newContext({ viewport: VIEWPORT });
  const page = await context.newPage();
  await page.goto(address);
  // The policy of the page forbids the polling of the browser, which is a script from a text.
  for (;;) {
    const time = await page.evaluate("performance.getEntriesByName('first-contentful-paint')[0]?.startTime");
    if (time === undefined) await page.waitForTimeout(20);
    else {
      await context.close();
      return Number(time);
    }
  }
}

/** @param {Browser} browser @param {string} address @param {Scenario} scenario @returns {Promise<CallSample>} */
async function measureCall(browser, address, { tool, count, shows }) {
  const context = await browser.newContext({ viewport: VIEWPORT });
  const page = await openPage(context, address);
  await showTool(page, address, tool, count);
  await page.evaluate(`globalThis.longestTask = 0;
    globalThis.taskObserver = new PerformanceObserver(list => {
      for (const { duration } of list.getEntries()) longestTask = Math.max(longestTask, duration);
    });
    taskObserver.observe({ type: 'longtask' });`);
  const begun = performance.now();
  await page.getByRole('button', { name: 'Call', exact: true }).click();
  await page.locator('.results').getByText(shows).first().waitFor();
  const shown = performance.now() - begun;
  await page.locator('footer .state.ok').waitFor();
  const nodes = await page.locator('*').count();
  const longestTask = Number(await page.evaluate('longestTask'));
  await context.close();
  return { longestTask, shown, nodes };
}

/** @param {Browser} browser @param {string} address @param {number} rounds @returns {Promise<WireSample[]>} */
async function measureWire(browser, address, rounds) {
  const context = await browser.newContext({ viewport: VIEWPORT });
  const page = await openPage(context, address);
  for (let call = 0; call < FILLING_CALLS; call += 1) {
    await showTool(page, address, 'flood', NOTIFICATIONS);
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    await page.locator('.result').getByText(`sent ${NOTIFICATIONS}`).first().waitFor();
  }
  await context.close();
  /** @type {WireSample[]} */
  const samples = [];
  for (let round = 0; round < rounds; round += 1) {
    const fresh = await browser.newContext({ viewport: VIEWPORT });
    const wire = await openPage(fresh, address);
    await wire.goto(new URL('/wire', address).href);
    const total = wire.getByText(/^\d+,\d+ messages$/);
    await wire.getByText(/^(?:9\d|1\d\d),\d+ messages$/).waitFor();
    const devtools = await fresh.newCDPSession(wire);
    await devtools.send('HeapProfiler.collectGarbage');
    const { usedSize } = await devtools.send('Runtime.getHeapUsage');
    const rows = Number((await total.textContent())?.replace(/\D/g, ''));
    const nodes = await wire.locator('*').count();
    await wire.keyboard.press('/');
    const begun = performance.now();
    await wire.keyboard.insertText('"step 9999"');
    await wire.getByText(/^(?:9|1\d) messages$/).waitFor();
    const filtered = ((performance.now() - begun) * NOTIFICATIONS) / rows;
    samples.push({ heap: usedSize / MB, nodes, rows, filtered });
    await fresh.close();
  }
  return samples;
}

/** @param {import('playwright-core').BrowserContext} context @param {string} address @returns {Promise<Page>} */
async function openPage(context, address) {
  const page = await context.newPage();
  page.setDefaultTimeout(TIMEOUT);
  await page.goto(address);
  await page.locator('td .state.ok').first().waitFor();
  return page;
}

/** @param {Page} page @param {string} address @param {string} tool @param {number} count */
async function showTool(page, address, tool, count) {
  await page.goto(new URL('/', address).href);
  const link = await page.locator('td a[href^="/s/"]').first().getAttribute('href');
  const args = encodeURIComponent(JSON.stringify({ count }));
  await page.goto(new URL(`${link}/tools/${tool}?args=${args}`, address).href);
  await page.getByRole('heading', { name: tool }).waitFor();
  await page.locator('footer .state.ok').waitFor();
}

/** Runs `tenon console` with the server of this part, until the function ends. @template T @param {(address: string) => Promise<T>} use @returns {Promise<T>} */
async function withConsole(use) {
  const home = await mkdtemp(join(tmpdir(), 'tenon-bench-'));
  const child = spawn(process.execPath, [program, 'console', '--json', '--', process.execPath, server], {
    cwd: home,
    env: { ...process.env, TENON_HOME: home },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      const { url } = JSON.parse(line);
      if (url !== undefined) return await use(url);
    }
    throw new Error('the console ended before it printed its address');
  } finally {
    child.kill('SIGINT');
    await ended;
    await rm(home, { recursive: true, force: true });
  }
}

/** @param {{ browser: string, bytes: { first: number, all: number }, paints: PaintSample[], calls: { name: string, samples: CallSample[] }[], wire: WireSample[] }} results */
function toMarkdown({ browser, bytes, paints, calls, wire }) {
  const of = (/** @type {keyof PaintSample} */ what) => paints.map(each => each[what]);
  const callRows = calls.map(({ name, samples }) => [
    name,
    range(samples.map(({ shown }) => shown)),
    range(samples.map(({ longestTask }) => longestTask)),
    String(Math.max(...samples.map(({ nodes }) => nodes))),
  ]);
  return [
    heading(1, 'The page of the console'),
    `Chromium ${browser}, 1440 × 900. First load ${(bytes.first / 1000).toFixed(1)} KB after gzip, all files ${(bytes.all / 1000).toFixed(1)} KB.\n\n`,
    heading(2, 'First contentful paint'),
    `Each in a new context. For \`Cross-Origin-Opener-Policy\`, the browser starts a process. ${RATIOS_NOTE}\n\n`,
    table(
      ['page', 'ms', '× empty'],
      [
        ['empty page with the headers of the console', range(of('empty')), '1'],
        ['empty page without headers', range(of('plain')), formatRatio(compare(of('plain'), of('empty')))],
        ['console', range(of('console')), formatRatio(compare(of('console'), of('empty')))],
      ],
    ),
    `\n${heading(2, 'One call')}`,
    'The longest task is that of the page. 0: no task took 50 ms.\n\n',
    table(['result', 'ms until shown', 'longest task, ms', 'nodes at most'], callRows),
    `\n${heading(2, 'The view Wire')}`,
    table(
      ['messages', 'heap of the page, MB', 'text filter, ms for 10,000 messages', 'nodes'],
      [
        [
          formatNumber(median(wire.map(({ rows }) => rows))),
          range(wire.map(({ heap }) => heap)),
          range(wire.map(({ filtered }) => filtered)),
          String(Math.max(...wire.map(({ nodes }) => nodes))),
        ],
      ],
    ),
  ].join('');
}
