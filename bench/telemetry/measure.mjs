// @ts-check
/** What telemetry adds to a call. */
import { fileURLToPath } from 'node:url';
import { connectOverHttp, echo } from '../load.mjs';
import { measureServers, startProgram } from '../measure-servers.mjs';
import { formatNumber, formatRatios, heading, median, RATIOS_NOTE, range, table } from '../report.mjs';

const REVISION = '2026-07-28';
const SERVER = fileURLToPath(new URL('server.mjs', import.meta.url));

const MODES = [
  { mode: 'none', name: 'no telemetry', note: 'the server has no `telemetry`' },
  { mode: 'api', name: 'telemetry alone', note: 'the API of OpenTelemetry without an SDK, which records nothing' },
  { mode: 'metrics', name: 'measurements', note: 'as `tenon gateway --metrics` records them' },
  { mode: 'spans', name: 'spans and measurements', note: 'the SDK of OpenTelemetry, which exports nothing' },
];

/** @param {{ rounds: number, connections: number }} options */
export async function measureTelemetry({ rounds, connections }) {
  const measured = await measureServers(
    MODES,
    async ({ mode }) => {
      const { child, url } = await startProgram([SERVER, mode]);
      return { child, caller: await connectOverHttp(url, REVISION, connections) };
    },
    rounds,
    () => [{ id: 'call', call: echo, inFlight: connections, seconds: 1.2, warmUp: { most: 10_000, seconds: 4 } }],
  );
  const results = measured.map(({ name, note, samples }) => ({ name, note, samples: samples.call ?? [] }));
  return { results: { measured: results }, markdown: toMarkdown(results) };
}

/** @param {{ name: string, note: string, samples: import('../measure-servers.mjs').Sample[] }[]} measured */
function toMarkdown(measured) {
  const [base] = measured;
  const rows = measured.map(({ name, note, samples }) => {
    const added = samples.map(({ cpu }, round) => cpu - (base?.samples[round]?.cpu ?? Number.NaN));
    return [
      name,
      range(samples.map(({ cpu }) => cpu)),
      formatNumber(median(added)),
      formatRatios(samples, base?.samples, 'cpu'),
      note,
    ];
  });
  return [
    heading(2, 'What telemetry adds to a call'),
    `Calls of a tool on ${REVISION} over HTTP. ${RATIOS_NOTE} What is added is the median of the differences of each round.\n\n`,
    table(['server', 'CPU, µs', 'added, µs', '× no telemetry', 'about'], rows),
  ].join('');
}
