// @ts-check
/** What a call costs a server on the standard streams. */
import { fileURLToPath } from 'node:url';
import { quantile } from '../load.mjs';
import { readCpuTime, readResidentMemory, startNode, stop } from '../processes.mjs';
import { formatRatios, heading, median, RATIOS_NOTE, range, rotate, table } from '../report.mjs';
import { loadPipes, openPipes } from './window.mjs';

/** `clientRevision`: the protocol version that is spoken to it. `base`: the floor that it is compared with. @typedef {{ name: string, revision: string, clientRevision?: string, mode: string, script: string }} Subject */
/** Microseconds, and calls per second. @typedef {{ cpu: number, p50: number, p99: number, rate: number }} Sample */
/** @typedef {Subject & { alone: Sample[], together: Sample[], megabytes: number }} Measured */

export const IN_FLIGHT = 64;
/** Seconds. */
const SAMPLE = { alone: 0.6, together: 0.8 };
const WARM_UP = { alone: 0.4, together: 1.6 };
const MICRO = 1_000_000;
const sessions = '2025-11-25';
const perRequest = '2026-07-28';

/** @type {Subject[]} */
export const subjects = [
  ...[sessions, perRequest].flatMap(version => [
    { name: 'floor', revision: version, mode: 'bare Node: parses, answers canned', script: 'floor' },
    {
      name: 'floor, joined',
      revision: version,
      mode: 'the same, one write for all that came together',
      script: 'joined',
    },
    {
      name: 'floor, readline',
      revision: version,
      mode: 'that of the part `crosscheck`: `readline`, one write for each response',
      script: '../../crosscheck/stdio-floor',
    },
    { name: 'checked floor', revision: version, mode: 'checks envelope and argument, routes', script: 'checked' },
    { name: 'tenon', revision: version, mode: '`serveStdio`', script: 'tenon' },
  ]),
  { name: 'v1', revision: sessions, mode: '`StdioServerTransport`', script: 'v1' },
  { name: 'v2', revision: sessions, mode: '`serveStdio`', script: 'v2' },
  { name: 'v2', revision: perRequest, mode: '`serveStdio`', script: 'v2' },
  { name: 'fastmcp', revision: sessions, mode: "`transportType: 'stdio'`", script: 'fastmcp' },
  {
    name: 'tmcp',
    revision: sessions,
    clientRevision: '2025-06-18',
    mode: '2025-06-18: its newest with sessions',
    script: 'tmcp',
  },
  { name: 'tmcp', revision: perRequest, mode: '`StdioTransport`', script: 'tmcp' },
];

/** @param {{ rounds: number }} options */
export async function measureStdio({ rounds }) {
  /** @type {{ measured: Measured, child: import('node:child_process').ChildProcess, pipes: import('./window.mjs').Pipes }[]} */
  const up = [];
  try {
    for (const subject of subjects) {
      const { child, pipes } = await startSubject(subject);
      up.push({ measured: { ...subject, alone: [], together: [], megabytes: 0 }, child, pipes });
      await loadPipes(pipes, IN_FLIGHT, WARM_UP.together);
      await loadPipes(pipes, 1, WARM_UP.alone);
    }
    for (let round = 0; round < rounds; round += 1) {
      for (const { measured, child, pipes } of rotate(up, round)) {
        const pid = /** @type {number} */ (child.pid);
        measured.alone.push(await sample(pid, pipes, 1, SAMPLE.alone));
        measured.together.push(await sample(pid, pipes, IN_FLIGHT, SAMPLE.together));
        measured.megabytes = readResidentMemory(pid);
      }
    }
  } finally {
    await Promise.all(up.map(({ child }) => stop(child)));
  }
  const results = up.map(({ measured }) => measured);
  return { results, markdown: toMarkdown(results, rounds) };
}

/** @param {Subject} subject @param {string[]} [flags] of Node */
export async function startSubject({ revision, clientRevision = revision, script }, flags = []) {
  const file = fileURLToPath(new URL(`../peers/stdio/${script}.mjs`, import.meta.url));
  const child = startNode([...flags, file, clientRevision]);
  return { child, pipes: await openPipes(child, clientRevision) };
}

/** @param {number} pid @param {import('./window.mjs').Pipes} pipes @param {number} inFlight @param {number} seconds @returns {Promise<Sample>} */
async function sample(pid, pipes, inFlight, seconds) {
  const before = readCpuTime([pid]).own;
  const { calls, seconds: took, latencies } = await loadPipes(pipes, inFlight, seconds);
  const cpu = ((readCpuTime([pid]).own - before) * MICRO) / calls;
  return { cpu, p50: quantile(latencies, 0.5), p99: quantile(latencies, 0.99), rate: calls / took };
}

/** @param {readonly Measured[]} results @param {number} rounds */
function toMarkdown(results, rounds) {
  const parts = [sessions, perRequest].map(version => {
    const of = results.filter(each => each.revision === version);
    const bases = ['floor', 'checked floor', 'tenon'].map(name => of.find(each => each.name === name));
    const rows = of.map(({ name, mode, alone, together, megabytes }) => [
      name,
      range(together.map(({ cpu }) => cpu)),
      ...bases.map(base => formatRatios(together, base?.together, 'cpu')),
      range(alone.map(({ cpu }) => cpu)),
      `${median(alone.map(({ p50 }) => p50)).toFixed(0)} / ${median(alone.map(({ p99 }) => p99)).toFixed(0)}`,
      median(together.map(({ rate }) => rate)).toFixed(0),
      megabytes.toFixed(0),
      mode,
    ]);
    const head = [
      'server',
      `CPU, µs, ${IN_FLIGHT} in flight`,
      '× floor',
      '× checked floor',
      '× tenon',
      'CPU, µs, 1 in flight',
      'there and back, p50 / p99, µs',
      'calls per second',
      'RSS, MB',
      'mode',
    ];
    return `${heading(3, version)}${table(head, rows)}`;
  });
  return [
    heading(2, '`tools/call` on stdio'),
    `Each server in its own process, one tool with a zod schema (the floors check by hand). ${IN_FLIGHT} calls under way at each moment, or one; every answer is looked at. ${rounds} rounds, interleaved; medians, and in brackets from least to most. ${RATIOS_NOTE} CPU is that of the server per call, as the operating system has counted it.\n\n`,
    parts.join('\n'),
  ].join('');
}
