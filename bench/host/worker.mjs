// @ts-check
/**
 * A host in a process of its own, which measures itself and prints what it has found:
 * `node --expose-gc worker.mjs '{"kind":"memory","servers":200,"tools":50,"urls":[]}'`.
 */
import { fileURLToPath } from 'node:url';
import { createHost } from '@tenon/host';
import { createNumberedServer } from './servers.mjs';

/** @typedef {{ kind: 'memory' | 'http' | 'stdio', servers: number, tools: number, urls: string[] }} Setup */
/** @typedef {{ [key: string]: any }} Json */

/** @type {Setup} */
const { kind, servers, tools, urls } = JSON.parse(process.argv[2] ?? '');
const CALLS = 2000;
const WARM_UP = 3000;
const AT_ONCE = 16;
const LISTS = 50;
const MB = 1024 * 1024;
const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** @param {number} number @returns {import('@tenon/host').HostServer} */
function server(number) {
  if (kind === 'memory') return { service: createNumberedServer(number, tools) };
  if (kind === 'http') return { url: urls[number] ?? '' };
  const script = fileURLToPath(new URL('one-stdio.mjs', import.meta.url));
  return { command: process.execPath, args: [script, String(number), String(tools)] };
}

const configured = Object.fromEntries(Array.from({ length: servers }, (_, at) => [`system-${at}`, server(at)]));
const before = used();
const start = performance.now();
const cpuBefore = process.cpuUsage();
const host = await createHost({
  servers: configured,
  pageSize: servers * tools,
  onError: error => console.error(error),
});
const hostServer = host.toServer();
const created = performance.now() - start;
const first = await list();
const opening = performance.now() - start;
const openingCpu = cpuSince(cpuBefore);
const after = used();
if (first.tools.length !== servers * tools)
  throw new Error(`${first.tools.length} tools: ${JSON.stringify(first._meta)}`);
const bytes = Buffer.byteLength(JSON.stringify(first));

const listBefore = process.cpuUsage();
const listStart = performance.now();
for (let n = 0; n < LISTS; n += 1) await list();
const listing = (performance.now() - listStart) / LISTS;
const listingCpu = cpuSince(listBefore) / LISTS;

const names = first.tools.map((/** @type {Json} */ { name }) => name);
await calls(WARM_UP);
const callBefore = process.cpuUsage();
const callStart = performance.now();
await calls(CALLS);
const calling = ((performance.now() - callStart) * 1000) / CALLS;
const callingCpu = (cpuSince(callBefore) * 1000) / CALLS;
const found = {
  created,
  opening,
  openingCpu,
  heap: after.heap - before.heap,
  rss: after.rss,
  bytes,
  listing,
  listingCpu,
  calling,
  callingCpu,
};
console.log(JSON.stringify(found));
await host.close();
process.exit(0);

function used() {
  globalThis.gc?.();
  const { heapUsed, rss } = process.memoryUsage();
  return { heap: heapUsed / MB, rss: rss / MB };
}

/** Milliseconds of all threads. @param {NodeJS.CpuUsage} since */
function cpuSince(since) {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1000;
}

/** The list as it goes to a client: with its text. */
async function list() {
  const answer = await send('tools/list', {});
  JSON.stringify(answer);
  return answer;
}

/** Calls tools all over the list, some at a time. @param {number} count */
async function calls(count) {
  for (let done = 0; done < count; done += AT_ONCE) {
    const some = Array.from({ length: AT_ONCE }, (_, at) => names[((done + at) * 7919) % names.length]);
    const answers = await Promise.all(some.map(name => send('tools/call', { name, arguments: { text: 'it' } })));
    for (const { content } of answers)
      if (!/^it of \d+\/\d+$/.test(content[0].text)) throw new Error(JSON.stringify(content));
  }
}

/** @param {string} method @param {Json} params @returns {Promise<Json>} */
async function send(method, params) {
  send.last += 1;
  const request = /** @type {any} */ ({ jsonrpc: '2.0', id: send.last, method, params: { ...params, _meta: META } });
  const route = hostServer.classifyRequest(request);
  if (route.opening !== 'per-request') throw new Error(route.opening);
  const answer = /** @type {Json} */ (
    await hostServer.answer(request, route, { send: () => {}, onClientClosed: () => {} })
  );
  if (answer.result === undefined) throw new Error(JSON.stringify(answer));
  return answer.result;
}
send.last = 0;
