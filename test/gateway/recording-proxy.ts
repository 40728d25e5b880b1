import {
  Agent,
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { createEventSplitter, type Recording, type Wires } from './wire.js';

/** Stands before an HTTP server and reads along. */
export interface RecordingProxy {
  /** The address of the proxy for an address of the server. */
  at(url: string): string;
  close(): Promise<void>;
}

/** Passes all on to the origin as it came. Messages of one session are one connection; what has no session stands alone. */
export async function startRecordingProxy(origin: string, wires: Wires): Promise<RecordingProxy> {
  const agent = new Agent({ keepAlive: true });
  const sessions = new Map<string, Recording>();
  const server = createServer((response, reply) => void forward(response, reply, { origin, agent, wires, sessions }));
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const own = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    at: url => own + new URL(url).pathname,
    async close() {
      const closed = new Promise(resolve => server.close(resolve));
      server.closeAllConnections();
      agent.destroy();
      await closed;
    },
  };
}

interface ProxyContext {
  readonly origin: string;
  readonly agent: Agent;
  readonly wires: Wires;
  readonly sessions: Map<string, Recording>;
}

async function forward(response: IncomingMessage, reply: ServerResponse, connection: ProxyContext): Promise<void> {
  const { method = 'GET', url = '/', headers } = response;
  const body = await readBody(response);
  const wire = getRecording(headers['mcp-session-id'] ?? findSessionId(url), connection);
  if (body !== '') wire.crosses('client', JSON.parse(body));
  const { host: _, ...rest } = headers;
  const onward = request(connection.origin + url, { method, headers: rest, agent: connection.agent }, answer => {
    rememberSession(answer.headers['mcp-session-id'], wire, connection);
    wire.exchanges.push(createExchange({ method, url, headers, body }, answer));
    reply.writeHead(answer.statusCode ?? 502, answer.headers);
    reply.flushHeaders();
    recordResponse(answer, wire, connection);
    answer.on('data', chunk => reply.write(chunk));
    answer.on('end', () => reply.end());
    answer.on('error', () => reply.destroy());
  });
  onward.on('error', () => reply.destroy());
  reply.on('close', () => reply.writableFinished || onward.destroy());
  onward.end(body);
}

async function readBody(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

function getRecording(session: string | string[] | undefined, { sessions, wires }: ProxyContext): Recording {
  return sessions.get(String(session)) ?? wires.open();
}

const findSessionId = (url: string): string | undefined => /[?&]sessionId=([^&]+)/.exec(url)?.[1];

function rememberSession(session: string | string[] | undefined, wire: Recording, { sessions }: ProxyContext): void {
  if (typeof session === 'string') sessions.set(session, wire);
}

function recordResponse(answer: IncomingMessage, wire: Recording, connection: ProxyContext): void {
  if (String(answer.headers['content-type']).startsWith('text/event-stream')) {
    const read = createEventSplitter((type, data) => {
      if (type === 'endpoint') rememberSession(findSessionId(data), wire, connection);
      else if (data.trim() !== '') wire.crosses('server', JSON.parse(data));
    });
    answer.on('data', read);
    return;
  }
  const chunks: Buffer[] = [];
  answer.on('data', chunk => chunks.push(chunk));
  answer.on('end', () => {
    const text = Buffer.concat(chunks).toString();
    if (/^\s*[[{]/.test(text)) wire.crosses('server', JSON.parse(text));
  });
}

interface CapturedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

function createExchange({ method, url, headers, body }: CapturedRequest, answer: IncomingMessage) {
  const session = answer.headers['mcp-session-id'];
  return {
    method,
    url,
    headers: headers as Record<string, string>,
    body: body === '' ? undefined : JSON.parse(body),
    status: answer.statusCode ?? 0,
    contentType: answer.headers['content-type'] ?? '',
    sessionId: typeof session === 'string' ? session : undefined,
  };
}
