// @ts-check
/**
 * What the library costs, side by side with its peers and with bare Node. `npm run bench -- http stdio` measures these
 * parts; without arguments all are measured but the soak, which takes ten minutes. `--rounds=5` says how often,
 * `--minutes=10` how long the soak is, `--connections=32` over how many HTTP is measured. Results are written to
 * bench/results, as Markdown and as JSON, and `npm run bench -- report` makes their summary and the plot again;
 * `TENON_BENCH_RESULTS` names another folder. The library must have been built: what is measured is what users get.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { arch, cpus, platform } from 'node:os';
import { join } from 'node:path';
import { readJson, root } from '../scripts/process.mjs';
import { folder, writeSummary } from './summary/summary.mjs';

/** @typedef {{ rounds: number, minutes: number, connections: number }} Options */
/** @typedef {(options: Options) => Promise<{ results: unknown, markdown: string }>} Measure */

/** A part is loaded when it is measured. @type {Record<string, () => Promise<Measure>>} */
const parts = {
  http: async () => (await import('./http/measure.mjs')).measureHttp,
  stdio: async () => (await import('./stdio/measure.mjs')).measureStdio,
  memory: async () => (await import('./memory/measure.mjs')).measureMemory,
  client: async () => (await import('./client/measure.mjs')).measureClient,
  cold: async () => (await import('./cold/measure.mjs')).measureCold,
  sessions: async () => (await import('./sessions/measure.mjs')).measureSessions,
  payload: async () => (await import('./payload/measure.mjs')).measurePayload,
  frameworks: async () => (await import('./frameworks/measure.mjs')).measureFrameworks,
  profile: async () => (await import('./profile/measure.mjs')).measureProfile,
  types: async () => (await import('./types/measure.mjs')).measureTypes,
  size: async () => (await import('./size/measure.mjs')).measureSize,
  asking: async () => (await import('./asking/measure.mjs')).measureAsking,
  gateway: async () => (await import('./gateway/measure.mjs')).measureGateway,
  host: async () => (await import('./host/measure.mjs')).measureHost,
  soak: async () => (await import('./soak/measure.mjs')).measureSoak,
};
const names = Object.keys(parts);
/** Measured only when it is asked for. */
const LONG = 'soak';
const peers = ['@modelcontextprotocol/sdk', '@modelcontextprotocol/server', 'fastmcp', 'tmcp', 'mcp-lite'];

const { wanted, options } = readArguments(process.argv.slice(2));
await mkdir(folder, { recursive: true });
for (const name of wanted) await run(name);
await writeSummary();

/** @param {readonly string[]} args */
function readArguments(args) {
  const number = (/** @type {string} */ name, /** @type {number} */ usual) =>
    Number(args.find(arg => arg.startsWith(`--${name}=`))?.split('=')[1] ?? usual);
  const given = args.filter(arg => !arg.startsWith('--'));
  const options = {
    rounds: number('rounds', 5),
    minutes: number('minutes', 10),
    connections: number('connections', 32),
  };
  const unknown = given.filter(name => name !== 'report' && !Object.hasOwn(parts, name));
  if (unknown.length > 0 || !(options.rounds >= 1) || !(options.minutes > 0) || !(options.connections >= 1)) {
    console.error(
      `usage: npm run bench -- [${names.join('] [')}] [report] [--rounds=5] [--minutes=10] [--connections=32]`,
    );
    process.exit(2);
  }
  const wanted = given.length === 0 ? names.filter(name => name !== LONG) : names.filter(name => given.includes(name));
  return { wanted, options };
}

/** @param {string} name */
async function run(name) {
  const measure = await parts[name]?.();
  if (measure === undefined) return;
  const { results, markdown } = await measure(options);
  const when = new Date().toISOString();
  const machine = describeMachine();
  const about = `${Object.entries(machine)
    .map(([what, is]) => `${what} ${is}`)
    .join(', ')}, ${when}\n`;
  await writeFile(join(folder, `${name}.json`), `${JSON.stringify({ when, machine, results }, undefined, 2)}\n`);
  await writeFile(join(folder, `${name}.md`), `${markdown}\n${about}`);
  console.log(`${markdown}\n${about}`);
}

function describeMachine() {
  const version = (/** @type {string} */ name) => readJson(join(root, 'node_modules', name, 'package.json')).version;
  return {
    node: process.version,
    platform: `${platform()} ${arch()}`,
    cpus: `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}`,
    tenon: readJson(join(root, 'packages/tenon/package.json')).version,
    ...Object.fromEntries(peers.map(name => [name, version(name)])),
  };
}
