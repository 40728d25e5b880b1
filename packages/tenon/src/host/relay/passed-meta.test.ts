import { describe, expect, it } from 'vitest';
import { createHost } from '../../host.js';
import { createServer } from '../../server/server.js';
import { tool } from '../../server/tool.js';
import { connectPair, eachRevision } from '../../testing/pair.js';
import { createPair } from '../../transports/memory.js';

/** A key of a peer that does not know that its prefix is reserved. */
const KEY = 'mcp.dev/x';

describe('a host', () => {
  it.each(eachRevision)('passes `_meta` with a reserved prefix on in both directions, on %s', async revision => {
    const upstream = createServer({
      name: 'a',
      version: '1',
      tools: { show: tool({ run: (_, { meta }) => JSON.stringify(meta) }) },
      use: [
        async (operation, next) => {
          const result = await next(operation);
          return operation.method === 'tools/call' ? { ...result, _meta: { [KEY]: 'down' } } : result;
        },
      ],
    });
    const service = async () => {
      const pair = createPair();
      await upstream.connect(pair.server);
      return pair.client;
    };
    const host = await createHost({ prefix: 'auto', servers: { a: { service } } });
    const client = await connectPair(host.asServer(), { revision });
    const { content, _meta } = await client.callTool('show', {}, { meta: { [KEY]: 'up' }, relaysMeta: true });
    expect(content).toMatchObject([{ text: expect.stringContaining(`"${KEY}":"up"`) }]);
    expect(_meta).toMatchObject({ [KEY]: 'down' });
    await client.close();
    await host.close();
  });
});
