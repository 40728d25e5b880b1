import { setTimeout } from 'node:timers/promises';
import { createServer, resource, tasks, tool } from 'tenon';
import { serveHttp } from 'tenon/node';
import { postgresStores } from 'tenon/postgres';
import { redisStores } from 'tenon/redis';
import { z } from 'zod';

// Clocks of several machines differ.
const offset = Number(process.env.CLOCK_OFFSET ?? 0);
const { now } = Date;
Date.now = () => now.call(Date) + offset;

/** One of several processes of a server with sessions in one store. */
const url = process.env.STORE_URL ?? '';
const stores = url.startsWith('postgres') ? postgresStores(url) : redisStores(url);
const server = createServer({
  name: 'replica',
  version: '1.0.0',
  stores,
  // The tests end Redis and processes: what comes of it is seen by the client.
  onError: () => {},
  inputRequests: { keys: [{ id: 'shared', key: new Uint8Array(32).fill(7) }] },
  resources: { 'note://{name}': resource({ read: ({ name }) => name }) },
  extensions: [tasks({ pollInterval: 50, leaseTtl: 3000 })],
  tools: {
    whoami: tool({ run: (_, ctx) => ctx.auth?.principal ?? 'nobody' }),
    // Counts each step in the store. A step that a kill interrupts runs again.
    build: tool({
      task: 'optional',
      input: z.object({ id: z.string(), steps: z.number() }),
      async run({ id, steps }, ctx) {
        for (let step = 0; step < steps; step++)
          await ctx.step(`step ${step}`, async () => {
            // The tests make the store slow.
            while (!(await stores.values.put(`effect/${id}/${step}`, {}, { ttl: 600_000 }).catch(() => undefined)))
              await setTimeout(100);
            await setTimeout(50);
          });
        return 'built';
      },
    }),
    where: tool({ run: () => String(process.pid) }),
    paced: tool({
      input: z.object({ steps: z.number().default(3) }),
      async run({ steps }, ctx) {
        for (let step = 1; step <= steps; step++) {
          await setTimeout(30);
          ctx.progress(step, steps);
        }
        return 'done';
      },
    }),
    form: tool({
      async run(_, ctx) {
        const answer = await ctx.elicit({ message: 'Name?', input: z.object({ name: z.string() }) });
        return `Hello ${answer.content?.name}`;
      },
    }),
    formAsTask: tool({
      task: 'optional',
      async run(_, ctx) {
        const answer = await ctx.elicit({ message: 'Name?', input: z.object({ name: z.string() }) });
        return `Hello ${answer.content?.name}`;
      },
    }),
    // Counts in the store how often it took effect.
    effect: tool({
      input: z.object({ id: z.string() }),
      async run({ id }) {
        const version = await stores.values.put(`effect/${id}`, {}, { ttl: 600_000 });
        return String(version);
      },
    }),
    wait: tool({
      input: z.object({ id: z.string() }),
      async run({ id }, ctx) {
        ctx.progress(1, 2);
        await new Promise<void>(resolve => ctx.signal.addEventListener('abort', () => resolve()));
        await stores.values.put(`cancelled/${id}`, {}, { ttl: 600_000 });
        return 'cancelled';
      },
    }),
    update: tool({
      input: z.object({ uri: z.string().default('note://a') }),
      run({ uri }) {
        server.notifyResourceUpdated(uri);
        return 'updated';
      },
    }),
    debug: tool({
      run(_, ctx) {
        ctx.log('debug', 'detail');
        return 'logged';
      },
    }),
  },
});
await serveHttp(server, {
  port: Number(process.env.PORT),
  health: true,
  authorize(request) {
    const principal = request.header('x-user');
    return { auth: principal === undefined ? undefined : { principal } };
  },
});
