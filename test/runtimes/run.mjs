// @ts-check
/**
 * Smoke tests of the packed library in every runtime that it is for: as a server over HTTP and stdio, and as a client.
 * Each check is one way to a server on one revision: connect, list, call, elicit, report progress, watch, close.
 * Without a Chromium (see scripts/browser.mjs) that part is skipped. Arguments name the runtimes to test; without
 * any, all are.
 */
import { join } from 'node:path';
import { findBrowser, skipMessage } from '../../scripts/browser.mjs';
import { installRuntimes, runtimes } from '../../scripts/runtimes.mjs';
import { openPage } from './browser.mjs';
import { runProgram, startServer } from './processes.mjs';
import { revisions } from './programs/smoke.mjs';
import { createProject } from './project.mjs';
import { serveWorker } from './workerd.mjs';

/** @typedef {{ lane: string, target: object, revision: string }} Way */
/** @typedef {{ command: string, flags: readonly string[], suffix?: string }} Runtime */

const counts = { passed: 0, failed: 0, skipped: 0 };
const newest = revisions.at(-1) ?? '';
const older = revisions.at(-2) ?? '';

/** @type {Runtime} */
const here = { command: process.execPath, flags: [] };
/** @type {Record<string, Runtime>} */
const nodes = {
  [`Node ${process.versions.node}`]: here,
  [`Node ${process.versions.node}, by require`]: { ...here, suffix: 'cjs' },
  'Node 24': { command: runtimes.node24, flags: [] },
  'Node 24, by require': { command: runtimes.node24, flags: [], suffix: 'cjs' },
};
/** @type {Runtime} */
const bun = { command: runtimes.bun, flags: ['run', '--no-install'] };
/** @type {Runtime} */
const deno = {
  command: runtimes.deno,
  flags: [
    'run',
    '--no-remote',
    '--no-prompt',
    '--node-modules-dir=manual',
    '--allow-net',
    '--allow-env',
    '--allow-run',
    '--allow-read',
    '--allow-sys',
  ],
};

/** @type {Record<string, (folder: string) => Promise<void>>} */
const parts = {
  async node(folder) {
    for (const [name, runtime] of Object.entries(nodes)) await itself(folder, name, runtime);
  },
  async bun(folder) {
    await itself(folder, 'Bun', bun);
    await driven(folder, 'Bun.serve', serve(folder, bun, 'serve-bun'));
  },
  async deno(folder) {
    await itself(folder, 'Deno', deno);
    await driven(folder, 'Deno.serve', serve(folder, deno, 'serve-deno'));
  },
  async workerd(folder) {
    await driven(folder, 'workerd, plain schemas', serveWorker(folder, 'worker'));
    await driven(folder, 'workerd, zod', serveWorker(folder, 'worker-zod'));
  },
  chromium: browser,
};

/**
 * A runtime with itself: its client, its stdio server, its HTTP server by the library's own adapter.
 * @param {string} folder @param {string} name @param {Runtime} runtime
 */
async function itself(folder, name, runtime) {
  await serving(name, serve(folder, runtime, 'serve-http'), async ({ said }) => {
    const [command, ...args] = line(folder, runtime, 'serve-stdio');
    const stdio = { command, args, cwd: folder };
    const ways = [
      ...[newest, older].map(revision => ({ lane: `${name}, stdio`, target: stdio, revision })),
      ...waysTo(`${name}, HTTP`, said.port, [newest, older]),
    ];
    await take(folder, runtime, ways);
  });
}

/**
 * A server of another runtime, called by our client on Node, on every revision.
 * @param {string} folder @param {string} name @param {ReturnType<typeof startServer>} server
 */
async function driven(folder, name, server) {
  await serving(name, server, ({ said }) => take(folder, here, waysTo(name, said.port, revisions)));
}

/** @param {string} folder */
async function browser(folder) {
  const found = await findBrowser();
  if (found.browser === undefined) {
    counts.skipped += 1;
    return console.log(skipMessage(found.problems));
  }
  const page = await openPage(found.browser, folder);
  try {
    await serving('Chromium', serve(folder, here, 'serve-http', page.origin), async ({ said }) => {
      for (const way of waysTo('Chromium', said.port, [newest, older])) report(await page.smoke(way), page.heard);
    });
  } finally {
    await page.close();
  }
}

/** @param {string} folder @param {Runtime} runtime @param {string} program @param {...string} rest */
function serve(folder, runtime, program, ...rest) {
  const [command = '', ...args] = line(folder, runtime, program, ...rest);
  return startServer(command, args, { cwd: folder });
}

/** @param {string} folder @param {Runtime} runtime @param {string} program @param {...string} rest */
function line(folder, { command, flags, suffix = 'mjs' }, program, ...rest) {
  return [command, ...flags, join(folder, `${program}.${suffix}`), ...rest];
}

/**
 * Uses a server that starts, and stops it.
 * @param {string} name @param {ReturnType<typeof startServer>} starting
 * @param {(server: Awaited<ReturnType<typeof startServer>>) => Promise<void>} use
 */
async function serving(name, starting, use) {
  const server = await starting;
  const before = counts.failed;
  try {
    await use(server);
  } finally {
    await server.stop();
    if (counts.failed > before && server.heard()) console.log(`  ${name} said:\n${indent(server.heard())}`);
  }
}

/** @param {string} lane @param {number} port @param {readonly string[]} which @returns {Way[]} */
function waysTo(lane, port, which) {
  const origin = `http://127.0.0.1:${port}`;
  return which.map(revision => {
    const target =
      revision === revisions[0]
        ? { url: `${origin}/sse`, transport: 'http-sse' }
        : { url: `${origin}/mcp`, transport: 'http' };
    return { lane, target, revision };
  });
}

/** @param {string} folder @param {Runtime} runtime @param {readonly Way[]} ways */
async function take(folder, runtime, ways) {
  const [command = '', ...args] = line(folder, runtime, 'client', JSON.stringify(ways));
  for (const verdict of await runProgram(command, args, { cwd: folder })) report(JSON.parse(verdict));
}

/** @param {import('./programs/smoke.mjs').Verdict} verdict @param {() => string} [heard] */
function report({ lane, revision, did, failure }, heard) {
  counts[failure === undefined ? 'passed' : 'failed'] += 1;
  console.log(`${failure === undefined ? '✓' : '✗'} ${lane} · ${revision}: ${did.join(', ')}`);
  if (failure !== undefined) console.log(indent([failure, heard?.()].filter(Boolean).join('\n')));
}

/** @param {string} text */
const indent = text => text.replace(/^/gm, '    ');

const started = performance.now();
const wanted = process.argv.slice(2);
await installRuntimes();
const project = await createProject();
try {
  for (const [name, run] of Object.entries(parts)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    await run(project.folder).catch(error => {
      counts.failed += 1;
      console.log(`✗ ${name}\n${indent(error instanceof Error ? error.message : String(error))}`);
    });
  }
} finally {
  await project.remove();
}
process.exitCode = counts.failed === 0 ? 0 : 1;
console.log(`${((performance.now() - started) / 1000).toFixed(1)} s`);
console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
