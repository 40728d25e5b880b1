import { setTimeout } from 'node:timers/promises';
import { createServer, tool } from 'tenon';
import { z } from 'zod';

/** A server without stores of its own: `tenon serve` gives it the store and the keys that all replicas share. */
export const server = createServer({
  name: 'replicas',
  version: '1.0.0',
  tools: {
    replica: tool({ description: 'Name the process that runs the call', run: () => String(process.pid) }),
    work: tool({
      description: 'Work in steps, and report progress',
      input: z.object({ steps: z.number().int().min(1).max(600).default(10) }),
      async run({ steps }, ctx) {
        for (let step = 1; step <= steps; step += 1) {
          await setTimeout(100, undefined, { signal: ctx.signal });
          ctx.progress(step, steps);
        }
        return `did ${steps} steps`;
      },
    }),
    greet: tool({
      description: 'Ask for a name, and greet',
      async run(_, ctx) {
        const answer = await ctx.elicit({ message: 'What is your name?', input: z.object({ name: z.string() }) });
        return answer.action === 'accept' ? `Hello ${answer.content.name}` : 'Hello';
      },
    }),
  },
});
