// @ts-check
/**
 * The time of calls through a gateway while a program of another caller computes until the limit of 5 s, beside the same
 * calls without it. A third window has a process of its own that computes as long, in place of the program: this is
 * the part of the machine.
 */
import { connect } from 'tenon';
import { upstream } from '../gateway/scenarios.mjs';
import { closeConnections, connectOverHttp, load, quantile } from '../load.mjs';
import { firstLine, startNode, stop } from '../processes.mjs';
import { formatNumber, formatRatios, heading, median, RATIOS_NOTE, rotate, table } from '../report.mjs';

/** Milliseconds of latency. @typedef {{ p50: number, p99: number, calls: number }} Sample */
/** @typedef {'alone' | 'program' | 'process'} Window */

const REVISION = '2026-07-28';
const TOOLS = ['echo', 'search_tools', 'describe_tools', 'run_program'];
const CONNECTIONS = 8;
/** Milliseconds between two calls of a connection: 200 calls per second together. */
const INTERVAL = 40;
/** Seconds of a window: as long as a program may compute. */
const SECONDS = 5;
const WARM_UP = { calls: 8000, seconds: 5 };
const MAX_RATIO = 1.1;
const BURN = 'while (true);';
const BURN_IN_PROCESS = `const end = performance.now() + ${SECONDS * 1000}; while (performance.now() < end);`;

/** @type {Record<Window, string>} */
const titles = {
  alone: 'nothing else',
  program: 'a program that computes for 5 s',
  process: 'a process of its own that computes for 5 s',
};

/** @param {{ rounds: number }} options */
export async function measureCodeModeLoad({ rounds }) {
  const server = startNode([upstream, REVISION, '--http']);
  const gateway = startNode(['bench/code-mode-load/gateway.mjs', await firstLine(server)]);
  const url = await firstLine(gateway);
  const caller = await connectOverHttp(url, REVISION, CONNECTIONS, { tools: TOOLS });
  const programs = await connect(url, { protocolVersion: REVISION });
  /** @type {Record<Window, () => Promise<void>>} */
  const disturbances = {
    alone: async () => {},
    program: () => runProgram(programs),
    process: runProcess,
  };
  /** @type {Record<Window, Sample[]>} */
  const samples = { alone: [], program: [], process: [] };
  try {
    await load(caller, CONNECTIONS, WARM_UP.seconds, { most: WARM_UP.calls });
    await programs.callTool('run_program', { program: 'return 1' });
    for (let round = 0; round < rounds; round += 1) {
      for (const name of rotate(/** @type {Window[]} */ (Object.keys(disturbances)), round)) {
        const disturbance = disturbances[name]();
        const { latencies, calls } = await load(caller, CONNECTIONS, SECONDS, { isAwake: false, interval: INTERVAL });
        await disturbance;
        samples[name].push({ p50: quantile(latencies, 0.5) / 1000, p99: quantile(latencies, 0.99) / 1000, calls });
      }
    }
  } finally {
    closeConnections(caller);
    await programs.close();
    await Promise.all([stop(gateway), stop(server)]);
  }
  return { results: samples, markdown: toMarkdown(samples, rounds) };
}

/** Runs a program until the gateway ends it. @param {import('tenon').Client} client */
async function runProgram(client) {
  const { _meta: meta } = await client.callTool('run_program', { program: BURN });
  if (!JSON.stringify(meta).includes('program/compute-time'))
    throw new Error(`the program ended with ${JSON.stringify(meta)}`);
}

async function runProcess() {
  const child = startNode(['-e', BURN_IN_PROCESS]);
  await new Promise(resolve => child.once('exit', resolve));
}

/** @param {Record<Window, Sample[]>} samples @param {number} rounds */
function toMarkdown(samples, rounds) {
  const rows = Object.entries(samples).map(([name, each]) => [
    titles[/** @type {Window} */ (name)],
    formatNumber(median(each.map(({ p50 }) => p50))),
    formatNumber(median(each.map(({ p99 }) => p99))),
    name === 'alone' ? '1' : formatRatios(each, samples.alone, 'p50'),
    name === 'alone' ? '1' : formatRatios(each, samples.alone, 'p99'),
    formatNumber(median(each.map(({ calls }) => calls))),
  ]);
  const head = ['beside the calls', 'p50, ms', 'p99, ms', '× p50', '× p99', 'calls of a window'];
  return [
    heading(2, 'Calls of others while a program computes').trim(),
    `\`tools/call\` over HTTP on ${REVISION} through a gateway in a process of its own, to a server of bare Node: ${CONNECTIONS} connections, ${1000 / (INTERVAL / CONNECTIONS)} calls per second, in windows of ${SECONDS} s. In the second window another caller runs \`${BURN}\` in code mode, until the gateway ends it at the limit. In the third a process of its own computes as long: it shows how much of the change is the machine, which has no processor for each. ${rounds} rounds, interleaved; medians. ${RATIOS_NOTE} The target for a program is a p99 of at most ${MAX_RATIO} ×.`,
    table(head, rows).trim(),
    '',
  ].join('\n\n');
}
