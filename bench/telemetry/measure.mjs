// @ts-check
/** Measures the CPU time that telemetry adds to a call, and the part of it that the SDK of OpenTelemetry takes. */
import { fileURLToPath } from 'node:url';
import { connectOverHttp, echo } from '../load.mjs';
import { measureServers, startProgram } from '../measure-servers.mjs';
import { measureWorkers } from '../measure-workers.mjs';
import { formatNumber, formatRatios, heading, median, RATIOS_NOTE, range, table } from '../report.mjs';

const VERSION = '2026-07-28';
const IN_FLIGHT = 16;
const here = (/** @type {string} */ name) => fileURLToPath(new URL(name, import.meta.url));

/** `floor`: the mode that calls the same SDK by hand. @typedef {{ mode: string, name: string, note: string, floor?: string }} Mode */
/** @typedef {{ mode: string, name: string, note: string, floor?: string, samples: { cpu: number }[] }} Measured */

/** @type {readonly Mode[]} */
const SERVERS = [
  { mode: 'none', name: 'no telemetry', note: 'the server has no `telemetry`' },
  { mode: 'context', name: 'a context alone', note: 'the tool runs in an `AsyncLocalStorage`, without OpenTelemetry' },
  { mode: 'api', name: 'telemetry alone', note: 'the API of OpenTelemetry without an SDK, which records nothing' },
  { mode: 'metrics-by-hand', name: 'floor of measurements', note: 'one `record` around the tool, by hand' },
  { mode: 'metrics', name: 'measurements', floor: 'metrics-by-hand', note: 'the SDK of measurements alone' },
  {
    mode: 'gateway',
    name: 'measurements and contexts',
    floor: 'metrics-by-hand',
    note: 'as `tenon gateway --metrics` records them',
  },
  {
    mode: 'spans-by-hand',
    name: 'floor of spans and measurements',
    note: 'one span with the attributes of the conventions, and one `record`, by hand',
  },
  {
    mode: 'spans',
    name: 'spans and measurements',
    floor: 'spans-by-hand',
    note: 'the SDK of OpenTelemetry, which exports nothing',
  },
];

/** @type {readonly Mode[]} */
const ROUND_TRIPS = [
  { mode: 'none', name: 'no telemetry', note: 'neither end has `telemetry`' },
  { mode: 'metrics', name: 'measurements', note: 'at both ends' },
  { mode: 'spans-by-hand', name: 'floor of spans and measurements', note: 'at both ends, by hand' },
  { mode: 'spans', name: 'spans and measurements', floor: 'spans-by-hand', note: 'at both ends' },
];

/** @param {{ rounds: number, connections: number }} options */
export async function measureTelemetry({ rounds, connections }) {
  const servers = await measureServerModes(rounds, connections);
  const roundTrips = await measureRoundTrips(rounds);
  return { results: { measured: servers, roundTrips }, markdown: toMarkdown(servers, roundTrips) };
}

/** @param {number} rounds @param {number} connections @returns {Promise<Measured[]>} */
async function measureServerModes(rounds, connections) {
  const measured = await measureServers(
    SERVERS,
    async ({ mode }) => {
      const { child, url } = await startProgram([here('server.mjs'), mode]);
      return { child, caller: await connectOverHttp(url, VERSION, connections) };
    },
    rounds,
    () => [{ id: 'call', call: echo, inFlight: connections, seconds: 1.2, warmUp: { most: 20_000, seconds: 6 } }],
  );
  return measured.map(({ samples, ...mode }) => ({ ...mode, samples: samples.call ?? [] }));
}

/** @param {number} rounds @returns {Promise<Measured[]>} */
async function measureRoundTrips(rounds) {
  const specs = ROUND_TRIPS.map(each => ({ ...each, revision: VERSION, args: [here('round-trip.mjs'), each.mode] }));
  const loads = [{ inFlight: IN_FLIGHT, seconds: 1.2 }];
  const measured = await measureWorkers(specs, { rounds, loads, warmUp: [{ inFlight: IN_FLIGHT, seconds: 6 }] });
  return measured.map(({ args: _, revision: __, found: [samples = []], ...mode }) => ({ ...mode, samples }));
}

/** @param {readonly Measured[]} servers @param {readonly Measured[]} roundTrips */
function toMarkdown(servers, roundTrips) {
  return [
    heading(2, 'What telemetry adds to a call'),
    `Calls of a tool on ${VERSION} over HTTP. ${RATIOS_NOTE} What is added is the median of the differences of each round. A *floor* calls the same SDK with constants around the tool, so its ratio is what any implementation pays at least.\n\n`,
    heading(3, 'The server'),
    toTable(servers),
    '\n',
    heading(3, 'A client and its server in one process'),
    `The CPU time of both ends together, ${IN_FLIGHT} calls in flight.\n\n`,
    toTable(roundTrips),
  ].join('');
}

/** @param {readonly Measured[]} measured */
function toTable(measured) {
  const [base] = measured;
  const rows = measured.map(({ name, note, floor, samples }) => {
    const added = samples.map(({ cpu }, round) => cpu - (base?.samples[round]?.cpu ?? Number.NaN));
    const byHand = measured.find(({ mode }) => mode === floor);
    return [
      name,
      range(samples.map(({ cpu }) => cpu)),
      formatNumber(median(added)),
      formatRatios(samples, base?.samples, 'cpu'),
      formatRatios(samples, byHand?.samples, 'cpu'),
      note,
    ];
  });
  return table(['telemetry', 'CPU, µs', 'added, µs', '× no telemetry', '× floor', 'about'], rows);
}
