// @ts-check
/**
 * Smoke tests of the packed library in every runtime that it is for: as a server over HTTP and stdio, and as a client.
 * Each check is one way to a server on one protocol version: connect, list, call, elicit, report progress, watch, close.
 * Without a Chromium (see scripts/browser.mjs) that part is skipped. Arguments name the runtimes to test; without
 * any, all are. `npm test` leaves to `npm run test:full` what another runtime does in the same way.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { findBrowser, skipMessage } from '../../scripts/browser.mjs';
import { root } from '../../scripts/process.mjs';
import { installRuntimes, runtimes } from '../../scripts/runtimes.mjs';
import { openPage } from './browser.mjs';
import { runProgram, startServer } from './processes.mjs';
import { versions } from './programs/smoke.mjs';
import { createProject } from './project.mjs';
import { serveWorker } from './workerd.mjs';

/** @typedef {{ lane: string, target: object, version: string }} Way */
/** @typedef {{ command: string, flags: readonly string[], suffix?: string }} Runtime */

const counts = { passed: 0, failed: 0, skipped: 0 };
const isCover = process.env.TENON_TEST_EXTENT === 'cover';
const newest = versions.at(-1) ?? '';
const older = versions.at(-2) ?? '';

/** @type {Runtime} */
const here = { command: process.execPath, flags: [] };
/** @type {Record<string, Runtime>} */
const nodes = {
  [`Node ${process.versions.node}`]: here,
  [`Node ${process.versions.node}, by require`]: { ...here, suffix: 'cjs' },
  ...(isCover
    ? {}
    : {
        'Node 24': { command: runtimes.node24, flags: [] },
        'Node 24, by require': { command: runtimes.node24, flags: [], suffix: 'cjs' },
      }),
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
    if (!isCover) await driven(folder, 'workerd, plain schemas', serveWorker(folder, 'worker'));
    await driven(folder, 'workerd, zod', serveWorker(folder, 'worker-zod'));
  },
  async dev(folder) {
    if (isCover) return;
    await develop(folder, 'Node 24', { command: runtimes.node24, flags: [] });
    await develop(folder, 'Bun', { ...bun, flags: ['run'] });
    await develop(folder, 'Deno', { ...deno, flags: ['run', '--allow-all'] });
  },
  chromium: browser,
};

const tenon = join(root, 'packages/cli/dist/tenon.mjs');
/** Number of calls until a change of a file must have had its effect, and the time between them in milliseconds. */
const MAX_CALLS = 40;
const CALL_INTERVAL = 250;

/**
 * `tenon dev` with a server in TypeScript, which the runtime reads by itself, and a change of a file that it imports.
 * @param {string} folder @param {string} name @param {Runtime} runtime
 */
async function develop(folder, name, { command, flags }) {
  const place = join(folder, 'dev');
  const greet = (/** @type {string} */ word) =>
    writeFile(join(place, 'greet.ts'), `export const greet = (name: string): string => \`${word} \${name}\`;\n`);
  await mkdir(place, { recursive: true });
  await writeFile(join(place, 'package.json'), '{ "type": "module" }');
  await greet('Hello');
  await writeFile(
    join(place, 'server.ts'),
    `import { createServer, tool } from 'tenon';
     import { greet } from './greet.ts';
     const tools = { greet: tool({ run: (): string => greet('Ada') }) };
     export default createServer({ name: 'greeter', version: '1.0.0', tools });`,
  );
  const starting = startServer(command, [...flags, tenon, 'dev', 'server.ts', '--port', '0', '--json'], { cwd: place });
  await serving(`${name}, tenon dev`, starting, async ({ said }) => {
    const call = async () =>
      (await runProgram(process.execPath, [tenon, 'call', said.url, 'greet'], { cwd: place }))[0];
    const before = await call();
    await greet('Bye');
    let after = await call();
    for (let calls = 1; after === before && calls < MAX_CALLS; calls += 1) {
      await pause(CALL_INTERVAL);
      after = await call();
    }
    const isRight = before === 'Hello Ada' && after === 'Bye Ada';
    const failure = isRight ? {} : { failure: `expected "Hello Ada" and "Bye Ada", got "${before}" and "${after}"` };
    report({ lane: `${name}, tenon dev`, version: newest, did: ['call', 'reload'], ...failure });
  });
}

/**
 * A runtime with itself: its client, its stdio server, its HTTP server by the library's own adapter.
 * @param {string} folder @param {string} name @param {Runtime} runtime
 */
async function itself(folder, name, runtime) {
  await serving(name, serve(folder, runtime, 'serve-http'), async ({ said }) => {
    const [command, ...args] = line(folder, runtime, 'serve-stdio');
    const stdio = { command, args, cwd: folder };
    const ways = [
      ...(isCover ? [newest] : [newest, older]).map(version => ({ lane: `${name}, stdio`, target: stdio, version })),
      ...waysTo(`${name}, HTTP`, said.port, isCover ? [older] : [newest, older]),
    ];
    await take(folder, runtime, ways);
  });
}

/**
 * A server of another runtime, called by our client on Node, on every protocol version.
 * @param {string} folder @param {string} name @param {ReturnType<typeof startServer>} server
 */
async function driven(folder, name, server) {
  await serving(name, server, ({ said }) => take(folder, here, waysTo(name, said.port, versions)));
}

/** @param {string} folder */
async function browser(folder) {
  const found = await findBrowser();
  if (found.browser === undefined) {
    counts.skipped += 1;
    return console.log(wanted.length > 0 ? skipMessage(found.errors) : 'Chromium: skipped');
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
  return which.map(version => {
    const target =
      version === versions[0]
        ? { url: `${origin}/sse`, transport: 'http-sse' }
        : { url: `${origin}/mcp`, transport: 'http' };
    return { lane, target, version };
  });
}

/** @param {string} folder @param {Runtime} runtime @param {readonly Way[]} ways */
async function take(folder, runtime, ways) {
  const [command = '', ...args] = line(folder, runtime, 'client', JSON.stringify(ways));
  for (const verdict of await runProgram(command, args, { cwd: folder })) report(JSON.parse(verdict));
}

/** @param {import('./programs/smoke.mjs').Verdict} verdict @param {() => string} [heard] */
function report({ lane, version, did, failure }, heard) {
  counts[failure === undefined ? 'passed' : 'failed'] += 1;
  console.log(`${failure === undefined ? '✓' : '✗'} ${lane} · ${version}: ${did.join(', ')}`);
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
