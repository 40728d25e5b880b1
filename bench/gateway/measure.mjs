// @ts-check
/** What a call costs that goes through a gateway, beside one that goes directly, and beside other gateways. */
import { join } from 'node:path';
import { readJson } from '../../scripts/process.mjs';
import { closeConnections, load, quantile } from '../load.mjs';
import { getPackageFolder } from '../packages.mjs';
import { firstLine, readCpuTime, readResidentMemory, startNode, stop } from '../processes.mjs';
import { formatRatios, heading, median, RATIOS_NOTE, rotate, table } from '../report.mjs';
import { createScenarios, IN_FLIGHT, upstream } from './scenarios.mjs';

/** @typedef {import('./scenarios.mjs').Scenario} Scenario */
/** @typedef {import('./scenarios.mjs').Subject} Subject */
/** @typedef {import('./scenarios.mjs').Started} Started */
/** Microseconds per call, and microseconds of latency. `behind`: of the server behind it. @typedef {{ cpu: number, behind: number, p50: number, p99: number, rate: number }} Sample */
/** @typedef {{ name: string, mode: string, alone: Sample[], together: Sample[], megabytes: number }} Measured */
/** @typedef {{ id: string, title: string, revision: string, measured: Measured[] }} Result */

/** Calls after which all is compiled, and the seconds after which that is not waited for any longer. */
const WARM_UP = { calls: 8000, seconds: 5 };
/** Seconds of a sample. */
const SAMPLE = 1;
const MICRO = 1_000_000;
const peers = ['mcp-proxy', 'supergateway', 'mcp-remote'];

/** @param {{ rounds: number }} options `TENON_BENCH_SCENARIOS` names the scenarios, where not all are wanted */
export async function measureGateway({ rounds }) {
  const versions = Object.fromEntries(
    peers.map(name => [name, readJson(join(getPackageFolder(name), 'package.json')).version]),
  );
  const wanted = process.env.TENON_BENCH_SCENARIOS?.split(',');
  /** @type {Result[]} */
  const results = [];
  for (const scenario of createScenarios()) {
    if (wanted && !wanted.includes(scenario.id) && !wanted.includes(`${scenario.id}-${scenario.revision}`)) continue;
    results.push(await measureScenario(scenario, rounds));
  }
  return { results: { versions, scenes: results }, markdown: toMarkdown(results, versions, rounds) };
}

/** All subjects of a scenario are up at the same time; one at a time is called. @param {Scenario} scenario @param {number} rounds @returns {Promise<Result>} */
async function measureScenario({ id, title, revision: version, overHttp, subjects }, rounds) {
  /** @type {{ subject: Subject, started: Started, server: import('node:child_process').ChildProcess | undefined, measured: Measured }[]} */
  const up = [];
  console.error(title);
  try {
    for (const subject of subjects) {
      const server = overHttp && subject.name !== 'direct' ? startNode([upstream, version, '--http']) : undefined;
      const url = server && (await firstLine(server));
      const started = await subject.start({ revision: subject.clientRevision ?? version, behind: version, url });
      const measured = { name: subject.name, mode: subject.mode, alone: [], together: [], megabytes: 0 };
      up.push({ subject, started, server, measured });
      await load(started.caller, IN_FLIGHT, WARM_UP.seconds, { most: WARM_UP.calls });
    }
    for (let round = 0; round < rounds; round += 1) {
      for (const { started, server, measured } of rotate(up, round)) {
        measured.alone.push(await sample(started, server, 1));
        measured.together.push(await sample(started, server, IN_FLIGHT));
        measured.megabytes = readResidentMemory(/** @type {number} */ (started.child.pid));
      }
    }
  } finally {
    for (const { started } of up) closeConnections(started.caller);
    await Promise.all(up.flatMap(({ started, server }) => [stop(started.child), ...(server ? [stop(server)] : [])]));
  }
  return { id, title, revision: version, measured: up.map(({ measured }) => measured) };
}

/** @param {Started} started @param {import('node:child_process').ChildProcess | undefined} server @param {number} inFlight @returns {Promise<Sample>} */
async function sample({ child, caller }, server, inFlight) {
  const counted = () => ({
    gateway: readCpuTime([/** @type {number} */ (child.pid)]),
    behind: server ? readCpuTime([/** @type {number} */ (server.pid)]).own : 0,
  });
  const before = counted();
  const { calls, seconds, latencies } = await load(caller, inFlight, SAMPLE);
  const after = counted();
  const own = after.gateway.own - before.gateway.own;
  const started = after.gateway.all - before.gateway.all - own;
  return {
    cpu: (own * MICRO) / calls,
    behind: ((started + after.behind - before.behind) * MICRO) / calls,
    p50: quantile(latencies, 0.5),
    p99: quantile(latencies, 0.99),
    rate: calls / seconds,
  };
}

/** @param {readonly Result[]} results @param {Record<string, string>} versions @param {number} rounds */
function toMarkdown(results, versions, rounds) {
  const named = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  return [
    heading(2, 'What a `tools/call` costs through a gateway'),
    `Each gateway in its own process, and with a server of its own behind it: bare Node, one tool. One load generator for all, over raw sockets and pipes; every answer is looked at. \`floor\` is a gateway of bare Node that checks nothing. ${rounds} rounds, interleaved; medians, and for the CPU from least to most. ${RATIOS_NOTE} `,
    'The main figure is the CPU of the gateway per call, as the operating system has counted it; on a busy machine the times and the rates tell little. `server` is what the server behind it, or the processes that it starts, cost per call. ',
    `Peers: ${named.join(', ')}.\n`,
    ...results.map(toTable),
  ].join('\n');
}

/** @param {Result} result */
function toTable({ title, measured }) {
  const base = measured.find(({ name }) => name === 'tenon');
  const floor = measured.find(({ name }) => name === 'floor');
  const proxy = measured.find(({ name }) => name === 'bare proxy');
  const direct = measured.find(({ name }) => name === 'direct');
  const of = (/** @type {Sample[] | undefined} */ samples, /** @type {keyof Sample} */ what) =>
    median((samples ?? []).map(each => each[what]));
  const whole = (/** @type {number} */ value) => value.toFixed(0);
  const range = (/** @type {Sample[]} */ samples) => {
    const values = samples.map(({ cpu }) => cpu);
    return `${whole(Math.min(...values))} to ${whole(Math.max(...values))}`;
  };
  const rows = measured.map(({ name, mode, alone, together, megabytes }) => [
    name,
    `${whole(of(together, 'cpu'))} (${range(together)})`,
    ...(proxy ? [name === 'direct' ? '–' : formatRatios(together, proxy.together, 'cpu')] : []),
    name === 'direct' ? '–' : formatRatios(together, floor?.together, 'cpu'),
    name === 'direct' ? '–' : formatRatios(together, base?.together, 'cpu'),
    whole(of(together, 'behind')),
    `${whole(of(alone, 'cpu'))} (${range(alone)})`,
    `${whole(of(alone, 'p50'))} / ${whole(of(alone, 'p99'))}`,
    name === 'direct' ? '–' : whole(of(alone, 'p50') - of(direct?.alone, 'p50')),
    `${whole(of(together, 'p50'))} / ${whole(of(together, 'p99'))}`,
    whole(of(together, 'rate')),
    whole(megabytes),
    mode,
  ]);
  const head = [
    'through',
    `CPU, µs, ${IN_FLIGHT} in flight`,
    ...(proxy ? ['× bare proxy'] : []),
    '× floor',
    '× tenon',
    'server, µs',
    'CPU, µs, 1 in flight',
    'p50 / p99, µs, 1 in flight',
    'more than direct, µs',
    `p50 / p99, µs, ${IN_FLIGHT} in flight`,
    'calls per second',
    'RSS, MB',
    'mode',
  ];
  return `${heading(3, title[0]?.toUpperCase() + title.slice(1))}${table(head, rows)}`;
}
