// @ts-check
/** What a call costs when client and server are in one process. */
import { fileURLToPath } from 'node:url';
import { measureWorkers } from '../measure-workers.mjs';
import { formatNumber, formatRatios, heading, RATIOS_NOTE, range, table } from '../report.mjs';

/** @typedef {import('../measure-workers.mjs').Measured<import('../measure-workers.mjs').WorkerSpec>} Measured */

const IN_FLIGHT = 64;
const loads = [
  { inFlight: 1, seconds: 0.5 },
  { inFlight: IN_FLIGHT, seconds: 0.5 },
];
const warmUp = [
  { inFlight: IN_FLIGHT, seconds: 1.2 },
  { inFlight: 1, seconds: 0.4 },
];
const sessions = '2025-11-25';
const perRequest = '2026-07-28';
const createWorkerSpec = (
  /** @type {string} */ name,
  /** @type {string} */ version,
  /** @type {string} */ mode,
  arg = version,
  /** @type {string[]} */ ...more
) => {
  const [script = ''] = name.split(',');
  return {
    name,
    revision: version,
    mode,
    args: [fileURLToPath(new URL(`${script}.mjs`, import.meta.url)), arg, ...more],
  };
};

export const workerSpecs = [
  createWorkerSpec(
    'floor',
    '–',
    'ids, two maps, a check by hand, a turn for each end; messages cross as they are',
    'objects',
  ),
  createWorkerSpec('floor, as text', '–', 'the same, through `JSON.stringify` and `JSON.parse` twice', 'text'),
  createWorkerSpec('tenon', sessions, '`connect(server)`'),
  createWorkerSpec('tenon', perRequest, '`connect(server)`'),
  createWorkerSpec('tenon, by reference', sessions, '`copyMessages: false`', sessions, 'by-reference'),
  createWorkerSpec('tenon, by reference', perRequest, '`copyMessages: false`', perRequest, 'by-reference'),
  createWorkerSpec('v1', sessions, '`InMemoryTransport`'),
  createWorkerSpec('v2', sessions, '`InMemoryTransport`, one server object'),
  createWorkerSpec('v2', perRequest, '`InMemoryTransport`, one server object'),
  createWorkerSpec('tmcp', '2025-06-18', '`session.callTool` of its transport for tests: no client that checks'),
  createWorkerSpec('tmcp', perRequest, '`stateless().callTool` of the same'),
];

/** @param {{ rounds: number }} options */
export async function measureMemory({ rounds }) {
  const results = await measureWorkers(workerSpecs, { rounds, loads, warmUp });
  return { results, markdown: toMarkdown(results, rounds) };
}

/** @param {readonly Measured[]} results @param {number} rounds */
function toMarkdown(results, rounds) {
  const together = (/** @type {Measured | undefined} */ of) => of?.found[1];
  const [floor, text] = results;
  const rows = results.map(each => {
    const [alone = [], many = []] = each.found;
    const own =
      results.find(({ name, revision: version }) => name === 'tenon' && version === each.revision) ?? results[2];
    return [
      each.name,
      each.revision,
      range(many.map(({ cpu }) => cpu)),
      formatRatios(many, together(floor), 'cpu'),
      formatRatios(many, together(text), 'cpu'),
      formatRatios(many, together(own), 'cpu'),
      range(alone.map(({ cpu }) => cpu)),
      formatNumber(Math.max(...many.map(({ megabytes }) => megabytes))),
      each.mode,
    ];
  });
  const head = [
    'client and server',
    'revision',
    `CPU, µs, ${IN_FLIGHT} in flight`,
    '× floor',
    '× floor, as text',
    '× tenon',
    'CPU, µs, 1 in flight',
    'RSS, MB',
    'mode',
  ];
  return [
    heading(2, '`tools/call` within one process'),
    `Client and server in one process, one process for each pair; one tool with a zod schema (the floors check by hand). Every answer is looked at. ${rounds} rounds, interleaved; medians, and in brackets from least to most. ${RATIOS_NOTE} CPU is that of the process per call, as the operating system has counted it.\n\n`,
    table(head, rows),
  ].join('');
}
