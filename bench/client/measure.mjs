// @ts-check
/** What a call over HTTP costs the client on Node. */
import { fileURLToPath } from 'node:url';
import { measureWorkers } from '../measure-workers.mjs';
import { firstLine, startNode, stop } from '../processes.mjs';
import { formatNumber, formatRatios, heading, RATIOS_NOTE, range, table } from '../report.mjs';

/** @typedef {import('../measure-workers.mjs').WorkerSpec} WorkerSpec */
/** @typedef {import('../measure-workers.mjs').Measured<WorkerSpec>} Measured */

const IN_FLIGHT = 16;
const loads = [
  { inFlight: 1, seconds: 0.6 },
  { inFlight: IN_FLIGHT, seconds: 0.8 },
];
const warmUp = [
  { inFlight: IN_FLIGHT, seconds: 1.5 },
  { inFlight: 1, seconds: 0.3 },
];
const versions = ['2025-11-25', '2026-07-28'];
const here = (/** @type {string} */ name) => fileURLToPath(new URL(name, import.meta.url));

/** @param {{ rounds: number }} options */
export async function measureClient({ rounds }) {
  const results = await withServers(workerSpecs => measureWorkers(workerSpecs, { rounds, loads, warmUp }));
  return { results, markdown: toMarkdown(results, rounds) };
}

/**
 * Gives those who call, while the servers that they call are up.
 * @template T
 * @param {(workerSpecs: WorkerSpec[]) => Promise<T>} use
 */
export async function withServers(use) {
  const setup = { tools: ['echo'], more: 0 };
  const servers = versions.map(mode =>
    startNode([here('../peers/http/checked.mjs'), JSON.stringify({ mode, ...setup })]),
  );
  try {
    const urls = await Promise.all(servers.map(firstLine));
    return await use(versions.flatMap((version, at) => createWorkerSpecs(version, urls[at] ?? '')));
  } finally {
    await Promise.all(servers.map(stop));
  }
}

/** @param {string} version @param {string} url @returns {WorkerSpec[]} */
function createWorkerSpecs(version, url) {
  const createWorkerSpec = (
    /** @type {string} */ name,
    /** @type {string} */ mode,
    /** @type {string} */ script,
    arg = '',
  ) => ({
    name,
    revision: version,
    mode,
    args: [here(`${script}.mjs`), version, url, arg],
  });
  return [
    createWorkerSpec(
      'floor',
      'bare `node:http`, an agent that keeps connections; looks at status and id',
      'floor',
      'http',
    ),
    createWorkerSpec('floor, fetch', 'bare `fetch`, the same', 'floor', 'fetch'),
    createWorkerSpec('tenon', '`connect(url)`', 'tenon'),
    ...(version === '2025-11-25' ? [createWorkerSpec('v1', '`StreamableHTTPClientTransport`', 'v1')] : []),
    createWorkerSpec('v2', '`StreamableHTTPClientTransport`', 'v2'),
  ];
}

/** @param {readonly Measured[]} results @param {number} rounds */
function toMarkdown(results, rounds) {
  const parts = versions.map(version => {
    const of = results.filter(each => each.revision === version);
    const bases = ['floor', 'floor, fetch', 'tenon'].map(name => of.find(each => each.name === name)?.found[1]);
    const rows = of.map(({ name, mode, found: [alone = [], many = []] }) => [
      name,
      range(many.map(({ cpu }) => cpu)),
      ...bases.map(base => formatRatios(many, base, 'cpu')),
      range(alone.map(({ cpu }) => cpu)),
      formatNumber(Math.max(...many.map(({ megabytes }) => megabytes))),
      mode,
    ]);
    const head = [
      'client',
      `CPU, µs, ${IN_FLIGHT} in flight`,
      '× floor',
      '× floor, fetch',
      '× tenon',
      'CPU, µs, 1 in flight',
      'RSS, MB',
      'mode',
    ];
    return `${heading(3, version)}${table(head, rows)}`;
  });
  return [
    heading(2, 'The client side of `tools/call` over HTTP'),
    `Each client in its own process, and one server for all: bare Node that checks the headers and the envelope. Every answer is looked at. ${rounds} rounds, interleaved; medians, and in brackets from least to most. ${RATIOS_NOTE} CPU is that of the client per call, as the operating system has counted it.\n\n`,
    parts.join('\n'),
  ].join('');
}
