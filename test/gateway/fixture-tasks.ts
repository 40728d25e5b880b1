import { rpcError, tool, toolError } from 'tenon';
import { z } from 'zod';

const yes = z.object({ yes: z.boolean() });
const named = z.object({ name: z.string() });

/** How long the task of the tool `kept` is kept, in milliseconds. */
export const TASK_TTL = 30_000;

/** Tools whose calls may become tasks. What was begun and what was given up is told by `tasksSeen`. */
export function createTaskTools() {
  const begun: string[] = [];
  const givenUp: string[] = [];
  return {
    atOnce: tool({ task: 'optional', output: z.object({ n: z.number() }), run: () => ({ n: 1 }) }),
    must: tool({ task: 'required', output: z.object({ n: z.number() }), run: () => ({ n: 2 }) }),
    kept: tool({ task: { ttl: TASK_TTL }, run: () => 'kept' }),
    afterWhile: tool({
      task: { after: 20 },
      run: () => new Promise<string>(resolve => setTimeout(() => resolve('after a while'), 60)),
    }),
    rootsInTask: tool({ task: 'optional', run: async (_, ctx) => `${(await ctx.roots()).length} root` }),
    formInTask: tool({
      task: 'optional',
      run: async (_, ctx) => (await ctx.elicit({ message: 'Within a task?', input: yes })).action,
    }),
    failsInTask: tool({
      task: 'optional',
      run() {
        throw toolError('The task has no luck');
      },
    }),
    breaksInTask: tool({
      task: 'optional',
      run() {
        throw rpcError(7002, 'Used up', { left: 0 });
      },
    }),
    waitsInTask: tool({
      task: 'optional',
      input: named,
      run({ name }, { signal }) {
        begun.push(name);
        return new Promise<string>((_, reject) => {
          signal.addEventListener('abort', () => {
            givenUp.push(name);
            reject(new Error('given up'));
          });
        });
      },
    }),
    tasksSeen: tool({
      output: z.object({ begun: z.array(z.string()), givenUp: z.array(z.string()) }),
      run: () => ({ begun: [...begun], givenUp: [...givenUp] }),
    }),
  };
}
