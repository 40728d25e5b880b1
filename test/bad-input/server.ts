import { createServer, prompt, resource, type TenonError, tool, toolResult } from 'tenon';
import { z } from 'zod';

const cyclic: Record<string, unknown> = {};
cyclic.self = cyclic;

/** A server whose handlers do whatever handlers should not. */
export function badServer(onError: (error: TenonError) => void = () => {}) {
  let aborted = 0;
  let running = 0;
  return createServer({
    name: 'bad',
    version: '1',
    onError,
    tools: {
      echo: tool({
        input: z.looseObject({}),
        run: input => ({ content: [], structuredContent: input, ...asText(input) }),
      }),
      facts: tool({
        run: () =>
          `${JSON.stringify({ aborted, running, rss: process.memoryUsage().rss, polluted: 'polluted' in {} })}`,
      }),
      waits: tool({
        async run(_, ctx) {
          running++;
          ctx.log('error', 'begun');
          await new Promise<void>(resolve => ctx.signal.addEventListener('abort', () => resolve()));
          running--;
          aborted++;
          ctx.log('error', 'too late');
          ctx.progress(1);
          return 'too late';
        },
      }),
      throws: tool({
        run: () => {
          throw new Error(`secret in ${import.meta.url}`);
        },
      }),
      'throws-nothing': tool({ run: () => Promise.reject(undefined) }),
      cyclic: tool({ run: () => cyclic }),
      bigint: tool({ run: () => toolResult({ structuredContent: { n: 5n }, content: 'x' }) }),
      unwritable: tool({ run: () => toolResult({ structuredContent: { toJSON: () => throwing() }, content: 'x' }) }),
      undefined: tool({ run: () => undefined }),
      'says-cyclic': tool({
        run: (_, ctx) => {
          ctx.log('error', cyclic);
          ctx.log('error', 5n);
          ctx.log('error', undefined);
          return 'said';
        },
      }),
    },
    prompts: { none: prompt({ run: () => undefined as never }) },
    resources: {
      'bad://cyclic': resource({ read: () => ({ text: cyclic as never }) }),
      'bad://{x}': resource({ read: () => undefined }),
    },
  });
}

function asText(input: unknown): { text: string; type: 'text' } {
  return { type: 'text', text: JSON.stringify(input) };
}

function throwing(): never {
  throw new Error('secret toJSON');
}
