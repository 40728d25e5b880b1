// @ts-check
/** What Tenon is mounted on, and how each is started. */
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { runtimes } from '../../scripts/runtimes.mjs';
import { startProgram } from '../measure-servers.mjs';
import { firstLine, freePort, startCommand } from '../processes.mjs';

/** @typedef {'echo' | 'tenon'} What */
/** @typedef {import('node:child_process').ChildProcess} ChildProcess */
/** @typedef {{ name: string, note: string, start: (what: What) => Promise<{ child: ChildProcess, url: string }> }} Platform */

const here = (/** @type {string} */ name) => fileURLToPath(new URL(name, import.meta.url));
const DATE = '2026-06-01';
const TRIES = 100;

/** Bun and esbuild heed the paths of our tsconfig.json, which lead to the sources: without them they find what users get. @type {Platform[]} */
export const platforms = [
  onNode('bare', 'node:http', '`serveHttp`'),
  onNode('express', 'Express', '`express.json()`, `toNode(createHandler(…))`'),
  onNode('hono', 'Hono', '@hono/node-server, `createHandler(…)`'),
  onNode('fastify', 'Fastify', '`toNode(createHandler(…))`'),
  { name: 'workerd', note: '`createHandler(…)`', start: inWorkerd },
  onRuntime('Deno', runtimes.deno, ['run', '--no-remote', '--no-prompt', '--node-modules-dir=manual', '--allow-all']),
  onRuntime('Bun', runtimes.bun, ['run', '--no-install', `--tsconfig-override=${here('published.tsconfig.json')}`]),
];

/** @param {string} framework @param {string} name @param {string} note @returns {Platform} */
function onNode(framework, name, note) {
  const start = (/** @type {What} */ what) => startProgram([here('node.mjs'), framework, what]);
  return { name, note, start };
}

/** @param {string} name @param {string} command @param {string[]} flags @returns {Platform} */
function onRuntime(name, command, flags) {
  const start = async (/** @type {What} */ what) => {
    const child = startCommand(command, [...flags, here('fetch.mjs'), what]);
    return { child, url: await firstLine(child) };
  };
  return { name, note: `\`${name}.serve\`, \`createHandler(…)\``, start };
}

/** @param {What} what */
async function inWorkerd(what) {
  const folder = mkdtempSync(join(tmpdir(), 'tenon-bench-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  const port = await freePort();
  const outfile = join(folder, 'worker.js');
  const conditions = ['workerd', 'worker', 'browser'];
  await build({
    entryPoints: [here(`worker-${what}.mjs`)],
    bundle: true,
    format: 'esm',
    conditions,
    outfile,
    tsconfigRaw: {},
  });
  const config = join(folder, 'worker.capnp');
  writeFileSync(config, createConfig(port));
  const child = startCommand(runtimes.workerd, ['serve', config]);
  await listening(port);
  return { child, url: `http://127.0.0.1:${port}/mcp` };
}

/** @param {number} port */
const createConfig = port => `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .worker)],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
);
const worker :Workerd.Worker = (
  modules = [(name = "main", esModule = embed "worker.js")],
  compatibilityDate = "${DATE}",
);
`;

/** Waits until somebody listens there. @param {number} port */
async function listening(port) {
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const socket = connect(port, '127.0.0.1');
    try {
      await once(socket, 'connect');
      return;
    } catch {
      await new Promise(resolve => setTimeout(resolve, 100));
    } finally {
      socket.destroy();
    }
  }
  throw new Error(`nobody listens on port ${port}`);
}
