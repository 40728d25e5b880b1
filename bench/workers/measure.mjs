// @ts-check
/**
 * What the option `workers` of `serveHttp` gains, and what it costs. The caller sleeps while no answer is there: one that
 * stays awake would take a processor from the workers.
 */
import { fileURLToPath } from 'node:url';
import { closeConnections, connectOverHttp, echo, load } from '../load.mjs';
import { startProgram } from '../measure-servers.mjs';
import { readCpuTime, stop } from '../processes.mjs';
import { formatNumber, heading, median, range, rotate, table } from '../report.mjs';

const SERVER = fileURLToPath(new URL('server.mjs', import.meta.url));
const VERSION = '2026-07-28';
const COUNTS = [1, 2];
const SECONDS = 1.5;
const MICRO = 1_000_000;

/** A handler that keeps its processor busy for a millisecond. @type {import('../load.mjs').Call} */
const work = {
  method: 'tools/call',
  params: () => ({ name: 'work', arguments: {} }),
  isRight: ({ answer }) => Number(answer?.result?.content?.[0]?.text) > 0,
};
const CALLS = [
  { id: 'work', title: 'a handler of 1 ms', call: work },
  { id: 'echo', title: 'a handler that returns its argument', call: echo },
];

/** Calls per second, and µs of CPU per call of the server with its workers. @typedef {{ rate: number, cpu: number }} Sample */

/** @param {{ rounds: number, connections: number }} options */
export async function measureWorkers({ rounds, connections }) {
  /** @type {{ workers: number, child: import('node:child_process').ChildProcess, caller: import('../load.mjs').Caller, samples: Record<string, Sample[]> }[]} */
  const running = [];
  try {
    for (const workers of COUNTS) {
      const { child, url } = await startProgram([SERVER, String(workers)]);
      const caller = await connectOverHttp(url, VERSION, connections, { tools: ['echo', 'work'] });
      running.push({ workers, child, caller, samples: { work: [], echo: [] } });
      for (const { call } of CALLS) await load(caller, connections, 2, { call });
    }
    for (let round = 0; round < rounds; round += 1)
      for (const { child, caller, samples } of rotate(running, round))
        for (const { id, call } of CALLS) samples[id]?.push(await takeSample(child, caller, connections, call));
  } finally {
    for (const { caller } of running) closeConnections(caller);
    await Promise.all(running.map(({ child }) => stop(child)));
  }
  const results = running.map(({ workers, samples }) => ({ workers, samples }));
  return { results, markdown: toMarkdown(results) };
}

/**
 * @param {import('node:child_process').ChildProcess} child @param {import('../load.mjs').Caller} caller
 * @param {number} connections @param {import('../load.mjs').Call} call @returns {Promise<Sample>}
 */
async function takeSample(child, caller, connections, call) {
  const pids = [/** @type {number} */ (child.pid)];
  const before = readCpuTime(pids).all;
  const { calls, seconds } = await load(caller, connections, SECONDS, { call, isAwake: false });
  return { rate: calls / seconds, cpu: ((readCpuTime(pids).all - before) * MICRO) / calls };
}

/** @param {{ workers: number, samples: Record<string, Sample[]> }[]} results */
function toMarkdown(results) {
  const [base] = results;
  const rows = CALLS.flatMap(({ id, title }) =>
    results.map(({ workers, samples }) => {
      const own = samples[id] ?? [];
      const compare = (/** @type {keyof Sample} */ key) =>
        formatNumber(
          median(own.map((sample, round) => sample[key] / (base?.samples[id]?.[round]?.[key] ?? Number.NaN))),
        );
      return [
        title,
        String(workers),
        range(own.map(({ rate }) => rate)),
        compare('rate'),
        range(own.map(({ cpu }) => cpu)),
        compare('cpu'),
      ];
    }),
  );
  return [
    heading(2, 'Workers'),
    `Calls of a tool on ${VERSION} to \`serveHttp(server, { workers })\`. The caller runs on the same processors as the workers, so a handler that does little cannot show the whole gain. CPU is that of all processes of the server. Ratios are medians of the ratios of each round.\n\n`,
    table(['call', 'workers', 'calls per second', '× one process', 'CPU, µs', '× one process'], rows),
  ].join('');
}
