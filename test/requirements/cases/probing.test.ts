import { createServer as createHttpServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fakeClock } from '@tenon/testing';
import { connect, memoryVersionCache, type TenonError } from 'tenon';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Json, listeningPair, newest } from './site.js';

const complete = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' };
const discovered = (versions: string[]) => ({ ...complete, supportedVersions: versions, capabilities: { tools: {} } });
const opened = (version: string) => ({
  protocolVersion: version,
  capabilities: { tools: {} },
  serverInfo: { name: 's', version: '1' },
});
const isProbe = ({ method }: Json) => method === 'server/discover';
const isOpening = ({ method }: Json) => method === 'initialize';
const metaOf = (message: Json) => (message.params as Json)._meta as Json;
const version = 'io.modelcontextprotocol/protocolVersion';

/** A server that a test plays, on one stream. */
async function played(options: Parameters<typeof connect>[1] = {}) {
  const { client: end, server, receiver, until, received } = listeningPair();
  await server.open(receiver);
  const say = (message: Json) => server.send({ jsonrpc: '2.0', ...message } as never);
  const clock = fakeClock();
  const client = connect(end, { clock, ...options });
  client.catch(() => {});
  onTestFinished(async () => {
    await server.close();
    await (await client.catch(() => undefined))?.close();
  });
  return { client, say, until, received, clock };
}

describe('a client on a stream', () => {
  it('first sends a probe in its newest version, with its client info [compat.stdio-probe-first, meta.client-info-should]', async () => {
    const { client, say, until, received } = await played({ name: 'me', version: '7' });
    const probe = await until(isProbe);
    expect(received).toEqual([probe]);
    expect(metaOf(probe)).toMatchObject({
      [version]: newest,
      'io.modelcontextprotocol/clientInfo': { name: 'me', version: '7' },
    });
    await say({ id: probe.id, result: discovered([newest]) });
    expect((await client).server.protocolVersion).toBe(newest);
  });

  it('continues in a version that the server supports [discover.client-picks-version, versioning.client-retries-supported]', async () => {
    const { client, say, until } = await played();
    const probe = await until(isProbe);
    await say({
      id: probe.id,
      error: { code: -32022, message: 'm', data: { supported: ['2099-01-01', '2025-06-18'], requested: newest } },
    });
    const opening = await until(isOpening);
    expect(opening.params).toMatchObject({ protocolVersion: '2025-06-18' });
    await say({ id: opening.id, result: opened('2025-06-18') });
    expect((await client).server.protocolVersion).toBe('2025-06-18');
  });

  it('offers the newest version that has a handshake [lifecycle.version.client-sends-latest]', async () => {
    const { say, until } = await played();
    await say({ id: (await until(isProbe)).id, error: { code: -32601, message: 'm' } });
    expect((await until(isOpening)).params).toMatchObject({ protocolVersion: '2025-11-25' });
  });

  it('sends nothing until its handshake is answered [lifecycle.client-waits-for-response]', async () => {
    const { client, say, until, received } = await played({ protocolVersion: '2025-11-25' });
    const calling = client.then(open => open.call('tools/list'));
    const opening = await until(isOpening);
    await new Promise(resolve => setTimeout(resolve, 5));
    expect(received).toEqual([opening]);
    await say({ id: opening.id, result: opened('2025-11-25') });
    const { id } = await until(({ method }) => method === 'tools/list');
    expect(received.map(({ method }) => method)).toEqual(['initialize', 'notifications/initialized', 'tools/list']);
    await say({ id, result: { tools: [] } });
    await calling;
  });

  it('fails with the next step when it is fixed to a stateless version that the server does not support [compat.modern-client-legacy-server-fails, compat.stdio-modern-only-probe]', async () => {
    const { client, say, until, received } = await played({ protocolVersion: newest });
    await say({ id: (await until(isProbe)).id, error: { code: -32601, message: 'm' } });
    const error = (await client.catch((thrown: unknown) => thrown)) as TenonError;
    expect(error).toMatchObject({
      code: 'connect/no-shared-version',
      message: expect.stringMatching(
        /does not support protocol version 2026-07-28[\s\S]*Remove the option `protocolVersion`/,
      ),
    });
    expect(received.some(isOpening)).toBe(false);
  });

  it('ignores a response to its probe that arrives after the timeout [compat.stdio-late-probe-response]', async () => {
    const { client, say, until, clock } = await played();
    const probe = await until(isProbe);
    clock.advance(5000);
    const opening = await until(isOpening);
    await say({ id: probe.id, error: { code: -32601, message: 'm' } });
    await say({ id: opening.id, result: opened('2025-11-25') });
    const open = await client;
    await say({ id: probe.id, result: discovered([newest]) });
    const listing = open.call('tools/list');
    const { id } = await until(({ method }) => method === 'tools/list');
    await say({ id, result: { tools: [] } });
    expect(await listing).toMatchObject({ tools: [] });
    expect(open.server.protocolVersion).toBe('2025-11-25');
  });
});

type Answer = (message: Json, response: ServerResponse) => void;

/** An HTTP server by script, and what was asked of it: `POST initialize`, `GET`. */
async function scripted(answer: Answer) {
  const requests: string[] = [];
  const server = createHttpServer((request, response) => {
    let text = '';
    request.on('data', chunk => {
      text += chunk;
    });
    request.on('end', () => {
      const message: Json = text === '' ? {} : JSON.parse(text);
      requests.push([request.method, message.method].filter(Boolean).join(' '));
      answer({ ...message, http: request.method }, response);
    });
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, requests };
}

const reply = (response: ServerResponse, status: number, message?: Json) => {
  response.writeHead(status, message === undefined ? {} : { 'content-type': 'application/json' });
  response.end(message === undefined ? undefined : JSON.stringify({ jsonrpc: '2.0', ...message }));
};
const error = (code: number) => ({ code, message: 'm' });

describe('a client over HTTP', () => {
  it.each<[string, number, Json | undefined]>([
    ['200 and -32601', 200, error(-32601)],
    ['200 and -32000', 200, error(-32000)],
    ['400 and nothing', 400, undefined],
    ['400 and -32600', 400, error(-32600)],
    ['400 and -32602', 400, error(-32602)],
    ['400 and -32000', 400, error(-32000)],
    ['404 and -32601', 404, error(-32601)],
    ['405 and nothing', 405, undefined],
  ])(
    'sends a handshake to a server that responds to the probe with %s [compat.http-200-error-is-legacy, compat.recognised-modern-error-set, compat.client-anything-else-is-legacy]',
    async (_, status, body) => {
      const { url, requests } = await scripted((message, response) => {
        if (isProbe(message)) reply(response, status, body && { id: message.id, error: body });
        else if (isOpening(message)) reply(response, 200, { id: message.id, result: opened('2025-11-25') });
        else reply(response, 202);
      });
      const client = await connect(url);
      expect(client.server.protocolVersion).toBe('2025-11-25');
      expect(requests.slice(0, 2)).toEqual(['POST server/discover', 'POST initialize']);
      await client.close();
    },
  );

  it.each([500, 502, 503])(
    'sends no handshake after a %s, and probes again the next time [compat.http-5xx-not-era-signal]',
    async status => {
      let down = true;
      const { url, requests } = await scripted((message, response) => {
        if (down) reply(response, status);
        else reply(response, 200, { id: message.id, result: discovered([newest]) });
      });
      const versionCache = memoryVersionCache();
      expect(await connect(url, { versionCache }).catch(({ status: given }: TenonError) => given)).toBe(status);
      expect(requests).toEqual(['POST server/discover']);
      down = false;
      const client = await connect(url, { versionCache });
      expect(client.server.protocolVersion).toBe(newest);
      await client.close();
    },
  );

  it.each([400, 404, 405, 406, 415])(
    'tries HTTP+SSE last, when both POSTs get a %i [compat.http-sse-fallback, compat.fallback-order, sse-legacy.compat.client-posts-first, sse-legacy.compat.client-fallback-400-404-405, sse-legacy.compat.client-fallback-4xx]',
    async status => {
      let stream: ServerResponse | undefined;
      const { url, requests } = await scripted((message, response) => {
        if (message.http === 'GET') {
          stream = response;
          response.writeHead(200, { 'content-type': 'text/event-stream' });
          response.write('event: endpoint\ndata: /mcp?other=1\n\n');
          return;
        }
        if (stream === undefined) return reply(response, status);
        reply(response, 202);
        if (isOpening(message))
          stream.write(`data: ${JSON.stringify({ jsonrpc: '2.0', id: message.id, result: opened('2024-11-05') })}\n\n`);
      });
      const client = await connect(url);
      expect(client.server.protocolVersion).toBe('2024-11-05');
      expect(requests.slice(0, 4)).toEqual(['POST server/discover', 'POST initialize', 'GET', 'POST initialize']);
      await client.close();
    },
  );
});
