/** The server that every runtime serves. Portable: no Node in here. */
import { createServer, resource, tool } from 'tenon';

/** The schemas as plain JSON Schema, for runtimes and bundles without a schema library. */
export const plain = {
  input: {
    type: 'object',
    properties: { a: { type: 'number' }, b: { type: 'number' } },
    required: ['a', 'b'],
  },
  output: { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] },
  form: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
};

/**
 * @param {{ input: object, output: object, form: object }} schemas
 * @param {(text: string) => void} [write] called by a tool
 */
export function createSmokeServer({ input, output, form }, write = () => {}) {
  let waits = 0;
  const server = createServer({
    name: 'smoke',
    version: '1.0.0',
    tools: {
      add: tool({
        input,
        output,
        run({ a, b }) {
          write('output of a tool');
          return { sum: a + b };
        },
      }),
      greet: tool({
        async run(_, ctx) {
          const answer = await ctx.elicit({ message: 'Who are you?', input: form });
          return answer.action === 'accept' ? `Hello, ${answer.content.name}` : 'Hello, whoever you are';
        },
      }),
      count: tool({
        async run(_, ctx) {
          for (let step = 1; step <= 3; step += 1) {
            ctx.progress(step, 3);
            await new Promise(resolve => setTimeout(resolve, 1));
          }
          return 'counted';
        },
      }),
      wait: tool({
        async run(_, ctx) {
          waits += 1;
          await new Promise(resolve => {
            const timer = setTimeout(resolve, 1000);
            ctx.signal.addEventListener('abort', () => resolve(clearTimeout(timer)));
          });
        },
      }),
      waits: tool({ run: () => waits }),
      touch: tool({
        run() {
          server.notifyResourceUpdated('note://a');
          return 'touched';
        },
      }),
    },
    resources: { 'note://a': resource({ name: 'a', read: () => 'a note' }) },
  });
  return server;
}
