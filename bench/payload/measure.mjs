// @ts-check
/** What large messages and many tools cost a server on HTTP. */
import { selectSubjects, startPeer } from '../http/subjects.mjs';
import { echo } from '../load.mjs';
import { measureServers } from '../measure-servers.mjs';
import { formatRatios, heading, median, range, table } from '../report.mjs';
import { argument, list, MIB, page, TOOLS } from './calls.mjs';
import { measureHeld } from './held.mjs';

/** @typedef {import('../http/subjects.mjs').Subject} Subject */
/** @typedef {import('../measure-servers.mjs').Workload} Workload */
/** @typedef {Subject & { samples: Record<string, import('../measure-servers.mjs').Sample[]>, held?: import('./held.mjs').Held }} Measured */

const CONNECTIONS = 4;
const all = { inFlight: CONNECTIONS, seconds: 0.3, warmUp: { most: 4000, seconds: 0.3 } };
/** With one tool for each kind of message. @type {Workload[]} */
const withFew = [
  { id: 'result', call: page(MIB), ...all },
  { id: 'argument', call: argument('length', MIB), ...all },
  { id: 'oneOfFew', call: echo, ...all, seconds: 0.5 },
];
/** With a thousand. @type {Workload[]} */
const withMany = [
  { id: 'list', call: list, ...all },
  { id: 'oneOfMany', call: echo, ...all, seconds: 0.5 },
];

/** @type {Subject[]} */
const prepared = ['2025-11-25', '2026-07-28'].map(version => ({
  name: 'floor, list kept',
  revision: version,
  program: 'floor',
  mode: { json: `${version} kept` },
  note: 'the same, with the bytes of its list made once',
}));

/** @param {{ rounds: number }} options `TENON_BENCH_ONLY` names the peers, where not all are wanted */
export async function measurePayload({ rounds }) {
  const subjects = selectSubjects('json').filter(({ name }) => name !== 'v2 on Hono');
  console.error('large messages');
  const few = { tools: ['echo', 'length', 'page'], more: 0 };
  const large = await measureServers(
    subjects,
    each => startPeer(each, 'json', few, CONNECTIONS),
    rounds,
    () => withFew,
  );
  console.error('many tools');
  const many = { tools: ['echo'], more: TOOLS - 1 };
  const long = await measureServers(
    [...subjects, ...prepared],
    each => startPeer(each, 'json', many, CONNECTIONS),
    rounds,
    () => withMany,
  );
  console.error('what is held');
  /** @type {Measured[]} */
  const measured = [];
  for (const [at, subject] of long.entries()) {
    const samples = { ...subject.samples, ...large[at]?.samples };
    measured.push(
      at < subjects.length ? { ...subject, samples, held: await measureHeld(subject) } : { ...subject, samples },
    );
  }
  return { results: { connections: CONNECTIONS, measured }, markdown: toMarkdown(measured, rounds) };
}

/** @param {readonly Measured[]} measured @param {number} rounds */
function toMarkdown(measured, rounds) {
  return [
    heading(2, 'Large messages and many tools'),
    `Each server in its own process, ${CONNECTIONS} connections with a call each; every answer is looked at. ${rounds} rounds, interleaved; medians, from least to most. The CPU is that of the server per request, as the operating system has counted it.\n`,
    heading(3, 'A text of 1 MiB in a result, and in an argument'),
    'Held: what stays in memory of a message of this size, after garbage collection, while a call that got it is not done, or while a client does not read its answer. More than the floor: another copy.\n',
    toLargeMessageTable(measured),
    heading(3, `${TOOLS} tools`),
    'All in one page. `floor, list kept` writes bytes that it made once.\n',
    toManyToolsTable(measured),
  ].join('\n');
}

/** Milliseconds. @param {readonly Measured[]} measured @param {Measured} of @param {string} id @param {readonly string[]} bases */
const cells = (measured, { revision: version, samples }, id, bases) => [
  range((samples[id] ?? []).map(({ cpu }) => cpu / 1000)),
  ...bases.map(who =>
    formatRatios(
      samples[id] ?? [],
      measured.find(each => each.name === who && each.revision === version)?.samples[id],
      'cpu',
    ),
  ),
];

const bases = ['floor', 'checked floor', 'tenon'];
const times = bases.map(base => `× ${base}`);

/** @param {readonly Measured[]} measured */
function toLargeMessageTable(measured) {
  const rows = measured.flatMap(each =>
    each.held === undefined
      ? []
      : [
          [
            each.name,
            each.revision,
            ...cells(measured, each, 'result', bases),
            ...cells(measured, each, 'argument', bases),
            ...[each.held.result, each.held.argument].map(held => held.toFixed(2)),
            Math.max(...(each.samples.argument ?? []).map(({ megabytes }) => megabytes)).toFixed(0),
            each.note,
          ],
        ],
  );
  const head = ['server', 'revision', '1 MiB result: CPU, ms', ...times, '1 MiB argument: CPU, ms', ...times];
  return table([...head, 'held of a result, × its size', 'held of an argument', 'RSS at most, MB', 'mode'], rows);
}

/** @param {readonly Measured[]} measured */
function toManyToolsTable(measured) {
  const rows = measured.map(each => [
    each.name,
    each.revision,
    ...cells(measured, each, 'list', bases),
    ...cells(measured, each, 'oneOfMany', ['checked floor', 'tenon']),
    each.samples.oneOfFew ? median(each.samples.oneOfFew.map(({ cpu }) => cpu / 1000)).toFixed(3) : '–',
    formatRatios(each.samples.oneOfMany ?? [], each.samples.oneOfFew, 'cpu'),
    each.note,
  ]);
  const call = `\`tools/call\` with ${TOOLS} tools: CPU, ms`;
  const head = ['server', 'revision', '`tools/list`: CPU, ms', ...times, call, '× checked floor', '× tenon'];
  return table([...head, 'with 3 tools: CPU, ms', `${TOOLS} tools × 3 tools`, 'mode'], rows);
}
