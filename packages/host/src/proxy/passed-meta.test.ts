import { connectPair, protocolVersions } from '@tenon/testing';
import { describe, expect, it } from 'vitest';
import { tool } from '../../../tenon/src/server/definitions/tool.js';
import { createServer } from '../../../tenon/src/server/server.js';
import { createTransportPair } from '../../../tenon/src/transports/memory.js';
import { createHost } from '../index.js';

/** A key of a peer that does not know that its prefix is reserved. */
const KEY = 'mcp.dev/x';

describe('a host', () => {
  it.each(protocolVersions)(
    'passes `_meta` with a reserved prefix on in both directions, on %s',
    async protocolVersion => {
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
        const pair = createTransportPair();
        await upstream.connect(pair.server);
        return pair.client;
      };
      const host = await createHost({ prefix: 'auto', servers: { a: { service } } });
      const client = await connectPair(host.toServer(), { protocolVersion });
      const { content, _meta } = await client.callTool('show', {}, { meta: { [KEY]: 'up' }, allowReservedMeta: true });
      expect(content).toMatchObject([{ text: expect.stringContaining(`"${KEY}":"up"`) }]);
      expect(_meta).toMatchObject({ [KEY]: 'down' });
      await client.close();
      await host.close();
    },
  );
});
