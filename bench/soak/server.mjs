// @ts-check
/**
 * The server of the soak: Tenon on HTTP, with what changes all the time. Its times are shrunk as the day
 * is: a session that nobody uses for half an hour ends, here for three seconds.
 */
import { setTimeout } from 'node:timers/promises';
import { createServer, resource, tool } from 'tenon';
import { serveHttp } from 'tenon/node';
import { z } from 'zod';

const CHANGES_EVERY = 100;
/** Long names fill the buffers of who does not read. */
const URIS = Array.from({ length: 4 }, (_, at) => `board://${at}/${'x'.repeat(1500)}`);
const text = z.object({ text: z.string() });

const server = createServer({
  name: 'soak',
  version: '1.0.0',
  tools: {
    echo: tool({ description: 'Gives back what it is given.', input: text, run: given => given.text }),
    wait: tool({
      description: 'Takes a while, unless nobody waits for it any more.',
      run: async (_, { signal }) => {
        await setTimeout(300, undefined, { signal });
        return 'done';
      },
    }),
  },
  resources: Object.fromEntries(URIS.map(uri => [uri, resource({ read: () => 'now' })])),
});

setInterval(() => {
  for (const uri of URIS) server.notifyResourceUpdated(uri);
}, CHANGES_EVERY);

const { url } = await serveHttp(server, {
  port: 0,
  limits: {
    sessionIdleTimeout: 3000,
    minIdleBeforeEviction: 500,
    keepAliveInterval: 500,
    maxBufferedBytes: 256 * 1024,
    maxReplayEvents: 32,
  },
});
console.log(url);
console.log(JSON.stringify(URIS));
