import { fakeClock, protocolVersions } from '@tenon/testing';
import { connect, createServer, tool } from 'tenon';
import { type HttpServer, serveHttp } from 'tenon/node';
import { afterEach, describe, expect, it } from 'vitest';
import type { ServerOptions } from '../definitions/server-definition.js';

const sessionVersions = protocolVersions.slice(1);

describe('`ping` of the context over HTTP', () => {
  let serving: HttpServer | undefined;
  afterEach(() => serving?.close({ timeout: 0 }));

  const serve = async (options: { sessions?: false } = {}, keepAlive: ServerOptions['keepAlive'] = false) => {
    const clock = fakeClock();
    const server = createServer({
      name: 'pinging',
      version: '1.0.0',
      clock,
      keepAlive,
      tools: {
        pings: tool({
          run: async (_, ctx) => {
            await ctx.ping({ timeout: 200 });
            return 'there';
          },
        }),
      },
    });
    serving = await serveHttp(server, { port: 0, ...options });
    return { url: String(serving.url), clock };
  };

  it.each(sessionVersions)('resolves when the client answers, on %s [ping.either-direction]', async protocolVersion => {
    const { url } = await serve();
    const client = await connect(url, { protocolVersion });
    expect(await client.callTool('pings')).toMatchObject({ content: [{ text: 'there' }] });
    await client.close();
  });

  it.each([
    ['2026-07-28', {}],
    ['2025-11-25', { sessions: false }],
  ] as const)('rejects without a session, on %s with %j', async (protocolVersion, options) => {
    const { url } = await serve(options);
    const client = await connect(url, { protocolVersion });
    expect(await client.callTool('pings')).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('session') }],
    });
    await client.close();
  });

  it.each([
    [false, 200],
    [true, 404],
  ])(
    'uses the stream of the request; a missed ping ends the stream, and with endSession %s a later request gets %i [ping.timeout-is-failure]',
    async (endSession, status) => {
      const { url, clock } = await serve({}, { interval: 100_000, endSession });
      const headers: Record<string, string> = {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      };
      const post = (body: object) =>
        fetch(url, { method: 'POST', headers, body: JSON.stringify({ jsonrpc: '2.0', ...body }) });
      const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'mute', version: '1' } };
      const opened = await post({ id: 1, method: 'initialize', params });
      headers['mcp-session-id'] = opened.headers.get('mcp-session-id') ?? '';
      headers['mcp-protocol-version'] = '2025-11-25';
      await opened.text();
      await (await post({ method: 'notifications/initialized' })).text();
      const response = await post({ id: 2, method: 'tools/call', params: { name: 'pings', arguments: {} } });
      const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
      let received = '';
      while (!received.includes('"method":"ping"')) received += (await reader?.read())?.value ?? '';
      clock.advance(200);
      for (let read = await reader?.read(); read && !read.done; read = await reader?.read()) received += read.value;
      if (!endSession)
        expect(received).toContain('The client did not answer a ping. The request may have taken effect');
      await expect.poll(async () => (await post({ id: 3, method: 'ping' })).status).toBe(status);
    },
  );
});
