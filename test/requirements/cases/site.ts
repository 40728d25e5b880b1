import { request as send } from 'node:http';
import { createTransportPair, type RequestHandler } from 'tenon';
import type { HandlerOptions } from 'tenon/http';
import { serveHttp } from 'tenon/node';
import { onTestFinished } from 'vitest';

export type Json = { [key: string]: unknown };

/** An HTTP answer, whole: the messages in it, whether they came as JSON or as events. */
interface Answer {
  readonly status: number;
  readonly headers: { readonly [name: string]: string | string[] | undefined };
  readonly text: string;
  readonly messages: readonly Json[];
}

export const newest = '2026-07-28';
export const meta = (capabilities: Json = {}, version: unknown = newest): Json => ({
  'io.modelcontextprotocol/protocolVersion': version,
  'io.modelcontextprotocol/clientCapabilities': capabilities,
});

/** A server on HTTP until the test is over. */
export async function site(server: RequestHandler, options: HandlerOptions = {}): Promise<string> {
  const { url, close } = await serveHttp(server, { port: 0, ...options });
  onTestFinished(() => close({ timeout: 0 }));
  return url;
}

const json = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

/** Posts bytes as they are, with headers as they are: `fetch` would refuse some that a peer may send. */
export function post(url: string, body: unknown, headers: Json = {}, method = 'POST'): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const outgoing = send(url, { method, headers: { ...json, ...headers } as never }, response => {
      let text = '';
      response.setEncoding('utf8').on('data', chunk => {
        text += chunk;
      });
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text,
          messages: messagesOf(text, response.headers['content-type']),
        }),
      );
    });
    outgoing.on('error', reject);
    outgoing.end(body === undefined || typeof body === 'string' ? body : JSON.stringify(body));
  });
}

function messagesOf(text: string, type = ''): Json[] {
  if (type.includes('json')) return [JSON.parse(text)].flat();
  return [...text.matchAll(/^data: (\{.*)$/gm)].map(([, data = '']) => JSON.parse(data));
}

interface Alone {
  readonly id?: string | number;
  readonly capabilities?: Json;
  readonly headers?: Json;
}

/** Posts a request that carries all its facts, with the headers that mirror it and those of `headers`. */
export function postAlone(url: string, method: string, params: Json = {}, more: Alone = {}): Promise<Answer> {
  const { id = 1, capabilities = {}, headers = {} } = more;
  const name = params.name ?? params.uri;
  const body = { jsonrpc: '2.0', id, method, params: { ...params, _meta: meta(capabilities) } };
  const mirrors = { 'mcp-protocol-version': newest, 'mcp-method': method, ...(name ? { 'mcp-name': name } : {}) };
  return post(url, body, { ...mirrors, ...headers });
}

/** A session over HTTP, and how to post to it. */
export async function session(url: string, version = '2025-11-25', capabilities: Json = {}, headers: Json = {}) {
  const clientInfo = { name: 'test', version: '1' };
  const params = { protocolVersion: version, capabilities, clientInfo };
  const opened = await post(url, { jsonrpc: '2.0', id: 'open', method: 'initialize', params }, headers);
  const own = { 'mcp-session-id': opened.headers['mcp-session-id'], 'mcp-protocol-version': version };
  const say = (message: Json, more: Json = {}) =>
    post(url, { jsonrpc: '2.0', ...message }, { ...own, ...headers, ...more });
  await say({ method: 'notifications/initialized' });
  return { own, opened, say };
}

/** One end of a pair in memory that a test plays, and all that the other end says to it. */
export function listeningPair() {
  const pair = createTransportPair();
  const received: Json[] = [];
  const until = async (holds: (onMessage: Json) => boolean): Promise<Json> => {
    for (let turn = 0; turn < 2000; turn++) {
      const found = received.find(holds);
      if (found) return found;
      await new Promise(resolve => setTimeout(resolve, 1));
    }
    throw new Error('it was never said');
  };
  const receiver = {
    onMessage: (value: unknown) => void received.push(value as Json),
    onParseError() {},
    onResponseLost() {},
    onClose() {},
  };
  return { ...pair, received, until, receiver };
}

/** A client in memory that a test plays: opens a session and sends what it is told to. */
export async function peerOf(server: RequestHandler, version = '2025-11-25', capabilities: Json = {}) {
  const { client, server: end, received, until, receiver } = listeningPair();
  const conversation = await server.connect(end);
  await client.open(receiver);
  const say = (message: Json) => client.send({ jsonrpc: '2.0', ...message } as never);
  let last = 0;
  const ask = async (method: string, params: Json = {}) => {
    const id = ++last;
    await say({ id, method, params });
    return until(message => message.id === id && !('method' in message));
  };
  const clientInfo = { name: 'test', version: '1' };
  await ask('initialize', { protocolVersion: version, capabilities, clientInfo });
  await say({ method: 'notifications/initialized' });
  return { conversation, received, until, say, ask, close: () => client.close() };
}
