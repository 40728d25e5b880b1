// @ts-check
/**
 * What the library costs, side by side with its peers and with bare Node. `npm run bench -- http stdio` measures these
 * parts; without arguments all are measured but `soak` and `gateway-soak`, which take ten minutes, `console`, which needs Chromium, and `search`, which needs the data of
 * LiveMCPBench (`TENON_LIVEMCPBENCH` names a checkout). `--rounds=12` says how often,
 * `--minutes=10` how long the soak is, `--connections=32` over how many HTTP is measured. Results are written to
 * bench/results, as Markdown and as JSON. With fewer rounds than 12 it is a trial: its results go to `.cache/bench`.
 * `TENON_BENCH_RESULTS` names another folder. The library must have been built: what is measured is what users get.
 *
 * Three commands measure nothing: `report` writes the summary and the plot again, `check` fails when a figure of the results
 * is more than 15 % above bench/reference.json, and `reference` writes that file from the results.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { arch, cpus, platform } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { readJson, root } from '../scripts/process.mjs';
import { getPackageFolder, installBenchPackages } from './packages.mjs';
import { checkReference, writeReference } from './summary/reference.mjs';
import { publishedFolder, readParts, writeSummary } from './summary/summary.mjs';

/** @typedef {{ rounds: number, minutes: number, connections: number }} Options */
/** @typedef {(options: Options) => Promise<{ results: unknown, markdown: string }>} Measure */

/** A part is loaded when it is measured. @type {Record<string, () => Promise<Measure>>} */
const parts = {
  http: async () => (await import('./http/measure.mjs')).measureHttp,
  stdio: async () => (await import('./stdio/measure.mjs')).measureStdio,
  crosscheck: async () => (await import('./crosscheck/measure.mjs')).measureCrosscheck,
  memory: async () => (await import('./memory/measure.mjs')).measureMemory,
  client: async () => (await import('./client/measure.mjs')).measureClient,
  cold: async () => (await import('./cold/measure.mjs')).measureCold,
  start: async () => (await import('./start/measure.mjs')).measureStart,
  sessions: async () => (await import('./sessions/measure.mjs')).measureSessions,
  streams: async () => (await import('./streams/measure.mjs')).measureStreams,
  payload: async () => (await import('./payload/measure.mjs')).measurePayload,
  binary: async () => (await import('./binary/measure.mjs')).measureBinary,
  scale: async () => (await import('./scale/measure.mjs')).measureScale,
  frameworks: async () => (await import('./frameworks/measure.mjs')).measureFrameworks,
  profile: async () => (await import('./profile/measure.mjs')).measureProfile,
  types: async () => (await import('./types/measure.mjs')).measureTypes,
  size: async () => (await import('./size/measure.mjs')).measureSize,
  asking: async () => (await import('./asking/measure.mjs')).measureAsking,
  protect: async () => (await import('./protect/measure.mjs')).measureProtect,
  telemetry: async () => (await import('./telemetry/measure.mjs')).measureTelemetry,
  tasks: async () => (await import('./tasks/measure.mjs')).measureTasks,
  gateway: async () => (await import('./gateway/measure.mjs')).measureGateway,
  many: async () => (await import('./many/measure.mjs')).measureMany,
  host: async () => (await import('./host/measure.mjs')).measureHost,
  workers: async () => (await import('./workers/measure.mjs')).measureWorkers,
  replicas: async () => (await import('./replicas/measure.mjs')).measureReplicas,
  console: async () => (await import('./console/measure.mjs')).measureConsole,
  search: async () => (await import('./search/measure.mjs')).measureSearch,
  'code-mode': async () => (await import('./code-mode/measure.mjs')).measureCodeMode,
  'code-mode-load': async () => (await import('./code-mode-load/measure.mjs')).measureCodeModeLoad,
  soak: async () => (await import('./soak/measure.mjs')).measureSoak,
  'gateway-soak': async () => (await import('./gateway-soak/measure.mjs')).measureGatewaySoak,
};
const names = Object.keys(parts);
/** Measured only when they are named: two take ten minutes, one needs data from elsewhere, one needs Chromium, and one has no target in the summary. */
const ONLY_NAMED = ['soak', 'gateway-soak', 'search', 'telemetry', 'console'];
const peers = ['@modelcontextprotocol/sdk', '@modelcontextprotocol/server', 'fastmcp', 'tmcp', 'mcp-lite'];

/** Fewer rounds are a trial. */
const LEAST_ROUNDS = 12;
const commands = ['report', 'check', 'reference'];

const { wanted, asked, options } = readArguments();
const isTrial = wanted.length > 0 && wanted.some(name => !name.endsWith('soak')) && options.rounds < LEAST_ROUNDS;
const folder = process.env.TENON_BENCH_RESULTS ?? (isTrial ? join(root, '.cache/bench') : publishedFolder);
await mkdir(folder, { recursive: true });
await installBenchPackages();
for (const name of wanted) await run(name);
if (asked.includes('check')) checkReference(readParts(folder));
else if (asked.includes('reference')) await writeReference(readParts(folder));
else await writeSummary(folder);
if (isTrial) console.log(`${options.rounds} rounds are a trial: the results are in ${folder}`);

function readArguments() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        rounds: { type: 'string', default: String(LEAST_ROUNDS) },
        minutes: { type: 'string', default: '10' },
        connections: { type: 'string', default: '32' },
      },
    });
    const unknown = positionals.find(name => !commands.includes(name) && !Object.hasOwn(parts, name));
    if (unknown !== undefined) throw new Error(`there is no part ${unknown}`);
    const options = {
      rounds: readNumber('rounds', values.rounds),
      minutes: readNumber('minutes', values.minutes),
      connections: readNumber('connections', values.connections),
    };
    const usual = names.filter(name => !ONLY_NAMED.includes(name));
    const wanted = positionals.length === 0 ? usual : names.filter(name => positionals.includes(name));
    return { wanted, asked: positionals, options };
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    console.error(
      `usage: npm run bench -- [${names.join('] [')}] [${commands.join(' | ')}] [--rounds=12] [--minutes=10] [--connections=32]`,
    );
    process.exit(2);
  }
}

/** @param {string} name @param {string} text */
function readNumber(name, text) {
  const value = Number(text);
  if (!(value > 0)) throw new Error(`--${name} must be a number above 0, not ${text}`);
  return value;
}

/** @param {string} name */
async function run(name) {
  const measure = await parts[name]?.();
  if (measure === undefined) return;
  // Before the measurement: a package that is missing must not cost its results.
  const machine = describeMachine();
  const { results, markdown } = await measure(options);
  const when = new Date().toISOString();
  const about = `${Object.entries(machine)
    .map(([what, is]) => `${what} ${is}`)
    .join(', ')}, ${when}\n`;
  await writeFile(join(folder, `${name}.json`), `${JSON.stringify({ when, machine, results }, undefined, 2)}\n`);
  await writeFile(join(folder, `${name}.md`), `${markdown}\n${about}`);
  console.log(`${markdown}\n${about}`);
}

function describeMachine() {
  const version = (/** @type {string} */ name) => readJson(join(getPackageFolder(name), 'package.json')).version;
  return {
    node: process.version,
    platform: `${platform()} ${arch()}`,
    cpus: `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}`,
    tenon: readJson(join(root, 'packages/tenon/package.json')).version,
    ...Object.fromEntries(peers.map(name => [name, version(name)])),
  };
}
