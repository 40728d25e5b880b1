import { connectPair, protocolVersions } from '@tenon/testing';
import { connect, createServer, tool } from 'tenon';
import { createReplaceableServer, serveHttp } from 'tenon/node';
import { afterEach, describe, expect, it } from 'vitest';
import { ForkedServer } from '../../runtimes/node/child-server/fixtures/forked-server.js';
import { openReplicas, openSharedSession, type Replica } from '../../transports/http/fixtures/replicas.js';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const tools = { session: tool({ run: (_, ctx) => String(ctx.sessionId) }) };
const createSessionServer = () => createServer({ name: 's', version: '1.0.0', tools });

const textOf = ({ content }: { content: readonly unknown[] }) => (content[0] as { text: string }).text;

describe.each(protocolVersions)('`sessionId` of the context on %s', protocolVersion => {
  const connectTo = async (options: { sessions?: boolean } = {}) => {
    const serving = await serveHttp(createSessionServer(), { port: 0, ...options });
    closing.push(() => serving.close({ timeout: 0 }));
    const client = await connect({ url: String(serving.url), transport: 'http' }, { protocolVersion });
    closing.push(() => client.close());
    return client;
  };
  const hasSession = protocolVersion !== '2026-07-28';

  it('stays the same in a session over HTTP, and differs between sessions', async () => {
    const [one, two] = [await connectTo(), await connectTo()];
    const ids: string[] = [];
    for (const client of [one, one, two]) ids.push(textOf(await client.callTool('session')));
    if (!hasSession) return expect(ids).toEqual(['undefined', 'undefined', 'undefined']);
    expect(ids[0]).toMatch(/^[0-9a-f-]{36}$/);
    expect(ids[1]).toBe(ids[0]);
    expect(ids[2]).not.toBe(ids[0]);
  });

  it('returns undefined without sessions and in memory', async () => {
    const memory = await connectPair(createSessionServer(), { protocolVersion });
    closing.push(() => memory.close());
    expect(textOf(await memory.callTool('session'))).toBe('undefined');
    const client = await connectTo({ sessions: false });
    expect(textOf(await client.callTool('session'))).toBe('undefined');
  });
});

describe('`sessionId` of the context', () => {
  it('returns the id of the stream over HTTP+SSE', async () => {
    const serving = await serveHttp(createSessionServer(), { port: 0 });
    closing.push(() => serving.close({ timeout: 0 }));
    const client = await connect(
      { url: new URL('/sse', String(serving.url)), transport: 'http-sse' },
      { protocolVersion: '2024-11-05' },
    );
    closing.push(() => client.close());
    const ids = [textOf(await client.callTool('session')), textOf(await client.callTool('session'))];
    expect(ids[0]).not.toBe('undefined');
    expect(ids[1]).toBe(ids[0]);
  });

  it('returns the same id at all replicas', async () => {
    const replicas = (await openReplicas(2, { tools })) as [Replica, Replica];
    for (const replica of replicas) closing.push(() => replica.close({ timeout: 0 }));
    const session = await openSharedSession(replicas[0]);
    for (const replica of replicas) {
      const response = await session.request(replica, 'tools/call', { name: 'session', arguments: {} });
      expect(await response.json()).toMatchObject({ result: { content: [{ text: session.id }] } });
    }
  });

  it('returns the id of the client in a replaceable server', async () => {
    const server = createReplaceableServer();
    await server.attach(new ForkedServer(createSessionServer()).process).activate();
    const serving = await serveHttp(server, { port: 0 });
    closing.push(
      () => server.close(),
      () => serving.close({ timeout: 0 }),
    );
    const client = await connect(String(serving.url), { protocolVersion: '2025-11-25' });
    closing.push(() => client.close());
    expect(textOf(await client.callTool('session'))).toMatch(/^[0-9a-f-]{36}$/);
  });
});
