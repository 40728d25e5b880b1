// @ts-check
/** What a resource of 10 MB of bytes costs server and client together, over HTTP in one process, and how long it blocks the event loop. */
import { once } from 'node:events';
import { Agent, createServer as createHttpServer, request } from 'node:http';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { connect, createServer, resource } from 'tenon';
import { serveHttp } from 'tenon/node';
import { formatRatios, heading, RATIOS_NOTE, range, rotate, table } from '../report.mjs';

/** @typedef {{ cpu: number, blocked: number }} Sample */
/** @typedef {{ name: string, revision: string, read: () => Promise<string>, samples: Sample[] }} Subject */

const SIZE = 10_000_000;
const URI = 'file:///image.bin';
const MIME_TYPE = 'application/octet-stream';
const PROTOCOL_VERSIONS = ['2025-11-25', '2026-07-28'];
const WARM_UPS = 3;
const bytes = Uint8Array.from({ length: SIZE }, (_, index) => (index * 31 + (index >> 8)) & 255);

/** @param {{ rounds: number }} options */
export async function measureBinary({ rounds }) {
  const floor = await startFloor();
  const tenon = await startTenon();
  /** @type {Subject[]} */
  const subjects = [{ name: 'floor', revision: '–', read: floor.read, samples: [] }, ...tenon.subjects];
  for (const subject of subjects) for (let read = 0; read < WARM_UPS; read += 1) await measureRead(subject);
  for (let round = 0; round < rounds; round += 1)
    for (const subject of rotate(subjects, round)) subject.samples.push(await measureRead(subject));
  await Promise.all([floor.close(), tenon.close()]);
  const results = subjects.map(({ name, revision: version, samples }) => ({ name, revision: version, samples }));
  return { results: { size: SIZE, measured: results }, markdown: toMarkdown(results, rounds) };
}

/** Milliseconds. The client decodes what it has got, as its user does. @param {Subject} subject @returns {Promise<Sample>} */
async function measureRead({ name, read }) {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const before = process.cpuUsage();
  const { length } = Buffer.from(await read(), 'base64');
  const { user, system } = process.cpuUsage(before);
  delay.disable();
  if (length !== SIZE) throw new Error(`${name} gave ${length} bytes`);
  return { cpu: (user + system) / 1000, blocked: delay.max / 1e6 };
}

/** Bare Node: a server that answers with the bytes in the same JSON, and a client that reads it. */
async function startFloor() {
  const server = createHttpServer(async (incoming, response) => {
    const { id } = JSON.parse(await readText(incoming));
    const contents = [{ uri: URI, mimeType: MIME_TYPE, blob: Buffer.from(bytes.buffer).toString('base64') }];
    const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', id, result: { contents } }));
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  const agent = new Agent({ keepAlive: true });
  const read = async () => {
    const headers = { 'content-type': 'application/json' };
    const post = request({ agent, host: '127.0.0.1', port, method: 'POST', headers });
    post.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri: URI } }));
    const [response] = await once(post, 'response');
    return JSON.parse(await readText(response)).result.contents[0].blob;
  };
  return {
    read,
    close: async () => {
      agent.destroy();
      server.close();
    },
  };
}

/** @param {import('node:http').IncomingMessage} message @returns {Promise<string>} */
async function readText(message) {
  /** @type {Buffer[]} */
  const chunks = [];
  message.on('data', chunk => chunks.push(chunk));
  await once(message, 'end');
  return Buffer.concat(chunks).toString();
}

async function startTenon() {
  const image = resource({ mimeType: MIME_TYPE, read: () => bytes });
  const { url, close } = await serveHttp(
    createServer({ name: 'bench', version: '1.0.0', resources: { [URI]: image } }),
    { port: 0 },
  );
  const clients = await Promise.all(PROTOCOL_VERSIONS.map(protocolVersion => connect(url, { protocolVersion })));
  const subjects = clients.map((client, at) => ({
    name: 'tenon',
    revision: PROTOCOL_VERSIONS[at] ?? '',
    async read() {
      const [first] = (await client.readResource(URI)).contents;
      return first && 'blob' in first ? first.blob : '';
    },
    samples: [],
  }));
  return {
    subjects,
    close: async () => {
      await Promise.all(clients.map(client => client.close()));
      await close();
    },
  };
}

/** @param {readonly Pick<Subject, 'name' | 'revision' | 'samples'>[]} measured @param {number} rounds */
function toMarkdown(measured, rounds) {
  const [floor] = measured;
  const rows = measured.map(({ name, revision: version, samples }) => [
    name,
    version,
    range(samples.map(({ cpu }) => cpu)),
    formatRatios(samples, floor?.samples, 'cpu'),
    range(samples.map(({ blocked }) => blocked)),
  ]);
  return [
    heading(2, '`resources/read` of 10 MB'),
    `The resource gives bytes, which cross as base64 in JSON. Server and client in one process, over HTTP; the client decodes them. The floor is bare \`node:http\`. ${rounds} rounds, interleaved. ${RATIOS_NOTE}\n\n`,
    table(['server and client', 'revision', 'CPU, ms', '× floor', 'event loop blocked at most, ms'], rows),
  ].join('');
}
