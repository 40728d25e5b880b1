/**
 * A server that works on tasks of ten steps, in a process that may be killed. What each step does to the world is a line in
 * a file: what ran, and, once it is in the record, what was kept. `begin` makes a task first and says its id; then, and
 * without it, the process works on whatever nobody works on, and says what has ended.
 */
import { appendFileSync } from 'node:fs';
import { connectPair } from '@tenon/testing';
import { createServer, tasks, tool } from 'tenon';
import { sqliteStores } from 'tenon/sqlite';
import { z } from 'zod';

const [file = '', effectsFile = '', what = ''] = process.argv.slice(2);
const note = (line: string) => appendFileSync(effectsFile, `${line}\n`);
const say = (line: string) => process.stdout.write(`${line}\n`);
const soon = (ms: number) => new Promise(resolve => setTimeout(resolve, ms));

const server = createServer({
  name: 'crashing',
  version: '1',
  stores: sqliteStores(file),
  extensions: [
    tasks({
      leaseTtl: 400,
      onEvent({ type, taskId }) {
        if (type !== 'taken-over') return;
        note(`took ${taskId}`);
        say(`took ${taskId}`);
      },
    }),
  ],
  tools: {
    ten: tool({
      task: 'required',
      input: z.object({ name: z.string() }),
      async run({ name }, ctx) {
        const done: unknown[] = [];
        for (let step = 0; step < 10; step++) {
          const value = await ctx.step(`step ${step}`, async () => {
            const run = crypto.randomUUID();
            await soon(Math.random() * 8);
            note(`ran ${name} ${step} ${run}`);
            await soon(Math.random() * 8);
            return run;
          });
          note(`kept ${name} ${step} ${value}`);
          done.push(value);
        }
        return JSON.stringify(done);
      },
    }),
  },
});

if (what !== '') {
  const client = await connectPair(server, { tasks: false, extensions: [{ id: 'io.modelcontextprotocol/tasks' }] });
  const params = { name: 'ten', arguments: { name: what } };
  const { taskId } = (await client.call('tools/call', params, { resolveInputRequests: false })) as { taskId?: string };
  say(`began ${taskId}`);
}
process.stdin.resume();
process.stdin.once('end', () => process.exit());
