// @ts-check
/** How long a client is without its streams when its replica is killed. */
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { startProgram } from '../measure-servers.mjs';
import { stop } from '../processes.mjs';

/** Milliseconds from the kill until the stream of a call, and the stream on which the client listens, go on at another replica. @typedef {{ call: number, listening: number }} Resumed */

const VERSION = '2025-11-25';
const SERVER = fileURLToPath(new URL('server.mjs', import.meta.url));
const PATIENCE = 15_000;
let lastId = 0;

/** Kills replicas, one after the other. @param {string} redis @param {number} kills @returns {Promise<Resumed[]>} */
export async function measureResume(redis, kills) {
  const setup = JSON.stringify({ mode: redis, tools: ['echo'], more: 1 });
  const survivor = await startProgram([SERVER, setup]);
  /** @type {Resumed[]} */
  const resumed = [];
  try {
    for (let kill = 0; kill < kills; kill += 1) {
      const victim = await startProgram([SERVER, setup]);
      try {
        resumed.push(await killOnce(victim, survivor.url));
      } finally {
        await stop(victim.child);
      }
    }
  } finally {
    await stop(survivor.child);
  }
  return resumed;
}

/** @param {{ child: import('node:child_process').ChildProcess, url: string }} victim @param {string} survivor @returns {Promise<Resumed>} */
async function killOnce({ child, url }, survivor) {
  const client = createClient();
  await client.open(url);
  await client.call(url, 'resources/subscribe', { uri: 'note://a' });
  const listening = await client.listen(url);
  await listening.next(event => event.id !== undefined);
  const call = await client.stream(url, 'tools/call', { name: 'hold', arguments: {} });
  await call.next(event => event.data.includes('begun'));
  const killed = performance.now();
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  const resume = async (/** @type {Stream} */ broken) => {
    await broken.end();
    return client.listen(survivor, broken.lastId());
  };
  const resumedCall = resume(call).then(stream => {
    const took = performance.now() - killed;
    void stream.close();
    return took;
  });
  const resumedListening = resume(listening).then(async stream => {
    await client.call(survivor, 'tools/call', { name: 'touch', arguments: {} });
    await stream.next(event => event.data.includes('notifications/resources/updated'));
    const took = performance.now() - killed;
    void stream.close();
    return took;
  });
  const result = { call: await resumedCall, listening: await resumedListening };
  await exited;
  return result;
}

/** @typedef {{ id: string | undefined, data: string }} SseEvent */
/** `end`: resolves when the connection is gone. @typedef {{ next: (isWanted: (event: SseEvent) => boolean) => Promise<void>, end: () => Promise<void>, lastId: () => string, close: () => Promise<void> }} Stream */

function createClient() {
  /** @type {Record<string, string>} */
  const headers = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };
  /** @param {string} url @param {string} method @param {object} params @param {boolean} [isNotification] */
  const post = async (url, method, params, isNotification = false) => {
    lastId += 1;
    const message = { jsonrpc: '2.0', ...(isNotification ? {} : { id: lastId }), method, params };
    const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(message) });
    if (!response.ok) throw new Error(`${method}: HTTP ${response.status} ${await response.text()}`);
    return response;
  };
  return {
    /** @param {string} url */
    async open(url) {
      const clientInfo = { name: 'bench', version: '1.0.0' };
      const response = await post(url, 'initialize', { protocolVersion: VERSION, capabilities: {}, clientInfo });
      headers['mcp-session-id'] = response.headers.get('mcp-session-id') ?? '';
      headers['mcp-protocol-version'] = VERSION;
      await response.text();
      await (await post(url, 'notifications/initialized', {}, true)).text();
    },
    /** @param {string} url @param {string} method @param {object} params */
    call: async (url, method, params) => void (await (await post(url, method, params)).text()),
    /** @param {string} url @param {string} method @param {object} params */
    stream: async (url, method, params) => readStream(await post(url, method, params)),
    /** @param {string} url @param {string} [from] */
    async listen(url, from) {
      const { 'content-type': _, ...rest } = headers;
      const own = { ...rest, accept: 'text/event-stream', ...(from ? { 'last-event-id': from } : {}) };
      const response = await fetch(url, { headers: own });
      if (response.status !== 200) throw new Error(`listening: HTTP ${response.status} ${await response.text()}`);
      return readStream(response);
    },
  };
}

/** @param {Response} response @returns {Stream} */
function readStream(response) {
  const reader = /** @type {ReadableStream<Uint8Array>} */ (response.body).getReader();
  const decoder = new TextDecoder();
  let text = '';
  let lastEventId = '';
  const read = async () => {
    const { value, done } = await reader.read();
    if (done) throw new Error('the stream has ended');
    text += decoder.decode(value, { stream: true });
  };
  return {
    async next(isWanted) {
      const signal = AbortSignal.timeout(PATIENCE);
      for (;;) {
        for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
          const event = parseEvent(text.slice(0, end));
          text = text.slice(end + 2);
          if (event.id !== undefined) lastEventId = event.id;
          if (isWanted(event)) return;
        }
        signal.throwIfAborted();
        await read();
      }
    },
    async end() {
      try {
        for (;;) await read();
      } catch {
        // The connection broke.
      }
    },
    lastId: () => lastEventId,
    close: () => reader.cancel().catch(() => {}),
  };
}

/** @param {string} text @returns {SseEvent} */
function parseEvent(text) {
  const field = (/** @type {string} */ name) => new RegExp(`^${name}: ?(.*)$`, 'm').exec(text)?.[1];
  return { id: field('id'), data: field('data') ?? '' };
}
