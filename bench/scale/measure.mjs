// @ts-check
/**
 * The cost of large structured values: a result of 5,000 items against its output schema, on the server and on the client,
 * an argument of 100,000 objects, and a resource that is read by one of 10,000 templates.
 */
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { connect, createServer, resource } from 'tenon';
import { closeConnections, connectWithoutHandshake, load } from '../load.mjs';
import { startProgram } from '../measure-servers.mjs';
import { readCpuTime, stop } from '../processes.mjs';
import { formatRatios, heading, RATIOS_NOTE, range, rotate, table } from '../report.mjs';
import { ITEMS, items, OBJECTS, objects, serverInfo } from './data.mjs';

/** Milliseconds of CPU. @typedef {{ cpu: number }} Sample */
/** @typedef {{ id: string, name: string, samples: Sample[] }} Measured */
/** `measure` gives milliseconds of CPU. @typedef {Measured & { measure: () => Promise<number> }} Subject */
/** @typedef {import('../load.mjs').Call} Call */

const SERVER = fileURLToPath(new URL('server.mjs', import.meta.url));
const VERSION = '2026-07-28';
const TEMPLATES = 10_000;
const READS = 50;
const CALLS = 5;
const WARM_UPS = 5;
const SECONDS = 0.7;

/** @type {Record<string, { title: string, call?: Call }>} */
const WORKS = {
  client: { title: `a result of ${ITEMS} items: the client` },
  server: {
    title: `a result of ${ITEMS} items: the server`,
    call: {
      method: 'tools/call',
      params: () => ({ name: 'items', arguments: {} }),
      isRight: ({ answer }) => answer?.result?.structuredContent?.items?.length === items.length,
    },
  },
  objects: { title: `an argument of ${OBJECTS} objects: the server, zod`, call: createCount('count') },
  plainObjects: {
    title: `an argument of ${OBJECTS} objects: the server, JSON Schema`,
    call: createCount('countPlain'),
  },
  templates: { title: `a resource by one of ${TEMPLATES} templates: client and server` },
};

/** @param {string} name @returns {Call} */
function createCount(name) {
  return {
    method: 'tools/call',
    params: () => ({ name, arguments: { objects } }),
    isRight: ({ answer }) => answer?.result?.content?.[0]?.text === String(OBJECTS),
  };
}

/** @param {{ rounds: number }} options */
export async function measureScale({ rounds }) {
  const servers = await Promise.all(
    ['floor', 'tenon', 'v2'].map(async name => ({ name, ...(await startProgram([SERVER, name])) })),
  );
  /** @type {(() => unknown)[]} */
  const closings = servers.map(
    ({ child }) =>
      () =>
        stop(child),
  );
  try {
    const tenonUrl = servers[1]?.url ?? '';
    /** @type {Subject[]} */
    const subjects = [];
    for (const { name, child, url } of servers) {
      const caller = await connectWithoutHandshake(url, VERSION, 1);
      closings.unshift(() => closeConnections(caller));
      for (const [id, { call }] of Object.entries(WORKS)) {
        if (call === undefined || (id === 'plainObjects' && name === 'v2')) continue;
        const measure = () => measureServer(/** @type {number} */ (child.pid), caller, call);
        subjects.push({ id, name, samples: [], measure });
      }
    }
    subjects.push(...(await createClients(tenonUrl, closings)), await createTemplates(closings));
    for (const { measure } of subjects) for (let run = 0; run < WARM_UPS; run += 1) await measure();
    for (let round = 0; round < rounds; round += 1)
      for (const { measure, samples } of rotate(subjects, round)) samples.push({ cpu: await measure() });
    const measured = subjects.map(({ id, name, samples }) => ({ id, name, samples }));
    return { results: { measured }, markdown: toMarkdown(measured) };
  } finally {
    for (const close of closings) await close();
  }
}

/** @param {number} pid @param {import('../load.mjs').Caller} caller @param {Call} call */
async function measureServer(pid, caller, call) {
  const before = readCpuTime([pid]).own;
  const { calls } = await load(caller, 1, SECONDS, { call });
  return ((readCpuTime([pid]).own - before) * 1000) / calls;
}

/** Milliseconds of CPU of this process. @param {number} times @param {() => Promise<unknown>} work */
async function measureOwn(times, work) {
  const before = process.cpuUsage();
  for (let done = 0; done < times; done += 1) await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / times;
}

/** All call the same server. The floor parses, and validates nothing. @param {string} url @param {(() => unknown)[]} closings @returns {Promise<Subject[]>} */
async function createClients(url, closings) {
  const tenon = await connect(url, { protocolVersion: VERSION });
  const official = new Client(serverInfo, { versionNegotiation: { mode: { pin: VERSION } } });
  await official.connect(new StreamableHTTPClientTransport(new URL(url)));
  await Promise.all([tenon.listTools(), official.listTools()]);
  const agent = new Agent({ keepAlive: true });
  closings.unshift(
    () => tenon.close(),
    () => official.close(),
    () => agent.destroy(),
  );
  const works = {
    floor: async () => check((await callPlainly(agent, url)).structuredContent),
    tenon: async () => check((await tenon.callTool('items')).structuredContent),
    v2: async () => check((await official.callTool({ name: 'items', arguments: {} })).structuredContent),
  };
  return Object.entries(works).map(([name, work]) => ({
    id: 'client',
    name,
    samples: [],
    measure: () => measureOwn(CALLS, work),
  }));
}

/** Calls with bare `node:http`, and parses the response. @param {Agent} agent @param {string} url @returns {Promise<Record<string, unknown>>} */
async function callPlainly(agent, url) {
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': VERSION,
    'mcp-method': 'tools/call',
    'mcp-name': 'items',
  };
  const sent = request(url, { agent, method: 'POST', headers });
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': VERSION,
    'io.modelcontextprotocol/clientInfo': serverInfo,
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  sent.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'items', _meta } }));
  const [response] = await once(sent, 'response');
  return JSON.parse(await text(response)).result;
}

/** @param {unknown} content */
function check(content) {
  const found = /** @type {{ items?: unknown[] } | undefined} */ (content)?.items?.length;
  if (found !== ITEMS) throw new Error(`the client returned ${found} items`);
}

/** @param {(() => unknown)[]} closings @returns {Promise<Subject>} */
async function createTemplates(closings) {
  const templates = Array.from({ length: TEMPLATES }, (_, at) => [
    `file:///folder-${at}/{name}`,
    resource({ read: () => `file of ${at}` }),
  ]);
  const client = await connect(createServer({ ...serverInfo, resources: Object.fromEntries(templates) }));
  closings.unshift(() => client.close());
  let next = 0;
  const read = async () => {
    next = (next + 7919) % TEMPLATES;
    const [content] = (await client.readResource(`file:///folder-${next}/a`)).contents;
    if (!content || !('text' in content) || content.text !== `file of ${next}`) throw new Error('the wrong file');
  };
  return { id: 'templates', name: 'tenon', samples: [], measure: () => measureOwn(READS, read) };
}

/** @param {readonly Measured[]} measured */
function toMarkdown(measured) {
  const rows = measured.map(({ id, name, samples }) => {
    const floor = measured.find(each => each.id === id && each.name === 'floor');
    return [
      WORKS[id]?.title ?? id,
      name,
      range(samples.map(({ cpu }) => cpu)),
      formatRatios(samples, floor?.samples, 'cpu'),
    ];
  });
  return [
    heading(2, 'Large structured values'),
    `On ${VERSION}, over HTTP, one call at a time; templates in memory. The floor of the server is bare \`node:http\` with ajv (items) or zod (objects); `,
    `that of the client parses the response and validates nothing. ${RATIOS_NOTE}\n\n`,
    table(
      ['work', 'by', 'CPU, ms', '× floor'],
      rows.sort(([a = ''], [b = '']) => a.localeCompare(b)),
    ),
  ].join('');
}
