// @ts-check
/** What replicas with sessions in Redis cost. */
import { fileURLToPath } from 'node:url';
import { startProgram } from '../measure-servers.mjs';
import { stop } from '../processes.mjs';
import { formatNumber, heading, median, range, table } from '../report.mjs';
import { openSessions } from '../sessions/open-sessions.mjs';
import { measureCalls } from './calls.mjs';
import { startRedis } from './redis.mjs';
import { measureResume } from './resume.mjs';
import { measureSealing } from './sealing.mjs';

const SERVER = fileURLToPath(new URL('server.mjs', import.meta.url));
const SESSIONS = 100_000;
/** What is made once is made by then. */
const WARM_UP = 200;
const KILLS_PER_ROUND = 10;
const MILLI = 1000;

/** Bytes of Redis for one session: with all that belongs to it, and of its record alone. @typedef {{ sessions: number, bytes: number, record: number }} Stored */

/** @param {{ rounds: number, connections: number }} options */
export async function measureReplicas({ rounds, connections }) {
  const redis = await startRedis();
  try {
    const sealing = await measureSealing(rounds);
    const calls = await measureCalls(redis, rounds, connections);
    const resumed = await measureResume(redis.url, rounds * KILLS_PER_ROUND);
    const stored = await measureStored(redis);
    const results = { calls, resumed, stored, sealing };
    return { results, markdown: toMarkdown(results) };
  } finally {
    await redis.close();
  }
}

/** @param {import('./redis.mjs').Redis} redis @returns {Promise<Stored>} */
async function measureStored(redis) {
  const { child, url } = await startProgram([SERVER, JSON.stringify({ mode: redis.url, tools: ['echo'], more: 0 })]);
  try {
    await openSessions(url, '2025-11-25', WARM_UP);
    const before = await redis.readUsedMemory();
    await openSessions(url, '2025-11-25', SESSIONS);
    const bytes = ((await redis.readUsedMemory()) - before) / SESSIONS;
    return { sessions: SESSIONS, bytes, record: await redis.readKeyMemory('{tenon*}:value:session/*') };
  } finally {
    await stop(child);
  }
}

/** @param {{ calls: Awaited<ReturnType<typeof measureCalls>>, resumed: import('./resume.mjs').Resumed[], stored: Stored, sealing: import('./sealing.mjs').Sealing[] }} results */
function toMarkdown({ calls, resumed, stored, sealing }) {
  const base = calls.find(({ id }) => id === 'memory')?.samples ?? [];
  const rows = calls.map(({ title, samples }) => [
    title,
    range(samples.map(({ p50 }) => p50 / MILLI)),
    formatNumber(median(samples.map(({ p50 }, round) => (p50 - (base[round]?.p50 ?? Number.NaN)) / MILLI))),
    formatNumber(median(samples.map(({ p99 }) => p99 / MILLI))),
    formatNumber(median(samples.map(({ commands }) => commands))),
    range(samples.map(({ cpu }) => cpu[0] ?? Number.NaN)),
    range(samples.map(({ cpu }) => cpu[1] ?? Number.NaN)),
    formatNumber(median(samples.map(({ cpu: [one = Number.NaN, two = Number.NaN] }) => two / one))),
    formatNumber(median(samples.map(({ rate: [one = Number.NaN, two = Number.NaN] }) => two / one))),
  ]);
  const head = [
    'server',
    'latency, ms',
    'more than in memory, ms',
    'p99, ms',
    'commands of Redis for a call',
    'CPU of one replica, µs',
    'of two, µs',
    'CPU, × one',
    'calls per second, × one',
  ];
  const quantile = (/** @type {number[]} */ values, /** @type {number} */ part) =>
    formatNumber([...values].sort((a, b) => a - b)[Math.floor(part * (values.length - 1))] ?? Number.NaN);
  const kinds = /** @type {const} */ ([
    ['call', 'the stream of a call, resumed'],
    ['listening', 'the stream on which a client listens, until the next notification'],
  ]);
  const resumeRows = kinds.map(([kind, title]) => {
    const values = resumed.map(each => each[kind]);
    return [title, String(values.length), quantile(values, 0.5), quantile(values, 0.99), quantile(values, 1)];
  });
  return [
    heading(2, 'Replicas'),
    'Calls of a tool to replicas of one server with `redisStores`, over loopback. Latency is that of one call at a time; commands count reads and scripts. The caller, the replicas and Redis run on the same processors, so a second replica cannot show its whole gain.\n\n',
    table(head, rows),
    heading(3, 'After `kill -9` of a replica'),
    table(['what goes on at another replica', 'kills', 'median, ms', 'p99, ms', 'most, ms'], resumeRows),
    heading(3, 'Sessions in Redis'),
    `${stored.sessions.toLocaleString('en')} sessions, sealed: ${formatNumber(stored.bytes)} bytes of Redis for each; ${formatNumber(stored.record)} of them are its record.\n\nTo seal a session before it is written takes ${formatNumber(median(sealing.map(({ put }) => put)))} µs of CPU, and to open it when it is read ${formatNumber(median(sealing.map(({ get }) => get)))} µs.\n`,
  ].join('\n');
}
