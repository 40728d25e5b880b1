/** The host chooses the protocol version of a server by the features that the server has in it. */

import { createHost } from '@tenon/host';
import { connect, createServer, type ProtocolVersion, protocolVersions, tool } from 'tenon';
import { serveHttp } from 'tenon/node';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { getText } from '../interop/collect.js';
import { startV2Handler, startV2Stateful } from '../interop/fixtures/sdk-v2-http.js';
import { retryUntilPasses } from '../interop/retry.js';

const HANDSHAKE_VERSIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'] as const;
const NAME = { message: 'Who?', input: z.object({ name: z.string() }) };

/** A server that counts the requests of each method, with or without sessions for versions with a handshake. */
async function startServer(sessions: boolean, protocolVersions?: readonly string[]) {
  const cancelled: string[] = [];
  const server = createServer({
    name: 'upstream',
    version: '1',
    ...(protocolVersions ? { protocolVersions } : {}),
    tools: {
      ask: tool({
        run: async (_, ctx) => {
          const { action, content } = await ctx.elicit(NAME);
          return action === 'accept' ? content.name : action;
        },
      }),
      wait: tool({
        run: (_, ctx) =>
          new Promise<string>(resolve => {
            ctx.progress(1, 2);
            ctx.signal.addEventListener('abort', () => {
              cancelled.push('wait');
              resolve('cancelled');
            });
          }),
      }),
    },
    resources: { 'note://one': { name: 'one', read: () => 'one' } },
  });
  const methods: string[] = [];
  const http = await serveHttp(server, {
    port: 0,
    // A server of an earlier test may have had this port, and the client remembers what it found at a URL.
    path: `/${crypto.randomUUID()}`,
    sessions,
    authorize(request) {
      methods.push(String(request.header('mcp-method') ?? request.header('mcp-protocol-version') ?? 'initialize'));
      return { auth: undefined };
    },
  });
  onTestFinished(() => http.close({ timeout: 0 }));
  return { url: http.url, cancelled, methods, change: () => server.notifyResourceUpdated('note://one') };
}

async function openHost(url: string, protocolVersion: string, only?: ProtocolVersion) {
  const servers = { upstream: { url, protocolVersion: only } };
  const host = await createHost({ prefix: 'never', servers });
  const client = await connect(host.toServer(), {
    protocolVersion,
    elicit: () => ({ action: 'accept', content: { name: 'Ada' } }),
  });
  onTestFinished(async () => {
    await client.close();
    await host.close();
  });
  const getVersion = () => host.getServers()[0]?.protocolVersion;
  return { host, client, getVersion };
}

describe('a server whose handshakes open no session', () => {
  it.each(HANDSHAKE_VERSIONS)(
    'gets the newest version for a caller of %s, and can be cancelled and watched',
    async version => {
      const upstream = await startServer(false);
      const { client, getVersion } = await openHost(upstream.url, version);
      const controller = new AbortController();
      const waiting = client.callTool('wait', {}, { signal: controller.signal, onProgress: () => controller.abort() });
      await expect(waiting).rejects.toMatchObject({ code: 'call/aborted' });
      await retryUntilPasses(() => expect(upstream.cancelled).toEqual(['wait']));
      expect(getVersion()).toBe('2026-07-28');
      const changes: unknown[] = [];
      const ended = new AbortController();
      void (async () => {
        for await (const change of client.watch('note://one', { signal: ended.signal })) changes.push(change);
      })().catch(() => {});
      await retryUntilPasses(() => {
        upstream.change();
        expect(changes).not.toEqual([]);
      });
      ended.abort();
    },
  );

  it.each(['2025-06-18', '2025-11-25'])('sends input requests to a caller of %s', async version => {
    const upstream = await startServer(false);
    const { client } = await openHost(upstream.url, version);
    expect(getText(await client.callTool('ask'))).toBe('Ada');
  });

  it('gets no further handshake from the next connection', async () => {
    const upstream = await startServer(false);
    await (await openHost(upstream.url, '2025-11-25')).client.callTool('ask');
    const before = upstream.methods.length;
    await (await openHost(upstream.url, '2025-11-25')).client.callTool('ask');
    expect(upstream.methods.slice(before)).not.toContain('initialize');
  });

  it('keeps its version if it supports no stateless one', async () => {
    const upstream = await startServer(false, ['2025-06-18', '2025-11-25']);
    const { client, getVersion } = await openHost(upstream.url, '2025-06-18');
    for await (const _ of client.listTools()) break;
    expect(getVersion()).toBe('2025-06-18');
  });
});

describe('a server with sessions', () => {
  it.each(HANDSHAKE_VERSIONS)('gets the version %s of its caller', async version => {
    const upstream = await startServer(true);
    const { client, getVersion } = await openHost(upstream.url, version);
    for await (const _ of client.listTools()) break;
    expect(getVersion()).toBe(version);
    expect(upstream.methods).not.toContain('server/discover');
  });

  it.each(['2024-11-05', '2025-11-25', '2026-07-28'] as const)(
    'gets %s from every caller if the host sets it as its only version',
    async only => {
      const upstream = await startServer(true);
      for (const version of protocolVersions) {
        const { client, getVersion } = await openHost(upstream.url, version, only);
        for await (const _ of client.listTools()) break;
        expect(getVersion()).toBe(only);
      }
    },
  );
});

describe('a server of the official SDK', () => {
  it('sends input requests to a caller of 2025-11-25 with its default handler, which opens no sessions', async () => {
    const { origin, close } = await startV2Handler();
    onTestFinished(close);
    const { client, getVersion } = await openHost(`${origin}/mcp`, '2025-11-25');
    expect(getText(await client.callTool('ask'))).toContain('Ada');
    expect(getVersion()).toBe('2026-07-28');
  });

  it('keeps the version of its caller with sessions', async () => {
    const { origin, close } = await startV2Stateful();
    onTestFinished(close);
    const { client, getVersion } = await openHost(`${origin}/mcp`, '2025-06-18');
    for await (const _ of client.listTools()) break;
    expect(getVersion()).toBe('2025-06-18');
  });
});
