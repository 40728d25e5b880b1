// @ts-check
/** What a session holds when nobody uses it. */
import { fileURLToPath } from 'node:url';
import { countable, readHeap } from '../heap.mjs';
import { firstLine, readCpuTime, startNode, stop } from '../processes.mjs';
import { formatNumber, heading, median, range, table } from '../report.mjs';
import { openSessions } from './open-sessions.mjs';

/** @typedef {{ name: string, revision: string, sessions: number, mode: string, program: string, setup: string }} Subject */
/** KiB, µs and ms of one session, and MB and s of all. @typedef {{ heap: number, outside: number, rss: number, cpu: number, opening: number, took: number, megabytes: number }} Held */
/** @typedef {Subject & { rounds: Held[] }} Measured */

const TOOLS = 20;
const SESSIONS = 2000;
const MANY = 100_000;
/** What is made once is made by then. */
const WARM_UP = 200;
/** The heap is the same each time, give or take little. */
const MOST_ROUNDS = 3;
const ROOM = String(MANY + WARM_UP);
const KIB = 1024;
const MICRO = 1_000_000;
const newest = '2025-11-25';

/** @param {string} name @param {string} program @param {string} setup @param {string} mode @param {Partial<Subject>} [other] @returns {Subject} */
const subject = (name, program, setup, mode, other) => ({
  name,
  revision: newest,
  sessions: SESSIONS,
  mode,
  program,
  setup,
  ...other,
});

/** @type {Subject[]} */
const subjects = [
  subject('checked floor', '../peers/http/checked', newest, 'bare `node:http`: a map of sessions'),
  subject('tenon', 'tenon', ROOM, '`serveHttp`, room for 100,000'),
  subject('v1', '../peers/http/v1', 'stateful-json', 'a server for each session, answers are JSON'),
  subject('v2', '../peers/http/v2', 'stateful', 'a server for each session, answers are JSON'),
  subject('fastmcp', '../peers/http/fastmcp', 'stateful', 'as it comes'),
  subject('tmcp', '../peers/http/tmcp', 'sessions', 'sessions in memory', { revision: '2025-06-18' }),
  subject('mcp-lite', '../peers/http/mcp-lite', 'sessions', 'sessions in memory', { revision: '2025-06-18' }),
];
const many = subject('tenon', 'tenon', ROOM, '`serveHttp`, room for as many', { sessions: MANY });

/** @param {{ rounds: number }} options */
export async function measureSessions({ rounds }) {
  /** @type {Measured[]} */
  const results = subjects.map(each => ({ ...each, rounds: [] }));
  for (let round = 0; round < Math.min(rounds, MOST_ROUNDS); round += 1) {
    for (const each of results) each.rounds.push(await measure(each));
  }
  results.push({ ...many, rounds: [await measure(many)] });
  return { results, markdown: toMarkdown(results) };
}

/** @param {Subject} subject @returns {Promise<Held>} */
async function measure({ revision: version, sessions, program, setup }) {
  const script = fileURLToPath(new URL(`${program}.mjs`, import.meta.url));
  const offer = { mode: setup, tools: ['echo'], more: TOOLS - 1 };
  const child = startNode([...countable, script, JSON.stringify(offer)]);
  try {
    const pid = /** @type {number} */ (child.pid);
    const url = await firstLine(child);
    await openSessions(url, version, WARM_UP);
    const before = await readHeap(child);
    const cpu = readCpuTime([pid]).own;
    const { took, each } = await openSessions(url, version, sessions);
    const used = readCpuTime([pid]).own - cpu;
    const after = await readHeap(child);
    const grown = (/** @type {keyof typeof after} */ what) => (after[what] - before[what]) / sessions / KIB;
    return {
      heap: grown('heap'),
      outside: grown('outside'),
      rss: grown('rss'),
      cpu: (used * MICRO) / sessions,
      opening: median(each),
      took: took / 1000,
      megabytes: after.rss / KIB / KIB,
    };
  } finally {
    await stop(child);
  }
}

/** @param {readonly Measured[]} results */
function toMarkdown(results) {
  const rows = results.map(({ name, sessions, mode, rounds }) => {
    const of = (/** @type {keyof Held} */ what) => rounds.map(each => each[what]);
    return [
      name,
      sessions.toLocaleString('en'),
      range(of('heap')),
      formatNumber(median(of('outside'))),
      formatNumber(median(of('rss'))),
      formatNumber(median(of('cpu'))),
      formatNumber(median(of('opening'))),
      formatNumber(median(of('took'))),
      formatNumber(median(of('megabytes'))),
      mode,
    ];
  });
  const head = [
    'server',
    'sessions',
    'heap of one, KiB',
    'outside the heap, KiB',
    'RSS of one, KiB',
    'CPU to open one, µs',
    'to open one, 100 at once, ms',
    'to open all, s',
    'RSS, MB',
    'mode',
  ];
  return [
    heading(2, 'What an idle session holds'),
    `Each server in its own process, with ${TOOLS} tools. A session is opened, says that it is, and calls a tool once; over 100 connections, which are closed before what is left after collecting garbage is counted. Up to ${MOST_ROUNDS} rounds; medians, and in brackets from least to most.\n\n`,
    table(head, rows),
  ].join('');
}
