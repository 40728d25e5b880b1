import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServer as createMcpServer } from 'tenon';
import { serveHttp } from 'tenon/node';
import { describe, expect, it } from 'vitest';
import { runDoctor } from './run-doctor.js';

const OPTIONS = { only: ['connection', 'transport', 'origin'], protocolVersion: '2024-11-05', timeout: 30_000 };

const listIds = async (url: string) => {
  const { findings } = await runDoctor({ url, transport: 'http-sse' }, url, OPTIONS);
  return findings.map(({ id, severity }) => `${severity} ${id}`);
};

function parseMessage(text: string): { readonly id?: unknown; readonly method?: unknown } {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

const formatEndpoint = (endpoint: string): string => `event: endpoint\ndata: ${endpoint}\n\n`;

/** A server over HTTP+SSE that checks nothing, and answers with 200. */
async function startCareless(createEndpoint: (port: number) => string, format = formatEndpoint) {
  const server = createServer(async (request, response) => {
    if (request.method === 'GET') {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const { port } = server.address() as AddressInfo;
      response.write(format(createEndpoint(port)));
      server.on('answer', text => response.write(`event: message\ndata: ${text}\n\n`));
      return;
    }
    let text = '';
    for await (const chunk of request) text += chunk;
    response.writeHead(200).end('ok');
    const { id, method } = parseMessage(text);
    if (id === undefined) return;
    const result = { protocolVersion: '2024-11-05', capabilities: {}, serverInfo: { name: 'careless', version: '1' } };
    const outcome = method === 'initialize' ? { result } : { error: { code: -32601, message: 'Method not found' } };
    server.emit('answer', JSON.stringify({ jsonrpc: '2.0', id, ...outcome }));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/sse`,
    async close() {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}

describe('the examination of HTTP+SSE', () => {
  it('finds only the age of the transport in a server of this library [cli.doctor]', async () => {
    const { sseUrl, close } = await serveHttp(createMcpServer({ name: 'clean', version: '1.0.0' }), { port: 0 });
    expect(await listIds(sseUrl ?? '')).toEqual([
      'ok connection.open',
      'warning transport.sse-only',
      'ok transport.stream',
      'ok transport.endpoint',
      'ok transport.accepted',
      'ok transport.media-type',
      'ok transport.invalid-json',
      'ok transport.session',
      'ok origin.host',
    ]);
    await close();
  });

  it('finds the problems of a careless server', async () => {
    const { url, close } = await startCareless(() => '/messages?session=7');
    expect(await listIds(url)).toEqual([
      'ok connection.open',
      'warning transport.sse-only',
      'warning transport.stream',
      'ok transport.endpoint',
      'warning transport.accepted',
      'warning transport.media-type',
      'warning transport.invalid-json',
      'warning transport.session',
      'problem origin.rebinding',
    ]);
    await close();
  });

  it('finds sessions that are not checked', async () => {
    const { url, close } = await startCareless(() => `/messages?session=${'a1b2'.repeat(8)}`);
    const { findings } = await runDoctor({ url, transport: 'http-sse' }, url, OPTIONS);
    expect(findings.find(({ id }) => id === 'transport.session')?.title).toContain('unknown sessions are not refused');
    await close();
  });

  it.each([
    ['data before its type', (endpoint: string) => `data: ${endpoint}\nevent: endpoint\n\n`],
    ['other fields between', (endpoint: string) => `event:endpoint\nretry: 3000\n: comment\ndata:${endpoint}\n\n`],
    ['an ID at its end', (endpoint: string) => `event: endpoint\r\ndata: ${endpoint}\r\nid: 1\r\n\r\n`],
  ])('finds the endpoint of an event with %s', async (_form, format) => {
    const { url, close } = await startCareless(() => '/messages?session=7', format);
    expect(await listIds(url)).toContain('ok transport.endpoint');
    await close();
  });
});
