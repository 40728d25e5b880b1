import { request } from 'node:http';
import { createServer, tool } from 'tenon';
import { protect } from 'tenon/auth';
import { type HttpServer, serveHttp } from 'tenon/node';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Fields } from '../served.js';

let http: HttpServer;
/** The tokens that were looked at, and the tools that ran. */
let looked: string[];
let ran: string[];
let port: number;

beforeEach(async () => {
  [looked, ran] = [[], []];
  const server = createServer({
    name: 'local',
    version: '1',
    tools: { open: tool({ run: () => `opened ${ran.push('open')}` }) },
  });
  const auth = protect({
    resource: 'http://127.0.0.1:3000/mcp',
    issuers: ['https://login.example.com'],
    verify: token => {
      looked.push(token);
      return { principal: 'ada' };
    },
  });
  http = await serveHttp(server, { port: 0, auth });
  port = Number(new URL(http.url).port);
});
afterEach(() => http.close({ timeout: 0 }));

interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly headers: Fields;
}

const INITIALIZE = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'page', version: '1' } },
});

/** What a browser sends to this machine by a name that leads to it, with a token that would be good. */
function send({ method = 'POST', path = '/mcp', headers }: Sent) {
  const all = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    authorization: 'Bearer stolen-or-guessed',
    ...headers,
  };
  return new Promise<{ status: number | undefined; headers: NodeJS.Dict<string | string[]>; text: string }>(
    (resolve, reject) => {
      const sent = request({ host: '127.0.0.1', port, method, path, headers: all }, response => {
        let text = '';
        response.setEncoding('utf8').on('data', piece => (text += piece));
        response.on('end', () => resolve({ status: response.statusCode, headers: response.headers, text }));
      });
      sent.on('error', reject).end(method === 'POST' ? INITIALIZE : undefined);
    },
  );
}

/** A page of evil.example.com has its name lead to 127.0.0.1, and speaks to what listens there as to itself. */
describe('a page of another site', () => {
  const addresses: Omit<Sent, 'headers'>[] = [
    {},
    { method: 'GET' },
    { method: 'DELETE' },
    { method: 'OPTIONS' },
    { method: 'GET', path: '/sse' },
    { path: '/messages?sessionId=x' },
  ];
  const pages: (readonly [string, () => Fields])[] = [
    ['its name as Host', () => ({ host: `evil.example.com:${port}` })],
    ['its name as Host and Origin', () => ({ host: 'evil.example.com', origin: 'http://evil.example.com' })],
    ['a name that begins like ours', () => ({ host: `localhost.evil.example.com:${port}` })],
    ['a name that begins like our address', () => ({ host: `127.0.0.1.evil.example.com:${port}` })],
    ['our address as a user of its name', () => ({ host: `127.0.0.1:${port}@evil.example.com` })],
    ['another name of this machine, by which the page came', () => ({ host: 'printer.local' })],
    ['a good Host and its Origin', () => ({ origin: 'http://evil.example.com' })],
    ['a good Host and an Origin without a name', () => ({ origin: 'null' })],
  ];

  it.each(pages)('with %s is refused before its token is verified', async (_, headers) => {
    for (const address of addresses) {
      const answer = await send({ ...address, headers: headers() });
      expect([address, answer.status]).toEqual([address, 403]);
      // Nor does it learn where one signs in, or may a browser show it anything.
      expect(Object.keys(answer.headers)).not.toContain('www-authenticate');
      expect(Object.keys(answer.headers)).not.toContain('mcp-session-id');
      expect(Object.keys(answer.headers)).not.toContain('access-control-allow-origin');
    }
    expect([looked, ran]).toEqual([[], []]);
  });

  it.each([
    ['none', () => ({})],
    ['itself', () => ({ host: `localhost:${port}`, origin: `http://localhost:${port}` })],
  ] as (readonly [string, () => Fields])[])('with %s is accepted up to its token', async (_, headers) => {
    expect((await send({ headers: headers() })).status).toBe(200);
    expect(looked).toEqual(['stolen-or-guessed']);
  });
});
