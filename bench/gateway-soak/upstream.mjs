// @ts-check
/**
 * A server behind the gateway of the soak: `node upstream.mjs` serves on the standard streams, and with `--http` on a free
 * port, whose URL is the first line of its output.
 */
import { setTimeout } from 'node:timers/promises';
import { createServer, resource, tool } from 'tenon';
import { serveHttp } from 'tenon/node';
import { serveStdio } from 'tenon/stdio';
import { z } from 'zod';

const text = z.object({ text: z.string() });

const server = createServer({
  name: 'soak-upstream',
  version: '1.0.0',
  onError: () => {},
  tools: {
    echo: tool({ description: 'Returns the text.', input: text, run: ({ text }) => text }),
    wait: tool({
      description: 'Returns after 300 ms, unless the call is cancelled.',
      run: async (_, { signal }) => {
        await setTimeout(300, undefined, { signal });
        return 'done';
      },
    }),
    confirm: tool({
      description: 'Requests a confirmation from the user.',
      input: text,
      run: async ({ text }, ctx) => {
        const { action } = await ctx.elicit({ message: text, input: z.object({ yes: z.boolean() }) });
        return action;
      },
    }),
    fail: tool({
      description: 'Fails.',
      run: () => {
        throw new Error('on purpose');
      },
    }),
    large: tool({ description: 'Returns a text of 100,000 characters.', run: () => 'x'.repeat(100_000) }),
  },
  resources: { 'board://now': resource({ read: () => String(Date.now()) }) },
});

setInterval(() => server.notifyResourceUpdated('board://now'), 250).unref();

if (process.argv.includes('--http')) {
  const limits = { sessionIdleTimeout: 5000, minIdleBeforeEviction: 500, keepAliveInterval: 1000 };
  const { url } = await serveHttp(server, { port: 0, limits });
  console.log(url);
} else {
  await serveStdio(server);
}
