import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createTransportPair, type JsonRpcMessage } from 'tenon';
import { serveHttp } from 'tenon/node';
import { badServer } from './server.js';

export type Json = { [key: string]: unknown };

/** Raw access to a server: any text goes in, and all that comes of it out. */
export interface Wire {
  readonly version: string;
  /** Sends a text as one message and returns all that comes before the answer to a ping after it. */
  text(text: string): Promise<Json[]>;
  /** The same for a request or a notification, with all that has to be around it. */
  send(message: Json): Promise<Json[]>;
  /** All that came until now, where it comes on one stream. */
  readonly received?: readonly Json[];
  /** The pid of the server, where it is a process of its own. */
  readonly pid?: number | undefined;
  /** Writes bytes as they are, where there is a stream to write to. */
  readonly bytes?: (bytes: Uint8Array) => Promise<void>;
  /** Where to, and with what headers, over HTTP. */
  readonly http?: { readonly url: string; readonly headers: Record<string, string> };
  close(): Promise<void>;
}

const clientInfo = { name: 'test', version: '1' };
const opening = (version: string): Json => ({
  jsonrpc: '2.0',
  id: 'opening',
  method: 'initialize',
  params: { protocolVersion: version, capabilities: {}, clientInfo },
});
const ready: Json = { jsonrpc: '2.0', method: 'notifications/initialized' };

/** A road on which answers come when they come: a ping behind each message says when all of them are there. */
async function marked(
  version: string,
  write: (text: string) => Promise<void>,
  inbox: Inbox,
): Promise<Pick<Wire, 'text' | 'send'>> {
  let marks = 0;
  async function text(given: string): Promise<Json[]> {
    const id = `mark-${++marks}`;
    const from = inbox.messages.length;
    await write(given);
    await write(JSON.stringify({ jsonrpc: '2.0', id, method: 'ping' }));
    await inbox.until(({ id: each }) => each === id);
    return inbox.messages.slice(from).filter(each => each.id !== id);
  }
  const send = (message: Json) => text(JSON.stringify(message));
  await send(opening(version));
  await send(ready);
  return { text, send };
}

class Inbox {
  readonly messages: Json[] = [];
  #wake: (() => void)[] = [];

  push(message: Json): void {
    this.messages.push(message);
    for (const wake of this.#wake.splice(0)) wake();
  }

  async until(holds: (message: Json) => boolean): Promise<Json> {
    for (;;) {
      const found = this.messages.find(holds);
      if (found) return found;
      await new Promise<void>(resolve => this.#wake.push(resolve));
    }
  }
}

export async function overMemory(version = '2025-11-25'): Promise<Wire> {
  // By reference: 10,000 levels, which a raw peer may send as text, are too deep for `JSON.stringify`.
  const pair = createTransportPair(undefined, { copyMessages: false });
  const inbox = new Inbox();
  await badServer().connect(pair.server);
  await pair.client.open({
    onMessage: value => void [value].flat().forEach(each => inbox.push(each as Json)),
    onParseError() {},
    onResponseLost() {},
    onClose() {},
  });
  const write = async (text: string) => {
    await pair.client.send(JSON.parse(text) as JsonRpcMessage);
    await new Promise(resolve => setImmediate(resolve));
  };
  return { version, ...(await marked(version, write, inbox)), close: async () => pair.client.close() };
}

export async function overStdio(program: string, version = '2025-11-25'): Promise<Wire> {
  const child: ChildProcess = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'ignore'] });
  const inbox = new Inbox();
  let rest = '';
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() as string;
    for (const line of lines) for (const each of [JSON.parse(line)].flat()) inbox.push(each as Json);
  });
  const bytes = async (chunk: Uint8Array) => {
    if (!child.stdin?.write(chunk)) await once(child.stdin as NonNullable<typeof child.stdin>, 'drain');
  };
  const exited = once(child, 'exit');
  const write = (text: string) => bytes(Buffer.from(`${text}\n`));
  return {
    version,
    pid: child.pid,
    received: inbox.messages,
    bytes,
    ...(await marked(version, write, inbox)),
    close: async () => {
      child.stdin?.end();
      await exited;
    },
  };
}

const JSON_HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

async function messagesOf(response: Response): Promise<Json[]> {
  const body = await response.text();
  if (!body) return [];
  if (!response.headers.get('content-type')?.includes('event-stream')) {
    return response.headers.get('content-type')?.includes('json')
      ? [JSON.parse(body)].flat()
      : [{ status: response.status, body }];
  }
  return body
    .split('\n')
    .flatMap(line =>
      line.startsWith('data: {') || line.startsWith('data: [') ? [JSON.parse(line.slice(6))].flat() : [],
    );
}

export async function overSession(version = '2025-11-25'): Promise<Wire> {
  const server = await serveHttp(badServer(), { port: 0 });
  let own: Record<string, string> = {};
  const text = async (body: string) => {
    const response = await fetch(server.url, { method: 'POST', headers: { ...JSON_HEADERS, ...own }, body });
    const id = response.headers.get('mcp-session-id');
    if (id && !own['mcp-session-id']) own = { 'mcp-session-id': id, 'mcp-protocol-version': version };
    return messagesOf(response);
  };
  const send = (message: Json) => text(JSON.stringify(message));
  await send(opening(version));
  await send(ready);
  return { version, text, send, http: { url: server.url, headers: own }, close: () => server.close() };
}

export async function overRequests(): Promise<Wire> {
  const server = await serveHttp(badServer(), { port: 0 });
  const version = '2026-07-28';
  const post = async (body: string, more: Record<string, string> = {}) =>
    messagesOf(
      await fetch(server.url, {
        method: 'POST',
        headers: { ...JSON_HEADERS, 'mcp-protocol-version': version, ...more },
        body,
      }),
    );
  return { version, text: body => post(body), send: message => post(...alone(message)), close: () => server.close() };
}

/** A request that carries all its facts, and the headers that mirror it. */
export function alone(message: Json): [body: string, headers: Record<string, string>] {
  const params = (message.params ?? {}) as Json;
  const name = params.name ?? params.uri;
  const _meta = {
    ...(params._meta as Json | undefined),
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
    'io.modelcontextprotocol/logLevel': 'debug',
  };
  // By text, so that a member "__proto__" stays one.
  const body = JSON.stringify({ ...message, params: { ...params, _meta } });
  return [body, { 'mcp-method': String(message.method), ...(typeof name === 'string' ? { 'mcp-name': name } : {}) }];
}

export async function overTwoEndpoints(): Promise<Wire> {
  const server = await serveHttp(badServer(), { port: 0 });
  const leave = new AbortController();
  const stream = await fetch(server.sseUrl as string, { signal: leave.signal });
  const inbox = new Inbox();
  const reading = read(stream, inbox).catch(() => {});
  const endpoint = await inbox.until(({ endpoint: found }) => found !== undefined);
  const address = new URL(endpoint.endpoint as string, server.url);
  const write = async (body: string) => {
    const response = await fetch(address, { method: 'POST', headers: JSON_HEADERS, body });
    // What is refused is refused at once, in the answer to the POST.
    if (response.ok) await response.text();
    else for (const each of await messagesOf(response)) inbox.push(each);
  };
  return {
    version: '2024-11-05',
    ...(await marked('2024-11-05', write, inbox)),
    close: async () => {
      leave.abort();
      await reading;
      await server.close();
    },
  };
}

async function read(stream: Response, inbox: Inbox): Promise<void> {
  let rest = '';
  let event = '';
  const decoder = new TextDecoder();
  for await (const chunk of stream.body as unknown as AsyncIterable<Uint8Array>) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() as string;
    for (const line of lines) {
      if (line.startsWith('event: ')) event = line.slice(7);
      if (!line.startsWith('data: ')) continue;
      if (event === 'endpoint') inbox.push({ endpoint: line.slice(6) });
      else for (const each of [JSON.parse(line.slice(6))].flat()) inbox.push(each as Json);
      event = '';
    }
  }
}
