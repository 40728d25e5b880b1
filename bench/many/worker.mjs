// @ts-check
/**
 * One case of many things at once, in a process of its own: `node --expose-gc worker.mjs CASE SUBJECT` prints its figures as JSON.
 * SUBJECT is `tenon`, or `base`: what measure.mjs compares it with.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, createServer as createHttpServer, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { allow, createHost, deny } from '@tenon/host';
import { createIssuer } from '@tenon/issuer';
import { connect, createServer, resource, tool } from 'tenon';
import { bearer, protect, signIn } from 'tenon/auth';
import { loopbackRedirect } from 'tenon/auth/node';
import { serveHttp, toNode } from 'tenon/node';
import { createQuestionServer } from '../asking/question-server.mjs';
import { createNumberedServer } from '../host/servers.mjs';
import { firstLine, freePort, startNode, stop, waitForOutput } from '../processes.mjs';
import { openStream } from '../soak/subscribers.mjs';

/** @typedef {Record<string, number>} Figures */

const CLIENTS = 100;
const IDLE_SECONDS = 5;
const SESSIONS = 10_000;
const NOTIFICATION_SECONDS = 12;
const SERVERS = 50;
const TOOLS = 100;
const LISTS = 20;
const CALLS = 2000;
const BYTES = 50_000_000;
const QUESTIONS = 1000;
const USERS = 1000;
const AT_ONCE = 16;
const GATEWAY_USERS = 100;
const SLOW_SERVERS = 10;
const SLOW_START = 2000;
const MB = 1e6;

/** @type {Record<string, (isTenon: boolean) => Promise<Figures>>} */
const cases = {
  clients: measureClients,
  sessions: measureSessions,
  gateway: measureGateway,
  users: measureUsers,
  guarded: measureGuardedList,
  bytes: measureBytes,
  questions: measureQuestions,
  signIns: measureSignIns,
  slowStart: measureSlowStart,
};
/** CPU and time of work, in milliseconds. @param {() => Promise<unknown>} work */
async function measure(work) {
  const start = performance.now();
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return { cpu: (user + system) / 1000, time: performance.now() - start };
}

/** Does work so many times, a few at once. @param {number} count @param {(number: number) => Promise<unknown>} work @param {number} [atOnce] */
async function repeat(count, work, atOnce = AT_ONCE) {
  let begun = 0;
  const next = async () => {
    while (begun < count) {
      begun += 1;
      await work(begun - 1);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, next));
}

function readHeap() {
  globalThis.gc?.();
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

/** @param {number} ms */
const wait = ms => new Promise(resolve => setTimeout(resolve, ms));

/** A connection to each of many servers: by the client, or by the same request of `node:http`. @param {boolean} isTenon */
async function measureClients(isTenon) {
  const servers = fileURLToPath(new URL('../host/many-http.mjs', import.meta.url));
  const child = startNode([servers, '0', String(CLIENTS), '1']);
  /** @type {string[]} */
  const urls = JSON.parse(await firstLine(child));
  const agent = new Agent({ keepAlive: true });
  const before = readHeap();
  /** @type {unknown[]} */
  const open = [];
  const opened = await measure(() =>
    Promise.all(urls.map(async url => open.push(await (isTenon ? connect(url) : discover(agent, url))))),
  );
  const heap = (readHeap() - before) / 1024 / CLIENTS;
  const idle = await measure(() => wait(IDLE_SECONDS * 1000));
  await stop(child);
  return { ...opened, heap, idle: idle.cpu / IDLE_SECONDS, open: open.length };
}

/** @param {Agent} agent @param {string} url */
function discover(agent, url) {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'server/discover', params: { _meta: meta } });
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'server/discover',
  };
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method: 'POST', agent, headers }, async response => {
      const { result } = JSON.parse(Buffer.concat(await response.toArray()).toString());
      if (result === undefined) reject(new Error(`HTTP ${response.statusCode}`));
      resolve(result);
    });
    outgoing.on('error', reject).end(body);
  });
}

/** Sessions that watch a resource each, which changes once a minute. @param {boolean} isTenon */
async function measureSessions(isTenon) {
  const program = fileURLToPath(new URL('session-server.mjs', import.meta.url));
  const child = startNode([program, isTenon ? 'tenon' : 'floor']);
  const url = await firstLine(child);
  /** @type {import('node:net').Socket[]} */
  const sockets = [];
  let notified = 0;
  await repeat(
    SESSIONS,
    async number => {
      const socket = await openStream(url, [`note://${number}`]);
      socket.on('data', data => {
        notified += String(data).includes('resources/updated') ? 1 : 0;
      });
      sockets.push(socket);
    },
    50,
  );
  await wait(1000);
  child.stdin?.write(`${Math.round(SESSIONS / 60)} ${NOTIFICATION_SECONDS}\n`);
  const [, line = ''] = await waitForOutput(child, /^(.*)\n/, (NOTIFICATION_SECONDS + 30) * 1000);
  await wait(1000);
  for (const socket of sockets) socket.destroy();
  await stop(child);
  const expected = Math.round(SESSIONS / 60) * NOTIFICATION_SECONDS;
  if (notified < expected) throw new Error(`${notified} of ${expected} notifications came`);
  return JSON.parse(line);
}

/** A gateway of many servers on HTTP, or one server with as many tools. @param {boolean} isTenon */
async function measureGateway(isTenon) {
  const before = readHeap();
  /** @type {import('tenon').Client | undefined} */
  let client;
  const opened = await measure(async () => {
    const served = isTenon
      ? (await createHost({ servers: createServers(), pageSize: SERVERS * TOOLS })).toServer()
      : createServer({ name: 'one', version: '1.0.0', pageSize: SERVERS * TOOLS, tools: createTools() });
    client = await connect((await serveHttp(served, { port: 0 })).url);
    await listAll(client);
  });
  if (!client) throw new Error('Not connected.');
  const listing = await measureLists(client);
  const { tools } = await listAll(client);
  if (tools.length !== SERVERS * TOOLS) throw new Error(`${tools.length} tools`);
  const call = (/** @type {number} */ number) =>
    client?.callTool(tools[(number * 37) % tools.length]?.name ?? '', { text: 'x' }) ?? Promise.reject();
  await repeat(CALLS, call);
  const calling = await measure(() => repeat(CALLS, call));
  return {
    opening: opened.cpu,
    listing,
    call: (calling.cpu * 1000) / CALLS,
    heap: (readHeap() - before) / MB,
  };
}

/** Users of a gateway, each with a token, whose server has many tools, or few. @param {boolean} isTenon */
async function measureUsers(isTenon) {
  const count = isTenon ? 1000 : 10;
  const system = await serveHttp(createNumberedServer(0, count), { port: 0 });
  const host = await createHost({
    servers: { system: { url: system.url } },
    connectionIdleTimeout: IDLE_SECONDS * 1000,
    rateLimits: false,
  });
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/mcp`;
  const verify = (/** @type {string} */ principal) => ({ principal, scopes: [], expiresAt: Date.now() + 60_000 });
  const auth = protect({ resource: url, issuers: ['https://issuer.example'], verify });
  await serveHttp(host.toServer(), { port, auth });
  const list = async (/** @type {number} */ user) => {
    const client = await connect({ url, auth: bearer(`user-${user}`) });
    let tools = 0;
    for await (const _ of client.listTools()) tools += 1;
    if (tools !== count) throw new Error(`${tools} tools`);
    await client.close();
  };
  await repeat(2, list, 1);
  await wait(2 * IDLE_SECONDS * 1000);
  const before = readHeap();
  await repeat(GATEWAY_USERS, user => list(user + 2), 4);
  const open = readHeap();
  await wait(2 * IDLE_SECONDS * 1000);
  const left = readHeap();
  const perUser = (/** @type {number} */ heap) => (heap - before) / 1024 / GATEWAY_USERS;
  return { open: perUser(open), left: perUser(left) };
}

const createServers = () =>
  Object.fromEntries(
    Array.from({ length: SERVERS }, (_, at) => [`system-${at}`, { service: createNumberedServer(at, TOOLS) }]),
  );

function createTools() {
  const input = /** @type {const} */ ({
    type: 'object',
    properties: {
      text: { type: 'string', description: 'What to look for.' },
      limit: { type: 'integer', minimum: 1, maximum: 100, description: 'How many to give at the most.' },
      size: { type: 'string', enum: ['small', 'medium', 'large'], description: 'How much of each.' },
    },
    required: ['text'],
  });
  const description = 'Looks up a record of a system, and gives what is known of it in the form that is asked for.';
  return Object.fromEntries(
    Array.from({ length: SERVERS * TOOLS }, (_, at) => [
      `system-${Math.floor(at / TOOLS)}__find_${at}`,
      tool({ description, input, run: ({ text }) => text }),
    ]),
  );
}

/** All tools, on one page that the server makes anew. @param {import('tenon').Client} client @returns {Promise<{ tools: { name: string }[] }>} */
const listAll = async client => /** @type {any} */ (await client.call('tools/list', {}));

/** CPU of a list of all tools that the server makes anew, in milliseconds. @param {import('tenon').Client} client */
async function measureLists(client) {
  const { cpu } = await measure(async () => {
    for (let list = 0; list < LISTS; list += 1) await listAll(client);
  });
  return cpu / LISTS;
}

/** A list of 5,000 tools with a policy and a lock, or without. @param {boolean} isGuarded */
async function measureGuardedList(isGuarded) {
  const folder = await mkdtemp(join(tmpdir(), 'tenon-many-'));
  const guards = {
    policy: [deny('*/delete*'), deny({ arguments: { path: '/etc/*' } }), allow('*/*')],
    lock: { file: join(folder, 'mcp.lock'), onUnknown: /** @type {const} */ ('trust-first') },
  };
  const host = await createHost({
    servers: createServers(),
    pageSize: SERVERS * TOOLS,
    ...(isGuarded ? guards : {}),
  });
  const client = await connect(host.toServer());
  for (let warmUp = 0; warmUp < 3; warmUp += 1) await measureLists(client);
  const { tools } = await listAll(client);
  if (tools.length !== SERVERS * TOOLS) throw new Error(`${tools.length} tools`);
  const listing = await measureLists(client);
  await rm(folder, { recursive: true });
  return { listing };
}

/** A resource of 50 MB, by server and client, or by the least that crosses the same JSON. @param {boolean} isTenon */
async function measureBytes(isTenon) {
  const bytes = Uint8Array.from({ length: BYTES }, (_, index) => (index * 31 + (index >> 8)) & 255);
  const read = isTenon ? await serveBytes(bytes) : await serveBytesBare(bytes);
  await read();
  globalThis.gc?.();
  const before = process.memoryUsage().rss;
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, process.memoryUsage().rss);
  }, 2);
  const { cpu, time } = await measure(async () => {
    const { length } = Buffer.from(await read(), 'base64');
    if (length !== BYTES) throw new Error(`${length} bytes`);
  });
  clearInterval(timer);
  return { cpu, time, rss: (Math.max(most, process.memoryUsage().rss) - before) / MB };
}

/** @param {Uint8Array} bytes */
async function serveBytes(bytes) {
  const image = resource({ mimeType: 'application/octet-stream', read: () => bytes });
  const server = createServer({ name: 'bench', version: '1.0.0', resources: { 'file:///image.bin': image } });
  const { url } = await serveHttp(server, { port: 0 });
  const client = await connect({ url, maxMessageSize: 2 * BYTES });
  return async () => {
    const [first] = (await client.readResource('file:///image.bin')).contents;
    return first && 'blob' in first ? first.blob : '';
  };
}

/** @param {Uint8Array} bytes */
async function serveBytesBare(bytes) {
  const server = createHttpServer((_, response) => {
    const contents = [{ uri: 'file:///image.bin', blob: Buffer.from(bytes.buffer).toString('base64') }];
    const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, result: { contents } }));
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body);
  });
  const port = await freePort();
  await new Promise(resolve => server.listen(port, '127.0.0.1', () => resolve(undefined)));
  return () =>
    new Promise((resolve, reject) => {
      const outgoing = request({ host: '127.0.0.1', port }, async response => {
        const text = Buffer.concat(await response.toArray()).toString();
        resolve(JSON.parse(text).result.contents[0].blob);
      });
      outgoing.on('error', reject).end();
    });
}

/** Questions that are all open before the first is answered, or as many calls without one, twice. @param {boolean} isAsking */
async function measureQuestions(isAsking) {
  const limits = {
    maxShare: 1,
    maxRequests: 2 * QUESTIONS,
    maxRequestsPerSession: 2 * QUESTIONS,
    maxStreamsPerSession: 2 * QUESTIONS,
  };
  const { url } = await serveHttp(createQuestionServer(), { port: 0, limits });
  /** @type {Figures} */
  const found = {};
  for (const protocolVersion of ['2025-11-25', '2026-07-28']) {
    /** @type {(() => void)[]} */
    let waiting = [];
    const client = await connect(url, {
      protocolVersion,
      elicit: async () => {
        await new Promise(resolve => {
          waiting.push(() => resolve(undefined));
          if (waiting.length === QUESTIONS) for (const answer of waiting) answer();
        });
        return { action: 'accept', content: { sure: true } };
      },
    });
    const run = async () => {
      waiting = [];
      const call = (/** @type {string} */ name) =>
        Promise.all(Array.from({ length: QUESTIONS }, () => client.callTool(name, { text: 'x' })));
      if (isAsking) await call('ask');
      else {
        await call('plain');
        await call('plain');
      }
    };
    await run();
    await run();
    const { cpu } = await measure(run);
    found[protocolVersion] = (cpu * 1000) / QUESTIONS;
    await client.close();
  }
  return found;
}

/** Users who sign in, by the client of Tenon or of the official SDK, at the same authorization server and server. @param {boolean} isTenon */
async function measureSignIns(isTenon) {
  const [issuerPort, port] = [await freePort(), await freePort()];
  const issuerUrl = `http://127.0.0.1:${issuerPort}`;
  let users = 0;
  const signInUser = () => {
    users += 1;
    return `user-${users}`;
  };
  const issuer = createIssuer({ url: issuerUrl, signIn: signInUser, limits: { maxUnusedRegistrations: 2 * USERS } });
  createHttpServer(toNode(issuer)).listen(issuerPort, '127.0.0.1');
  const server = createServer({
    name: 'bench',
    version: '1.0.0',
    tools: { whoami: tool({ run: (_, { auth }) => String(auth?.claims?.sub) }) },
  });
  const auth = protect({ resource: `http://127.0.0.1:${port}/mcp`, issuers: [issuerUrl] });
  const { url } = await serveHttp(server, { port, auth });
  const names = new Set();
  const one = async () => names.add(await (isTenon ? signInByTenon(url) : signInByOfficial(url)));
  await repeat(50, one);
  const { cpu, time } = await measure(() => repeat(USERS, one));
  if (names.size !== USERS + 50) throw new Error(`${names.size} users`);
  return { cpu: cpu / USERS, time: time / 1000 };
}

/** Opens the page of the authorization server, and allows. Returns the address to which the browser is sent. @param {URL} url */
async function allowOnPage(url) {
  const page = await fetch(url);
  const html = await page.text();
  const action = /action="([^"]*)"/.exec(html)?.[1] ?? '';
  const headers = { cookie: page.headers.get('set-cookie')?.split(';')[0] ?? '', origin: url.origin };
  const body = new URLSearchParams({ answer: 'allow' });
  for (const [, field = '', value = ''] of html.matchAll(/name="(request|token)" value="([^"]*)"/g))
    body.set(field, value);
  const response = await fetch(new URL(action, url), {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
    body: body.toString(),
    redirect: 'manual',
  });
  return new URL(response.headers.get('location') ?? '', url);
}

/** @param {string} url */
async function signInByTenon(url) {
  const open = async (/** @type {URL} */ page) => void (await fetch(await allowOnPage(page)));
  const client = await connect({ url, auth: signIn({ redirect: loopbackRedirect({ open, print: () => {} }) }) });
  const { content } = await client.callTool('whoami');
  await client.close();
  return content[0]?.type === 'text' ? content[0].text : '';
}

/** @param {string} url */
async function signInByOfficial(url) {
  /** @type {any} */
  const known = {};
  const redirectUrl = 'http://127.0.0.1:7777/callback';
  /** @type {any} */
  const authProvider = {
    redirectUrl,
    clientMetadata: {
      client_name: 'bench',
      redirect_uris: [redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    },
    clientInformation: () => known.client,
    saveClientInformation: (/** @type {unknown} */ client) => {
      known.client = client;
    },
    tokens: () => known.tokens,
    saveTokens: (/** @type {unknown} */ tokens) => {
      known.tokens = tokens;
    },
    codeVerifier: () => known.verifier,
    saveCodeVerifier: (/** @type {string} */ verifier) => {
      known.verifier = verifier;
    },
    discoveryState: () => known.discovery,
    saveDiscoveryState: (/** @type {unknown} */ discovery) => {
      known.discovery = discovery;
    },
    redirectToAuthorization: async (/** @type {URL} */ page) => {
      known.redirect = await allowOnPage(page);
    },
  };
  const first = new StreamableHTTPClientTransport(new URL(url), { authProvider });
  const client = new Client({ name: 'bench', version: '1.0.0' });
  await client.connect(first).catch(() => {});
  await first.finishAuth(known.redirect.searchParams);
  const signedIn = new Client({ name: 'bench', version: '1.0.0' });
  await signedIn.connect(new StreamableHTTPClientTransport(new URL(url), { authProvider }));
  const { content } = await signedIn.callTool({ name: 'whoami', arguments: {} });
  await signedIn.close();
  const [block] = /** @type {any[]} */ (content);
  return block.text;
}

/** Servers whose programs start slowly, as on Windows: by a host, or by the same number of bare programs. @param {boolean} isTenon */
async function measureSlowStart(isTenon) {
  const program = fileURLToPath(new URL('../host/one-stdio.mjs', import.meta.url));
  const loadLater = (/** @type {string} */ code) => ['-e', `setTimeout(() => { ${code} }, ${SLOW_START})`];
  const { time } = await measure(async () => {
    if (isTenon) {
      const script = `process.argv.splice(1, 0, ''); import(${JSON.stringify(program)})`;
      const servers = Array.from({ length: SLOW_SERVERS }, (_, at) => [
        `system-${at}`,
        { command: process.execPath, args: [...loadLater(script), String(at), '5'] },
      ]);
      const host = await createHost({ servers: Object.fromEntries(servers) });
      const { tools } = await listAll(host.client);
      if (tools.length !== SLOW_SERVERS * 5) throw new Error(`${tools.length} tools`);
      await host.close();
    } else {
      const programs = Array.from({ length: SLOW_SERVERS }, () => startNode(loadLater("console.log('started')")));
      await Promise.all(programs.map(firstLine));
    }
  });
  return { time };
}

const [name = '', subject] = process.argv.slice(2);
const figures = await cases[name]?.(subject === 'tenon');
console.log(JSON.stringify(figures));
process.exit();
