import { connect, createServer, type Root, type TenonError, tool } from 'tenon';
import { serveHttp } from 'tenon/node';
import { describe, expect, it } from 'vitest';

const home: Root = { uri: 'file:///home/ada', name: 'Home' };
const sessionVersions = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'];

describe('onRootsChanged', () => {
  it.each(sessionVersions)(
    'runs on %s when the client announces a change, and can list the roots [roots.server.changes-handled]',
    async protocolVersion => {
      const seen: (readonly Root[])[] = [];
      const server = createServer({
        name: 'editor',
        version: '1.0.0',
        onRootsChanged: async ({ client, roots }) => {
          if (client.info?.name === 'ide') seen.push(await roots());
        },
      });
      const client = await connect(server, { protocolVersion, name: 'ide', version: '1.0.0', roots: [home] });
      await client.notifyRootsChanged();
      await expect.poll(() => seen).toEqual([[home]]);
      await client.close();
    },
  );

  it('runs over HTTP, where the request uses the stream of the session', async () => {
    const seen: (readonly Root[])[] = [];
    const server = createServer({
      name: 'editor',
      version: '1.0.0',
      onRootsChanged: async change => void seen.push(await change.roots()),
    });
    const serving = await serveHttp(server, { port: 0 });
    const client = await connect(serving.url, { protocolVersion: '2025-06-18', roots: [home] });
    await client.notifyRootsChanged();
    await expect.poll(() => seen).toEqual([[home]]);
    await client.close();
    await serving.close({ timeout: 0 });
  });

  it('ignores a client without roots [roots.server.capability-checked]', async () => {
    let calls = 0;
    const server = createServer({
      name: 'editor',
      version: '1.0.0',
      onRootsChanged: () => {
        calls += 1;
      },
    });
    const client = await connect(server, { protocolVersion: '2025-11-25' });
    await client.notifyRootsChanged();
    await client.ping();
    expect(calls).toBe(0);
    await client.close();
  });

  it('reports what it throws to onError, and keeps the connection', async () => {
    const errors: TenonError[] = [];
    const server = createServer({
      name: 'editor',
      version: '1.0.0',
      onError: issue => errors.push(issue),
      onRootsChanged: () => {
        throw new Error('no disk');
      },
    });
    const client = await connect(server, { protocolVersion: '2025-11-25', roots: [home] });
    await client.notifyRootsChanged();
    await client.ping();
    expect(errors).toMatchObject([{ code: 'handler/threw', method: 'notifications/roots/list_changed' }]);
    await client.close();
  });
});

describe('ctx.roots()', () => {
  // A client of Tenon refuses to send them, so another client is played by the handler of a gateway.
  const answer = {
    roots: [home, { uri: 'https://user:secret@example.com/x' }, { uri: 'FILE:///srv' }, { uri: '/etc' }],
  };

  it.each([...sessionVersions, '2026-07-28'])(
    'omits roots that are no file URIs on %s, and reports them without the URI [roots.uri-file-scheme]',
    async protocolVersion => {
      const errors: TenonError[] = [];
      const server = createServer({
        name: 'editor',
        version: '1.0.0',
        onError: issue => errors.push(issue),
        tools: { where: tool({ run: async (_, ctx) => (await ctx.roots()).map(({ uri }) => uri).join(' ') }) },
      });
      const client = await connect(server, {
        protocolVersion,
        forwarder: { capabilities: { roots: {} }, forward: async () => answer },
      });
      const { content } = await client.callTool('where');
      expect(content).toEqual([{ type: 'text', text: 'file:///home/ada FILE:///srv' }]);
      expect(errors.filter(({ code }) => code === 'client/invalid-root')).toMatchObject([
        { received: 'https:, a URI without a scheme' },
      ]);
      await client.close();
    },
  );
});
