// @ts-check
/** What an open stream holds, and for how long a notification to many of them keeps the event loop busy. */
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { PER_REQUEST } from '../connections.mjs';
import { countable, readHeap } from '../heap.mjs';
import { firstLine, startNode, stop } from '../processes.mjs';
import { formatNumber, heading, median, range, rotate, table } from '../report.mjs';
import { listen, openStream } from '../soak/subscribers.mjs';

/** @typedef {{ name: string, revision: string, program: string, note: string }} Subject */
/** KiB of one stream; ms of the longest turn, by the clock and of CPU; ms until the last one was told. @typedef {{ heap: number, wall: number, cpu: number, last: number }} Sample */

const STREAMS = 5000;
const WARM_UP = 200;
const AT_ONCE = 50;
const NOTIFICATIONS = 3;
/** The heap is the same each time, and each round has its notifications. */
const MOST_ROUNDS = 3;
const KIB = 1024;
const URIS = ['note://1'];
const SESSIONS = '2025-11-25';

/** @type {Subject[]} */
const subjects = [SESSIONS, PER_REQUEST].flatMap(version => [
  {
    name: 'floor',
    revision: version,
    program: 'floor',
    note: 'bare `node:http`: holds the responses, writes to all at once',
  },
  {
    name: 'tenon',
    revision: version,
    program: 'tenon',
    note: version === SESSIONS ? 'the GET stream of a session that has subscribed' : '`subscriptions/listen`',
  },
]);

/** @param {{ rounds: number }} options `TENON_BENCH_ONLY` names the subjects where not all are wanted */
export async function measureStreams({ rounds }) {
  const only = process.env.TENON_BENCH_ONLY?.split(',');
  /** @type {(Subject & { samples: Sample[] })[]} */
  const measured = subjects
    .filter(({ name }) => only === undefined || only.includes(name))
    .map(subject => ({ ...subject, samples: [] }));
  for (let round = 0; round < Math.min(rounds, MOST_ROUNDS); round += 1) {
    for (const { samples, ...subject } of rotate(measured, round)) samples.push(await measure(subject));
  }
  return { results: { streams: STREAMS, measured }, markdown: toMarkdown(measured) };
}

/** @param {Subject} subject @returns {Promise<Sample>} */
async function measure({ program, revision: version }) {
  const child = startNode([...countable, fileURLToPath(new URL(`${program}.mjs`, import.meta.url))]);
  const url = await firstLine(child);
  /** @type {import('node:net').Socket[]} */
  const sockets = [];
  try {
    await openMany(url, version, WARM_UP, sockets);
    const before = await readHeap(child);
    await openMany(url, version, STREAMS - WARM_UP, sockets);
    const after = await readHeap(child);
    const turns = [];
    for (let time = 0; time < NOTIFICATIONS; time += 1) turns.push(await notify(child, sockets));
    return {
      heap: (after.heap - before.heap) / KIB / (STREAMS - WARM_UP),
      wall: median(turns.map(({ wall }) => wall)),
      cpu: median(turns.map(({ cpu }) => cpu)),
      last: median(turns.map(({ last }) => last)),
    };
  } finally {
    for (const socket of sockets) socket.destroy();
    await stop(child);
  }
}

/** @param {string} url @param {string} version @param {number} count @param {import('node:net').Socket[]} sockets */
async function openMany(url, version, count, sockets) {
  const end = sockets.length + count;
  let begun = sockets.length;
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      while (begun < end) {
        begun += 1;
        const socket = await (version === PER_REQUEST ? listen(url, URIS) : openStream(url, URIS));
        const [first] = await once(socket, 'data');
        if (!/^HTTP\/1\.1 200 /.test(String(first))) throw new Error(`a stream was answered with ${first}`);
        socket.resume();
        sockets.push(socket);
      }
    }),
  );
}

/** @param {import('node:child_process').ChildProcess} child @param {readonly import('node:net').Socket[]} sockets */
async function notify(child, sockets) {
  const start = performance.now();
  let told = 0;
  let last = 0;
  const hear = () => {
    told += 1;
    last = performance.now() - start;
  };
  for (const socket of sockets) socket.once('data', hear);
  child.stdin?.write('notify\n');
  const [line] = await once(/** @type {import('node:stream').Readable} */ (child.stdout), 'data');
  const [, found] = /^turns (.*)$/m.exec(String(line)) ?? [];
  for (const socket of sockets) socket.off('data', hear);
  if (found === undefined || told !== sockets.length)
    throw new Error(`${told} of ${sockets.length} were told: ${line}`);
  const { wall, cpu } = JSON.parse(found);
  return { wall, cpu, last };
}

/** @param {readonly (Subject & { samples: Sample[] })[]} measured */
function toMarkdown(measured) {
  const rows = measured.map(({ name, revision: version, note, samples }) => {
    const of = (/** @type {keyof Sample} */ what) => samples.map(sample => sample[what]);
    return [
      name,
      version,
      formatNumber(median(of('heap'))),
      range(of('cpu')),
      range(of('wall')),
      range(of('last')),
      note,
    ];
  });
  const head = [
    'server',
    'revision',
    'heap, KiB',
    'longest turn, ms of CPU',
    'by the clock, ms',
    'last one told, ms',
    'about',
  ];
  return [
    heading(2, 'Open streams'),
    `${STREAMS} clients listen to one resource, each over a connection of its own. The heap is what one stream holds after a collection, with what Node holds for it. Then the resource changes ${NOTIFICATIONS} times: the longest turn is the time in which nothing else ran on the event loop. Medians of ${measured[0]?.samples.length ?? 0} rounds; from least to most.\n\n`,
    table(head, rows),
  ].join('');
}
