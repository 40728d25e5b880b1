// @ts-check
/** What it takes from starting a process until it has answered its first request on stdio. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { readResidentMemory } from '../processes.mjs';
import { formatNumber, formatRatios, heading, median, RATIOS_NOTE, range, rotate, table } from '../report.mjs';

/** Without a script it is Node itself, which starts and ends. @typedef {{ name: string, revision: string, mode: string, args: string[], answers: boolean }} Subject */
/** Milliseconds, and megabytes. @typedef {{ wall: number, cpu: number, megabytes: number }} Start */
/** @typedef {Subject & { starts: Start[] }} Measured */

/** Starting is cheap to repeat, and its noise is large. */
const STARTS_PER_ROUND = 2;
const LEAST_STARTS = 12;
const PATIENCE = 20_000;
const sessions = '2025-11-25';
const here = (/** @type {string} */ name) => fileURLToPath(new URL(name, import.meta.url));
const counter = here('counter.cjs');

/** @param {string} name @param {string} mode @param {string} script @param {string} [version] @returns {Subject} */
const subject = (name, mode, script, version = sessions) => ({
  name,
  revision: version,
  mode,
  args: [here(`${script}.mjs`), version],
  answers: true,
});

/** @type {Subject[]} */
const subjects = [
  { name: 'node', revision: '–', mode: '`node -e 0`, until it ends', args: ['-e', '0'], answers: false },
  subject('floor', 'bare Node that answers canned', '../peers/stdio/floor'),
  subject('tenon, JSON Schema', 'no schema library', '../peers/stdio/tenon-json-schema'),
  subject('floor, zod', 'the floor, with zod loaded', 'zod'),
  subject('tenon, zod', '', '../peers/stdio/tenon'),
  subject('tenon, zod', '', '../peers/stdio/tenon', '2026-07-28'),
  subject('v1', 'zod, which it loads by itself', '../peers/stdio/v1'),
  subject('v2, JSON Schema', '`fromJsonSchema`', '../peers/stdio/v2-json-schema'),
  subject('v2, zod', '', '../peers/stdio/v2'),
  subject('v2, zod', '', '../peers/stdio/v2', '2026-07-28'),
  subject('fastmcp', 'zod', '../peers/stdio/fastmcp'),
  subject('tmcp', 'zod', '../peers/stdio/tmcp', '2025-06-18'),
];

/** @param {{ rounds: number }} options */
export async function measureCold({ rounds }) {
  /** @type {Measured[]} */
  const results = subjects.map(each => ({ ...each, starts: [] }));
  // The first start of each reads its files from the disk.
  for (const each of results) await start(each, []);
  for (let at = 0; at < Math.max(LEAST_STARTS, rounds * STARTS_PER_ROUND); at += 1) {
    for (const each of rotate(results, at)) {
      const { wall, megabytes } = await start(each, []);
      const { cpu } = await start(each, ['--require', counter]);
      each.starts.push({ wall, cpu, megabytes });
    }
  }
  const shown = results.map(({ name, revision: version, mode, starts }) => ({ name, revision: version, mode, starts }));
  return { results: shown, markdown: toMarkdown(shown) };
}

/** One start; with flags that count, its CPU. @param {Subject} subject @param {string[]} flags @returns {Promise<Start>} */
async function start({ name, revision: version, args, answers }, flags) {
  const begun = performance.now();
  const child = spawn(process.execPath, [...flags, ...args], { stdio: ['pipe', 'pipe', 'pipe'] });
  const timer = setTimeout(() => child.kill('SIGKILL'), PATIENCE);
  let said = '';
  child.stderr.setEncoding('utf8').on('data', chunk => {
    said += chunk;
  });
  const gone = once(child, 'exit');
  if (answers) await first(child, version, name);
  else await gone;
  const wall = performance.now() - begun;
  const megabytes = answers ? readResidentMemory(/** @type {number} */ (child.pid)) : Number.NaN;
  if (answers && flags.length > 0) child.kill('SIGUSR2');
  while (flags.length > 0 && !said.includes('cpu ')) await once(child.stderr, 'data');
  child.kill('SIGKILL');
  if (child.exitCode === null && child.signalCode === null) await gone;
  clearTimeout(timer);
  return { wall, cpu: Number(/cpu (\d+)/.exec(said)?.[1]) / 1000, megabytes };
}

/** Opens, and waits for the answer. @param {import('node:child_process').ChildProcessWithoutNullStreams} child @param {string} version @param {string} name */
async function first(child, version, name) {
  const clientInfo = { name: 'bench', version: '1.0.0' };
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': version,
    'io.modelcontextprotocol/clientInfo': clientInfo,
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const opening =
    version === '2026-07-28'
      ? { method: 'server/discover', params: { _meta } }
      : { method: 'initialize', params: { protocolVersion: version, capabilities: {}, clientInfo } };
  child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, ...opening })}\n`);
  let text = '';
  for await (const chunk of child.stdout.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
    text += chunk;
    if (text.endsWith('\n')) break;
  }
  const { id, result } = JSON.parse(text);
  const speaks = result?.protocolVersion === version || result?.supportedVersions?.includes(version);
  if (id !== 1 || !speaks) throw new Error(`${name} answered ${text}`);
}

/** @param {readonly Omit<Measured, 'args' | 'answers'>[]} results */
function toMarkdown(results) {
  const [node, floor] = results;
  const zod = results.find(({ name }) => name === 'floor, zod');
  const rows = results.map(({ name, revision: version, mode, starts }) => [
    name,
    version,
    range(starts.map(({ wall }) => wall)),
    formatRatios(starts, node?.starts, 'wall'),
    formatRatios(starts, floor?.starts, 'wall'),
    formatRatios(starts, zod?.starts, 'wall'),
    range(starts.map(({ cpu }) => cpu)),
    formatRatios(starts, node?.starts, 'cpu'),
    name === 'node' ? '–' : formatNumber(median(starts.map(({ megabytes }) => megabytes))),
    mode,
  ]);
  const head = [
    'program',
    'revision',
    'time, ms',
    '× node',
    '× floor',
    '× floor, zod',
    'CPU, ms',
    'CPU × node',
    'RSS, MB',
    'mode',
  ];
  return [
    heading(2, 'From starting a process to its first answer on stdio'),
    `${results[0]?.starts.length} starts of each, interleaved; medians, and in brackets from least to most. ${RATIOS_NOTE} The request is written at once. CPU is counted in a start of its own, until the answer is there.\n\n`,
    table(head, rows),
  ].join('');
}
