// A server that closes on signals: `node program <number of workers> <delay>`. Prints one line of JSON for each event.
import { setTimeout } from 'node:timers/promises';
import { createServer, tool } from 'tenon';
import { serveHttp } from 'tenon/node';
import { z } from 'zod';

const print = (event: object): void => console.log(JSON.stringify({ ...event, pid: process.pid }));

const server = createServer({
  name: 'shutdown',
  version: '1.0.0',
  tools: {
    sleep: tool({
      input: z.object({ ms: z.number() }),
      async run({ ms }, ctx) {
        ctx.progress(1, 2);
        print({ event: 'running' });
        await setTimeout(ms);
        return 'rested';
      },
    }),
  },
});

const [, , workers = '1', delay = '0'] = process.argv;
const { url } = await serveHttp(server, {
  port: 0,
  workers: Number(workers),
  health: true,
  exitOnSignal: {
    delay: Number(delay),
    timeout: 20_000,
    onClose() {
      server.close();
      print({ event: 'closed' });
    },
  },
});
print({ event: 'listening', url });
