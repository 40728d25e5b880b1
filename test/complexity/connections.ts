import { PassThrough } from 'node:stream';
import type { Server } from 'tenon';
import { createHandler, type HeaderFields, type HttpHandler } from 'tenon/http';
import { serveStdio } from 'tenon/stdio';
import { type ReceivedResponse, TestExchange } from './exchange.js';

const STATELESS = '2026-07-28';
const SESSIONED = '2025-11-25';
const VERSION = 'io.modelcontextprotocol/protocolVersion';
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';
const BASE = {
  host: 'localhost',
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
};

type Params = { readonly [name: string]: unknown };

/** Connection to a server. */
export interface MeasuredConnection {
  request(method: string, params: Params): Promise<unknown>;
  close(): Promise<void> | void;
}

export const connections: { readonly [name: string]: (server: Server) => Promise<MeasuredConnection> } = {
  'HTTP 2026-07-28': async server => {
    const handler = createTestHandler(server);
    return { request: (method, params) => sendStateless(handler, method, params), close: () => handler.close() };
  },
  'HTTP 2025-11-25': async server => {
    const handler = createTestHandler(server);
    const session = await openSession(handler);
    return { request: (method, params) => session(method, params), close: () => handler.close() };
  },
  'stdio 2025-11-25': overStdio,
};

export function createTestHandler(server: Server, maxSessions = 1_000_000): HttpHandler {
  return createHandler(server, { limits: { maxSessions, minIdleBeforeEviction: 0, keepAliveInterval: 0 } });
}

/** Sends a request of 2026-07-28, and returns its result. */
export async function sendStateless(
  handler: HttpHandler,
  method: string,
  params: Params,
  capabilities = {},
  headers: HeaderFields = {},
): Promise<unknown> {
  return resultOf(await openListening(handler, method, params, capabilities, headers).response);
}

/** Sends a request of 2026-07-28 whose response may be a stream that the client ends. */
export function openListening(
  handler: HttpHandler,
  method: string,
  params: Params,
  capabilities = {},
  headers: HeaderFields = {},
): TestExchange {
  const named = params.name ?? params.uri ?? params.taskId;
  const post = new TestExchange(
    {
      jsonrpc: '2.0',
      id: 1,
      method,
      params: { ...params, _meta: { [VERSION]: STATELESS, [CAPABILITIES]: capabilities } },
    },
    {
      ...BASE,
      'mcp-protocol-version': STATELESS,
      'mcp-method': method,
      ...(typeof named === 'string' ? { 'mcp-name': named } : {}),
      ...headers,
    },
  );
  handler.endpoint.handle(post);
  return post;
}

const INITIALIZE = { protocolVersion: SESSIONED, capabilities: {}, clientInfo: { name: 'counter', version: '1.0.0' } };

/** Opens a session, and returns a function that sends a request in it. */
export async function openSession(handler: HttpHandler): Promise<(method: string, params: Params) => Promise<unknown>> {
  const post = async (message: object, headers = {}): Promise<ReceivedResponse> => {
    const exchange = new TestExchange(message, { ...BASE, ...headers });
    handler.endpoint.handle(exchange);
    return exchange.response;
  };
  const opened = await post({ jsonrpc: '2.0', id: 0, method: 'initialize', params: INITIALIZE });
  const own = { 'mcp-session-id': opened.headers['mcp-session-id'], 'mcp-protocol-version': SESSIONED };
  await post({ jsonrpc: '2.0', method: 'notifications/initialized' }, own);
  return async (method, params) => resultOf(await post({ jsonrpc: '2.0', id: 1, method, params }, own));
}

async function overStdio(server: Server): Promise<MeasuredConnection> {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const serving = await serveStdio(server, { input, output, exit: false });
  let onLine: (line: string) => void = () => {};
  output.setEncoding('utf8').on('data', (line: string) => onLine(line));
  const post = (message: object) =>
    new Promise<string>(resolve => {
      onLine = resolve;
      input.write(`${JSON.stringify(message)}\n`);
    });
  await post({ jsonrpc: '2.0', id: 0, method: 'initialize', params: INITIALIZE });
  input.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`);
  return {
    request: async (method, params) => read(await post({ jsonrpc: '2.0', id: 1, method, params })),
    close: () => serving.close(),
  };
}

function resultOf({ status, text }: ReceivedResponse): unknown {
  if (status !== 200) throw new Error(`${status}: ${text}`);
  return read(text.startsWith('{') ? text : (/^data: (.*)$/m.exec(text)?.[1] ?? '{}'));
}

function read(text: string): unknown {
  const { result, error } = JSON.parse(text);
  if (error) throw new Error(JSON.stringify(error));
  return result;
}
