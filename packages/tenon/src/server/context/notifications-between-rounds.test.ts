import { connectPair, protocolVersions } from '@tenon/testing';
import { describe, expect, it } from 'vitest';
import { tool } from '../definitions/tool.js';
import { createServer } from '../server.js';

describe.each(protocolVersions)(
  'notifications of a handler while its client handles an input request, on %s',
  protocolVersion => {
    /** Calls a tool whose handler sends `count` notifications of each kind while the client answers. */
    const run = async (count: number) => {
      let send = () => {};
      const server = createServer({
        name: 's',
        version: '1',
        onError: () => {},
        rateLimits: false,
        tools: {
          t: tool({
            async run(_, ctx) {
              send = () => {
                for (let n = 2; n < 2 + count; n++) {
                  ctx.progress(n);
                  ctx.log('info', n);
                }
              };
              ctx.progress(1);
              await ctx.roots();
              ctx.progress(1000);
              return 'done';
            },
          }),
        },
      });
      const progress: number[] = [];
      const logs: unknown[] = [];
      const client = await connectPair(server, {
        protocolVersion,
        logLevel: 'debug',
        async roots() {
          send();
          return [];
        },
      });
      client.on('log', ({ data }) => void logs.push(data));
      const result = await client.callTool('t', {}, { onProgress: each => progress.push(each.progress) });
      await client.close();
      return { result, progress, logs };
    };

    it('arrive in order [progress.increases]', async () => {
      const { result, progress, logs } = await run(3);
      expect(result.content).toEqual([{ type: 'text', text: 'done' }]);
      expect(progress).toEqual([1, 2, 3, 4, 1000]);
      expect(logs).toEqual([2, 3, 4]);
    });

    it('arrive up to the last 64 if the client sends another request with its response', async () => {
      const { progress, logs } = await run(200);
      const isStored = protocolVersion === '2026-07-28';
      expect([progress.length, logs.length]).toEqual(isStored ? [34, 32] : [202, 200]);
      expect([progress.slice(0, 2), progress.at(-2), logs.at(-1)]).toEqual([[1, isStored ? 170 : 2], 201, 201]);
    });
  },
);
