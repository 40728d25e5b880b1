// A server with workers: `node program <number of workers> <port>`. Prints one line of JSON for each event.
import { setTimeout } from 'node:timers/promises';
import { createServer, tasks, tool } from 'tenon';
import { serveHttp } from 'tenon/node';
import { z } from 'zod';

const print = (event: object): void => console.log(JSON.stringify(event));

const server = createServer({
  name: 'workers',
  version: '1.0.0',
  extensions: [tasks({ pollInterval: 20 })],
  tools: {
    pid: tool({ run: () => String(process.pid) }),
    crash: tool({ run: () => process.exit(3) }),
    sleep: tool({
      input: z.object({ ms: z.number() }),
      run: async ({ ms }) => {
        await setTimeout(ms);
        return String(process.pid);
      },
    }),
    environment: tool({ run: () => Object.keys(process.env).join(' ') }),
    wait: tool({
      input: z.object({ ms: z.number() }),
      task: 'optional',
      run: async ({ ms }) => {
        await setTimeout(ms);
        return String(process.pid);
      },
    }),
    confirm: tool({
      run: async (_, ctx) => {
        const first = await ctx.step('first', () => process.pid);
        const { action } = await ctx.elicit({ message: 'Go on?', input: z.object({ sure: z.boolean() }) });
        return `${action} ${first} ${process.pid}`;
      },
    }),
  },
});

const [, , count = 'auto', port = '0'] = process.argv;
try {
  const http = await serveHttp(server, {
    port: Number(port),
    workers: count === 'auto' ? 'auto' : Number(count),
    onError: error => print({ event: 'error', code: (error as { code?: string }).code }),
  });
  print({ event: 'listening', url: http.url, pid: process.pid, isPrimary: process.send === undefined });
  const close = () => http.close().then(() => print({ event: 'closed', pid: process.pid }));
  process.once('SIGTERM', () => void close());
} catch (error) {
  print({ event: 'failed', code: (error as { code?: string }).code, isPrimary: process.send === undefined });
  process.exitCode = 1;
}
