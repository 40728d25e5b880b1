// @ts-check
/** A day in ten minutes: millions of calls, sessions that come and go, subscribers that hang. Does the server grow? */
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { countable, readHeap } from '../heap.mjs';
import { readCpuTime, startNode, stop } from '../processes.mjs';
import { formatNumber, heading, table } from '../report.mjs';
import { lineThrough, verdict } from './slope.mjs';
import { behaviors, resubscribeContinuously } from './subscribers.mjs';
import { callContinuously, openAndEndSessions } from './traffic.mjs';

/** @typedef {import('./traffic.mjs').Progress} Progress */
/** Seconds since the start, bytes, and how far it was. @typedef {import('../heap.mjs').Heap & { at: number, calls: number, sessions: number }} Look */
/** @typedef {{ minutes: number, cpu: number, before: number, left: number, looks: Look[], growth: Growth[], done: Progress }} Soaked */
/** Bytes per second with 95 %, over so many seconds. @typedef {{ what: string, slope: number, error: number, mean: number, verdict: string }} Growth */

const CALLS_PER_MINUTE = 500_000;
const SESSIONS_PER_MINUTE = 5000;
const CALLERS = 8;
const SESSION_OPENERS = 8;
/** Number of subscribers of each behavior on each protocol version. */
const SUBSCRIBERS = 6;
/** Seconds between two looks: collecting garbage stops the server. At least so many looks are taken. */
const EACH = 7.1;
const LEAST_LOOKS = 16;
/** What is left out, as a part of the looks. */
const WARM_UP = 0.25;
/** A growth over the time that is looked at that counts as none, in bytes. */
const LIMIT = 2 * 1024 * 1024;
/** Milliseconds until the server has let go of whom nobody has heard of. */
const SETTLE = 9000;
const MB = 1024 * 1024;
const versions = ['2025-11-25', '2026-07-28'];

/** @param {{ minutes?: number }} options */
export async function measureSoak({ minutes = 10 }) {
  const script = fileURLToPath(new URL('server.mjs', import.meta.url));
  const child = startNode([...countable, script]);
  try {
    const [url, uris] = await firstLines(child);
    const before = (await readHeap(child)).heap;
    const done = progressFor(minutes);
    /** @type {Look[]} */
    const looks = [];
    await Promise.all([...traffic(url, uris, done), look(child, done, looks)]);
    const cpu = readCpuTime([/** @type {number} */ (child.pid)]).own;
    await new Promise(resolve => setTimeout(resolve, SETTLE));
    const left = (await readHeap(child)).heap;
    const growth = computeGrowth(looks);
    const results = { minutes, cpu, before, left, looks, growth, done };
    return { results, markdown: toMarkdown(results) };
  } finally {
    await stop(child);
  }
}

/** @param {import('node:child_process').ChildProcess} child @returns {Promise<[string, string[]]>} */
async function firstLines(child) {
  let text = '';
  while (text.split('\n').length < 3) {
    const [chunk] = await once(/** @type {import('node:stream').Readable} */ (child.stdout), 'data');
    text += chunk;
  }
  const [url = '', uris = ''] = text.split('\n');
  return [url, JSON.parse(uris)];
}

/** @param {number} minutes @returns {Progress} */
function progressFor(minutes) {
  const start = performance.now();
  return {
    start,
    end: start + minutes * 60_000,
    calls: 0,
    wantedCalls: CALLS_PER_MINUTE * minutes,
    sessions: 0,
    wantedSessions: SESSIONS_PER_MINUTE * minutes,
    vanished: 0,
    watched: 0,
  };
}

/** @param {string} url @param {string[]} uris @param {Progress} progress @returns {Promise<void>[]} */
function traffic(url, uris, progress) {
  const times = (/** @type {number} */ count, /** @type {() => Promise<void>} */ one) =>
    Array.from({ length: count }, one);
  return [
    ...versions.flatMap(version => [
      ...times(CALLERS, () => callContinuously(url, version, progress)),
      ...behaviors.flatMap(behavior =>
        times(SUBSCRIBERS, () => resubscribeContinuously(url, uris, version, behavior, progress)),
      ),
    ]),
    ...times(SESSION_OPENERS, () => openAndEndSessions(url, progress)),
  ];
}

/** @param {import('node:child_process').ChildProcess} child @param {Progress} progress @param {Look[]} looks */
async function look(child, progress, looks) {
  const { start, end } = progress;
  const count = Math.max(LEAST_LOOKS, Math.round((end - start) / 1000 / EACH));
  for (let at = 1; at <= count; at += 1) {
    const due = start + ((end - start) * at) / count;
    await new Promise(resolve => setTimeout(resolve, Math.max(0, due - performance.now())));
    const { calls, sessions } = progress;
    looks.push({ ...(await readHeap(child)), at: (performance.now() - start) / 1000, calls, sessions });
  }
}

/** @param {readonly Look[]} looks @returns {Growth[]} */
function computeGrowth(looks) {
  const warm = looks.slice(Math.floor(looks.length * WARM_UP));
  const xs = warm.map(({ at }) => at);
  const span = (xs.at(-1) ?? 0) - (xs[0] ?? 0);
  /** @type {Record<string, (look: Look) => number>} */
  const kinds = { heap: ({ heap }) => heap, 'outside the heap': ({ outside }) => outside };
  return Object.entries(kinds).map(([what, of]) => {
    const line = lineThrough(xs, warm.map(of));
    return { what, ...line, verdict: verdict(line, span, LIMIT) };
  });
}

/** @param {Soaked} soaked */
function toMarkdown({ minutes, cpu, before, left, looks, growth, done }) {
  const warm = looks.slice(Math.floor(looks.length * WARM_UP));
  const [first, last] = [warm[0], warm.at(-1)];
  const span = (last?.at ?? 0) - (first?.at ?? 0);
  const calls = (last?.calls ?? 0) - (first?.calls ?? 0);
  const mb = (/** @type {number} */ bytes) => (bytes / MB).toFixed(2);
  const rows = growth.map(({ what, slope, error, mean, verdict }) => [
    what,
    mb(mean),
    `${mb(slope * span)} ± ${mb(error * span)}`,
    `${((slope * span) / calls).toFixed(3)} ± ${((error * span) / calls).toFixed(3)}`,
    verdict,
  ]);
  const steps = looks.filter((_, at) => (at + 1) % Math.ceil(looks.length / 10) === 0);
  const course = steps.map(({ at, calls, sessions, heap, outside, rss }) => [
    at.toFixed(0),
    calls.toLocaleString('en'),
    sessions.toLocaleString('en'),
    mb(heap),
    mb(outside),
    mb(rss),
  ]);
  const head = ['what', 'mean, MB', `growth in ${span.toFixed(0)} s, MB, with 95 %`, 'bytes per call', 'verdict'];
  return [
    heading(2, 'Soak'),
    `${minutes} minutes on one server: ${done.calls.toLocaleString('en')} calls, half of them in sessions; ${done.sessions.toLocaleString('en')} sessions that came and went, one in two without a word; ${done.watched.toLocaleString('en')} subscribers, of whom a third read nothing; ${done.vanished.toLocaleString('en')} callers who were gone before the answer. `,
    `A session that nobody uses ends after three seconds. What is in use is counted after collecting garbage; the first quarter is warm-up. No growth: it cannot have been as much as ${mb(LIMIT)} MB.\n\n`,
    table(head, rows),
    `\nHeap before: ${mb(before)} MB; when all had gone: ${mb(left)} MB. CPU of the server: ${formatNumber(cpu)} s.\n\n`,
    table(['seconds', 'calls', 'sessions', 'heap, MB', 'outside, MB', 'RSS, MB'], course),
  ].join('');
}
