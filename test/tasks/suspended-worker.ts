/**
 * A server that works on tasks, in a process that the test suspends. It writes the events of its tasks into a log that all
 * processes share. Each line of standard input starts one task, and its ID is written to standard output.
 */
import { appendFileSync, existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { connectPair } from '@tenon/testing';
import { createServer, tasks, tool } from 'tenon';
import { redisStores } from 'tenon/redis';
import { sqliteStores } from 'tenon/sqlite';
import { z } from 'zod';

const [place = '', log = '', gate = ''] = process.argv.slice(2);
const pause = () => new Promise(resolve => setTimeout(resolve, 10));

const server = createServer({
  name: 'suspended',
  version: '1.0.0',
  stores: place.startsWith('redis:') ? redisStores(place) : sqliteStores(place),
  inputRequests: { keys: [{ id: 'shared', key: new Uint8Array(32).fill(7) }] },
  onError: () => {},
  extensions: [
    tasks({
      leaseTtl: 400,
      onEvent: ({ type, taskId }) => appendFileSync(log, `${type} ${taskId} ${process.pid}\n`),
    }),
  ],
  tools: {
    // Works until the test opens the gate: with a step in each turn, or without one.
    work: tool({
      task: 'required',
      input: z.object({ steps: z.boolean() }),
      async run({ steps }, ctx) {
        await ctx.step('first', () => 1);
        for (let turn = 0; !existsSync(gate); turn++) {
          await pause();
          if (steps && turn % 10 === 0) await ctx.step(`turn ${turn}`, () => turn);
        }
        return 'done';
      },
    }),
  },
});

const client = await connectPair(server, { tasks: false, extensions: [{ id: 'io.modelcontextprotocol/tasks' }] });
for await (const line of createInterface({ input: process.stdin })) {
  const params = { name: 'work', arguments: { steps: line === 'steps' } };
  const { taskId } = await client.call('tools/call', params, { resolveInputRequests: false });
  process.stdout.write(`${taskId}\n`);
}
process.exit();
