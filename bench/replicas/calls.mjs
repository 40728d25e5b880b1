// @ts-check
/** What a session in Redis adds to a call, and what a second replica adds to the processor time of one. */
import { fileURLToPath } from 'node:url';
import { connectSocket } from '../connections.mjs';
import { closeConnections, createAddMeta, load, quantile } from '../load.mjs';
import { startProgram } from '../measure-servers.mjs';
import { readCpuTime, stop } from '../processes.mjs';
import { rotate } from '../report.mjs';

/** @typedef {import('node:child_process').ChildProcess} ChildProcess */
/** @typedef {import('../load.mjs').Caller} Caller */
/** `isShared`: each replica has all sessions. @typedef {{ id: string, title: string, program: string, mode: string, revision: string, isShared: boolean }} Subject */
/** µs of latency with one call at a time; µs of CPU and calls per second of one replica and of two; commands of Redis for one call. @typedef {{ p50: number, p99: number, cpu: number[], rate: number[], commands: number }} Sample */

const SECONDS = 1.5;
const WARM_UP = 2;
const MICRO = 1_000_000;
const REPLICAS = [1, 2];
const SESSIONS = '2025-11-25';

/** @param {string} redis @returns {Subject[]} */
const listSubjects = redis => [
  { id: 'memory', title: 'session in memory', program: 'server', mode: 'memory', revision: SESSIONS, isShared: false },
  { id: 'redis', title: 'session in Redis', program: 'server', mode: redis, revision: SESSIONS, isShared: true },
  {
    id: 'stateless',
    title: '2026-07-28, stores in Redis',
    program: 'server',
    mode: redis,
    revision: '2026-07-28',
    isShared: true,
  },
  {
    id: 'v1',
    title: 'official SDK v1, sticky sessions in memory',
    program: '../peers/http/v1',
    mode: 'stateful-json',
    revision: SESSIONS,
    isShared: false,
  },
];

/** @param {import('./redis.mjs').Redis} redis @param {number} rounds @param {number} connections */
export async function measureCalls(redis, rounds, connections) {
  /** @type {{ subject: Subject, children: ChildProcess[], alone: Caller, callers: Caller[], samples: Sample[] }[]} */
  const running = [];
  try {
    for (const subject of listSubjects(redis.url)) {
      const started = await Promise.all(REPLICAS.map(() => startReplica(subject)));
      const urls = started.map(({ url }) => url);
      const callers = [];
      for (const count of REPLICAS) callers.push(await openCaller(subject, urls.slice(0, count), connections));
      const alone = await openCaller(subject, urls.slice(0, 1), 1);
      running.push({ subject, children: started.map(({ child }) => child), alone, callers, samples: [] });
      for (const caller of callers) await load(caller, connections, WARM_UP);
    }
    for (let round = 0; round < rounds; round += 1)
      for (const each of rotate(running, round)) each.samples.push(await takeSample(redis, each, connections));
  } finally {
    for (const { alone, callers } of running) for (const caller of [alone, ...callers]) closeConnections(caller);
    await Promise.all(running.flatMap(({ children }) => children.map(stop)));
  }
  return running.map(({ subject: { id, title }, samples }) => ({ id, title, samples }));
}

/** @param {Subject} subject */
function startReplica({ program, mode }) {
  const script = fileURLToPath(new URL(`${program}.mjs`, import.meta.url));
  return startProgram([script, JSON.stringify({ mode, tools: ['echo'], more: 0 })]);
}

/**
 * @param {import('./redis.mjs').Redis} redis
 * @param {{ children: ChildProcess[], alone: Caller, callers: Caller[] }} running @param {number} connections
 * @returns {Promise<Sample>}
 */
async function takeSample(redis, { children, alone, callers }, connections) {
  await load(alone, 1, SECONDS / 3);
  const { latencies } = await load(alone, 1, SECONDS);
  /** @type {Sample} */
  const sample = { p50: quantile(latencies, 0.5), p99: quantile(latencies, 0.99), cpu: [], rate: [], commands: 0 };
  for (const caller of callers) {
    const pids = children.map(({ pid }) => /** @type {number} */ (pid));
    await load(caller, connections, SECONDS / 3);
    await redis.resetCommands();
    const before = readCpuTime(pids).own;
    const { calls, seconds } = await load(caller, connections, SECONDS);
    sample.cpu.push(((readCpuTime(pids).own - before) * MICRO) / calls);
    sample.rate.push(calls / seconds);
    const { hmget = 0, evalsha = 0 } = await redis.countCommands();
    sample.commands = Math.max(sample.commands, (hmget + evalsha) / calls);
  }
  return sample;
}

/**
 * Connections to the replicas in turn. Where replicas share sessions, all connections use one session. Else each
 * replica has one, and its connections stick to it.
 * @param {Subject} subject @param {readonly string[]} urls @param {number} connections @returns {Promise<Caller>}
 */
async function openCaller({ revision: version, isShared }, urls, connections) {
  /** @type {import('../connections.mjs').Session[]} */
  const sessions = [];
  for (const [index, url] of urls.entries()) {
    const known = isShared && index > 0 ? sessions[0] : undefined;
    sessions.push(known ?? (version === SESSIONS ? await openSession(url, version) : { fields: '' }));
  }
  const opened = [];
  for (let n = 0; n < connections; n += 1) {
    const at = n % urls.length;
    opened.push(await connectSocket(new URL(urls[at] ?? ''), version, sessions[at] ?? { fields: '' }));
  }
  return { connections: opened, revision: version, addMeta: createAddMeta(version) };
}

/** Opens a session, and returns its lines of header. @param {string} url @param {string} version @returns {Promise<import('../connections.mjs').Session>} */
export async function openSession(url, version) {
  const session = { fields: '' };
  const connection = await connectSocket(new URL(url), version, session);
  const params = { protocolVersion: version, capabilities: {}, clientInfo: { name: 'bench', version: '1.0.0' } };
  const { head, answer } = await connection.send({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
  const [, id] = /^mcp-session-id: *(\S+)/im.exec(head) ?? [];
  if (id === undefined) throw new Error(`no session was opened: ${head} ${JSON.stringify(answer)}`);
  session.fields = `MCP-Protocol-Version: ${version}\r\nMcp-Session-Id: ${id}\r\n`;
  await connection.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  connection.close();
  return session;
}
