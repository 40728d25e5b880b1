import { connectPair, protocolVersions } from '@tenon/testing';
import { describe, expect, it } from 'vitest';
import type { Context } from '../../handler/context.js';
import { tool } from '../definitions/tool.js';
import { createServer } from '../server.js';

const input = { type: 'object', properties: { a: { type: 'string' } } } as const;
const turns = async () => {
  for (let n = 0; n < 10; n++) await new Promise(resolve => setImmediate(resolve));
};

const QUESTIONS: readonly [string, (ctx: Context) => Promise<unknown>][] = [
  ['elicit', ctx => ctx.elicit({ message: 'm', input })],
  ['elicitUrl', ctx => ctx.elicitUrl({ message: 'm', url: 'https://a.example' })],
  ['sample', ctx => ctx.sample({ messages: [], maxTokens: 1 })],
  ['roots', ctx => ctx.roots()],
  ['step', ctx => ctx.step('s', () => Promise.reject(new Error('no')))],
];

describe.each(protocolVersions)('an unawaited input request in %s', protocolVersion => {
  it.each(QUESTIONS)('causes no unhandled rejection when the client cannot respond: %s', async (_, ask) => {
    const unhandled: unknown[] = [];
    const listener = (error: unknown) => void unhandled.push(error);
    // The runner's own listeners would report the rejection as an error of the whole run.
    const others = process.listeners('unhandledRejection');
    process.removeAllListeners('unhandledRejection');
    process.on('unhandledRejection', listener);
    try {
      const met: unknown[] = [];
      const server = createServer({
        name: 's',
        version: '1',
        onError: () => {},
        tools: {
          later: tool({
            async run(_, ctx) {
              const request = ask(ctx);
              await turns();
              await request.catch(error => met.push(error));
              return 'met';
            },
          }),
          never: tool({
            async run(_, ctx) {
              void ask(ctx);
              await turns();
              return 'fine';
            },
          }),
        },
      });
      const client = await connectPair(server, { protocolVersion });
      await client.callTool('never', {}).catch(() => {});
      await client.callTool('later', {}).catch(() => {});
      await turns();
      await client.close();
      expect([unhandled, met.length]).toEqual([[], 1]);
    } finally {
      process.off('unhandledRejection', listener);
      for (const other of others) process.on('unhandledRejection', other);
    }
  });
});
