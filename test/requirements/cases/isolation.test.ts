import { protocolVersions } from '@tenon/testing';
import { createServer, createTransportPair, type TenonError, tool } from 'tenon';
import { serveHttp } from 'tenon/node';
import { describe, expect, it, onTestFinished } from 'vitest';
import { connectTo } from '../../../packages/tenon/src/client/connect.js';
import { createClientEndpoint } from '../../../packages/tenon/src/client/connection/http-endpoint.js';
import { createNodeRequester } from '../../../packages/tenon/src/runtimes/node/http/http-requester.js';
import type { ProtocolVersion } from '../../support/official-schema.js';
import { createWire, recordRequester } from '../../versions/wire.js';
import type { Json } from './site.js';

describe.each(protocolVersions.filter(version => version !== '2024-11-05'))(
  'two servers and their clients on %s',
  protocolVersion => {
    it('share nothing: each client communicates with its own server only [security.isolation.one-server-per-client, security.isolation.client-per-server]', async () => {
      const sides = await Promise.all(
        ['amber', 'birch'].map(async name => {
          const server = createServer({
            name,
            version: '1',
            instructions: `${name}-instructions`,
            tools: {
              ask: tool({
                async run(_, ctx) {
                  await ctx.roots();
                  return `${name}-result`;
                },
              }),
            },
            resources: { [`${name}://one`]: { read: () => `${name}-text` } } as never,
          });
          const { url, close } = await serveHttp(server, { port: 0 });
          onTestFinished(() => close({ timeout: 0 }));
          const wire = createWire(protocolVersion as ProtocolVersion);
          const target = { url, transport: 'http' as const, headers: { authorization: `Bearer ${name}-token` } };
          const client = await connectTo(createClientEndpoint(target, recordRequester(createNodeRequester(), wire)), {
            protocolVersion,
            name: `${name}-client`,
            roots: [{ uri: `file:///${name}-root` }],
          });
          onTestFinished(() => client.close());
          return { name, url, wire, client };
        }),
      );
      for (const { client, name } of sides) {
        expect(await client.callTool('ask')).toMatchObject({ content: [{ text: `${name}-result` }] });
        await client.readResource(`${name}://one`);
        expect((await client.ping()) ?? client.server.info?.name).toBe(name);
      }
      const [amber, birch] = sides as [(typeof sides)[number], (typeof sides)[number]];
      for (const [one, other] of [
        [amber, birch],
        [birch, amber],
      ] as const) {
        const seen = JSON.stringify([one.wire.crossings, one.wire.exchanges]);
        expect(seen).toContain(`${one.name}-token`);
        expect(seen).not.toContain(other.name);
        expect(one.wire.exchanges.every(({ url }) => url === one.url)).toBe(true);
        const sessions = one.wire.exchanges.flatMap(({ headers, sessionId }) => [sessionId, headers['mcp-session-id']]);
        for (const id of new Set(sessions))
          if (id !== undefined) expect(JSON.stringify(other.wire.exchanges)).not.toContain(id);
      }
    });
  },
);

describe.each(protocolVersions.filter(version => version !== '2026-07-28'))('a cursor on %s', protocolVersion => {
  const names = ['a', 'b', 'c', 'd', 'e'];

  /** A client whose first session ends after a number of pages, and the cursors that each session was given. */
  async function paging(ends: (page: number) => 'between' | 'instead' | undefined) {
    const sessions: (string | undefined)[][] = [];
    const channel = () => {
      const own: (string | undefined)[] = [];
      const session = sessions.push(own);
      const pair = createTransportPair();
      const say = (id: unknown, result: Json) => pair.server.send({ jsonrpc: '2.0', id, result } as never);
      pair.server.open({
        onMessage(value) {
          const { id, method, params } = value as { id?: number; method: string; params?: { cursor?: string } };
          if (method === 'initialize')
            say(id, {
              protocolVersion,
              capabilities: { prompts: {} },
              serverInfo: { name: 's', version: '1' },
            });
          if (method !== 'prompts/list') return;
          const cursor = params?.cursor;
          own.push(cursor);
          const end = session === 1 ? ends(own.length) : undefined;
          if (end === 'instead') return void pair.server.close();
          const page = cursor === undefined ? 0 : Number(cursor.split('-')[1]);
          const next = page + 1 < names.length ? { nextCursor: `${session}-${page + 1}` } : {};
          say(id, { prompts: [{ name: names[page] }], ...next });
          if (end === 'between') pair.server.close();
        },
        onParseError() {},
        onResponseLost() {},
        onClose() {},
      });
      return pair.client;
    };
    const client = await connectTo({ kind: 'custom', open: channel }, { protocolVersion, cacheSize: 0 });
    onTestFinished(() => client.close());
    return { client, sessions };
  }

  it.each(['between', 'instead'] as const)(
    'is useless in the next session: the list starts again, and yields nothing twice, when the session ends %s [pagination.cursor-not-persisted]',
    async how => {
      const { client, sessions } = await paging(page => (page === 3 ? how : undefined));
      const listed: string[] = [];
      for await (const { name } of client.listPrompts()) {
        listed.push(name);
        // The end of a session takes a moment to be known.
        await new Promise(resolve => setTimeout(resolve, 5));
      }
      expect(listed).toEqual(names);
      expect(sessions).toEqual([
        [undefined, '1-1', '1-2'],
        [undefined, '2-1', '2-2', '2-3', '2-4'],
      ]);
    },
  );

  it('is refused by the client when it belongs to a session that ends [pagination.cursor-not-persisted]', async () => {
    const { client, sessions } = await paging(page => (page === 2 ? 'instead' : undefined));
    await client.call('prompts/list');
    const error = await client.call('prompts/list', { cursor: '1-1' }).catch((thrown: TenonError) => thrown);
    expect(error).toMatchObject({ code: 'call/cursor-gone' });
    expect(sessions[1]).toEqual([]);
  });
});
