// @ts-check
/**
 * A gateway with two upstream servers, callers of all protocol versions that come and go, and short idle times. Does its
 * memory grow, or the number of its handles, descriptors and processes? `--minutes=120` sets the duration.
 */
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { connect } from 'tenon';
import { PER_REQUEST } from '../connections.mjs';
import { countable, readHeap } from '../heap.mjs';
import { countProcesses, firstLine, startNode, stop } from '../processes.mjs';
import { heading, table } from '../report.mjs';
import { lineThrough, verdict } from '../soak/slope.mjs';
import { META } from '../soak/traffic.mjs';

/** One reading of the gateway, `at` seconds after the start. @typedef {{ at: number, clients: number, heap: number, outside: number, rss: number, handles: number, descriptors: number, processes: number }} Reading */
/** @typedef {{ end: number, clients: number, calls: number, failures: Map<string, number> }} Progress */

const VERSIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'];
/** Number of clients at a time. */
const CALLERS = 4;
/** Time between two clients of one caller, in milliseconds. */
const PAUSE = 1500;
/** Time between two readings, in seconds. */
const INTERVAL = 15;
/** Part of the readings that is left out as warm-up. */
const WARM_UP = 0.25;
/** Time after which all that clients left behind has ended, in milliseconds. */
const SETTLE = 15_000;
const MB = 1024 * 1024;
/** Growth during the measured time that counts as none. */
const LIMITS = { heap: 2 * MB, outside: 2 * MB, handles: 5, descriptors: 5, processes: 1 };

/** @param {{ minutes?: number }} options */
export async function measureGatewaySoak({ minutes = 10 }) {
  const upstream = startNode([fileURLToPath(new URL('upstream.mjs', import.meta.url)), '--http']);
  const gateway = startNode([
    ...countable,
    fileURLToPath(new URL('gateway.mjs', import.meta.url)),
    await firstLine(upstream),
  ]);
  try {
    const url = await firstLine(gateway);
    const start = performance.now();
    /** @type {Progress} */
    const progress = { end: start + minutes * 60_000, clients: 0, calls: 0, failures: new Map() };
    /** @type {Reading[]} */
    const readings = [];
    const read = async () => {
      const pid = /** @type {number} */ (gateway.pid);
      const { heap, outside, rss, handles } = await readHeap(gateway);
      const at = (performance.now() - start) / 1000;
      const descriptors = readdirSync(`/proc/${pid}/fd`).length;
      return {
        at,
        clients: progress.clients,
        heap,
        outside,
        rss,
        handles,
        descriptors,
        processes: countProcesses(pid),
      };
    };
    const readContinuously = async () => {
      while (performance.now() < progress.end) {
        await pause(Math.min(INTERVAL * 1000, progress.end - performance.now()));
        readings.push(await read());
        if (process.env.SOAK_VERBOSE)
          console.error(JSON.stringify(readings.at(-1)), JSON.stringify([...progress.failures]));
      }
    };
    const callers = Array.from({ length: CALLERS }, (_, number) => useClients(url, number, progress));
    await Promise.all([...callers, readContinuously()]);
    await pause(SETTLE);
    const left = await read();
    const growth = computeGrowth(readings);
    const results = { minutes, readings, left, growth, calls: progress.calls, failures: [...progress.failures] };
    return { results, markdown: toMarkdown(results) };
  } finally {
    await stop(gateway);
    await stop(upstream);
  }
}

/** One client after the other, in all versions and with all behaviors. @param {string} url @param {number} number @param {Progress} progress */
async function useClients(url, number, progress) {
  for (let round = number; performance.now() < progress.end; round += CALLERS) {
    progress.clients += 1;
    const version = VERSIONS[round % VERSIONS.length] ?? '';
    try {
      if (round % 4 === 3) await vanish(url, round, progress);
      else if (round % 10 === 8) await leaveListening(url);
      else await useClient(url, version, round, progress);
    } catch (error) {
      const text = error instanceof Error ? error.message.slice(0, 200) : String(error);
      progress.failures.set(text, (progress.failures.get(text) ?? 0) + 1);
    }
    await pause(PAUSE);
  }
}

/** @param {string} url @param {string} version @param {number} round @param {Progress} progress */
async function useClient(url, version, round, progress) {
  const answers = round % 3 > 0;
  const client = await connect(url, {
    // Chosen by a number, so that the type of known versions does not apply.
    protocolVersion: /** @type {'2025-11-25'} */ (version),
    ...(answers ? { elicit: () => ({ action: /** @type {const} */ ('accept'), content: { yes: true } }) } : {}),
  });
  const call = async (
    /** @type {string} */ name,
    /** @type {import("tenon").JsonObject} */ args,
    /** @type {AbortSignal | undefined} */ signal,
  ) => {
    progress.calls += 1;
    return client.callTool(name, args, { ...(signal ? { signal } : {}) });
  };
  try {
    for (const server of ['local', 'remote']) {
      await call(`${server}__echo`, { text: 'hello' }, undefined);
      await call(`${server}__fail`, {}, undefined).catch(() => {});
      await call(`${server}__large`, {}, undefined);
      await call(`${server}__wait`, {}, AbortSignal.timeout(50)).catch(() => {});
      if (answers && version >= '2025-06-18' && round % 2 === 0)
        await call(`${server}__confirm`, { text: 'ok?' }, undefined);
    }
    if (round % 5 === 0) {
      const signal = AbortSignal.timeout(1500);
      for await (const { uri } of client.listResources()) {
        for await (const _ of client.watch(uri, { signal })) break;
      }
    }
  } finally {
    await client.close();
  }
}

/**
 * Opens a session with a stream and a call, and leaves all of them without a word. Every second call requests input that
 * nobody gives.
 * @param {string} url @param {number} round @param {Progress} progress
 */
async function vanish(url, round, progress) {
  const left = new AbortController();
  /** @type {Record<string, string>} */
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const post = (/** @type {object} */ message) =>
    fetch(url, { method: 'POST', headers, body: JSON.stringify({ jsonrpc: '2.0', ...message }), signal: left.signal });
  const clientInfo = { name: 'soak', version: '1.0.0' };
  const capabilities = { elicitation: {}, roots: {}, sampling: {} };
  const params = { protocolVersion: '2025-11-25', capabilities, clientInfo };
  const opened = await post({ id: 1, method: 'initialize', params });
  await opened.text();
  headers['mcp-session-id'] = opened.headers.get('mcp-session-id') ?? '';
  headers['mcp-protocol-version'] = '2025-11-25';
  await (await post({ method: 'notifications/initialized' })).text();
  progress.calls += 1;
  const server = round % 3 === 0 ? 'local' : 'remote';
  const call = { name: `${server}__${round % 8 === 7 ? 'confirm' : 'wait'}`, arguments: { text: 'nobody answers' } };
  const stream = fetch(url, { headers, signal: left.signal }).then(response => response.text());
  const response = post({ id: 2, method: 'tools/call', params: call }).then(response => response.text());
  const ended = Promise.allSettled([stream, response]);
  await pause(200);
  left.abort();
  await ended;
}

/** Listens without a session, and leaves without a word. @param {string} url */
async function leaveListening(url) {
  const left = new AbortController();
  const params = { notifications: { toolsListChanged: true }, _meta: META };
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': PER_REQUEST,
      'mcp-method': 'subscriptions/listen',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params }),
    signal: left.signal,
  });
  if (!response.ok)
    throw new Error(`subscriptions/listen: ${response.status} ${(await response.text()).slice(0, 300)}`);
  await pause(200);
  left.abort();
}

/** @param {readonly Reading[]} readings */
function computeGrowth(readings) {
  const warm = readings.slice(Math.floor(readings.length * WARM_UP));
  const times = warm.map(({ at }) => at);
  const span = (times.at(-1) ?? 0) - (times[0] ?? 0);
  return /** @type {(keyof typeof LIMITS)[]} */ (Object.keys(LIMITS)).map(kind => {
    const line = lineThrough(
      times,
      warm.map(reading => reading[kind]),
    );
    return { kind, span, ...line, verdict: verdict(line, span, LIMITS[kind]) };
  });
}

/** @param {{ minutes: number, readings: Reading[], left: Reading, growth: ReturnType<typeof computeGrowth>, calls: number, failures: [string, number][] }} results */
function toMarkdown({ minutes, readings, left, growth, calls, failures }) {
  const isMemory = (/** @type {string} */ kind) => kind === 'heap' || kind === 'outside';
  const format = (/** @type {string} */ kind, /** @type {number} */ value) =>
    isMemory(kind) ? `${(value / MB).toFixed(2)} MB` : value.toFixed(1);
  const rows = growth.map(({ kind, slope, error, mean, span, verdict }) => [
    kind,
    format(kind, mean),
    `${format(kind, slope * span)} ± ${format(kind, error * span)}`,
    verdict,
  ]);
  const steps = readings.filter((_, index) => (index + 1) % Math.ceil(readings.length / 12) === 0);
  const toRow = (/** @type {Reading} */ { at, clients, heap, outside, rss, handles, descriptors, processes }) => [
    at.toFixed(0),
    String(clients),
    ...[heap, outside, rss].map(bytes => (bytes / MB).toFixed(2)),
    ...[handles, descriptors, processes].map(String),
  ];
  const columns = ['seconds', 'clients', 'heap, MB', 'outside, MB', 'RSS, MB', 'handles', 'descriptors', 'processes'];
  return [
    heading(2, 'Soak of a gateway'),
    `${minutes} minutes, ${readings.at(-1)?.clients ?? 0} clients of five protocol versions, ${calls} calls over one stdio server and one HTTP server. One client in four leaves without a word. Unused sessions end after 3 s, unused connections after 4 s. The first quarter is warm-up.\n\n`,
    table(['kind', 'mean', 'growth with 95 %', 'verdict'], rows),
    `\nThe last row was read after all clients had left.\n\n`,
    table(columns, [...steps, left].map(toRow)),
    failures.length === 0
      ? ''
      : `\nCalls that failed: ${failures.map(([text, count]) => `${count} × ${text}`).join('; ')}\n`,
  ].join('');
}

const pause = (/** @type {number} */ ms) => new Promise(resolve => setTimeout(resolve, Math.max(0, ms)));
