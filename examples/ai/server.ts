import { createServer, tool } from 'tenon';
import { z } from 'zod';

const notes: string[] = [];

/** Notes on a list. `summarize` asks the model of the host: the server has none, and no API key. */
export const server = createServer({
  name: 'notes',
  version: '1.0.0',
  tools: {
    add: tool({
      description: 'Adds a note',
      input: z.object({ text: z.string() }),
      run: ({ text }) => `${notes.push(text)} notes`,
    }),
    summarize: tool({
      description: 'Summarizes all notes',
      annotations: { readOnlyHint: true },
      async run(_, ctx) {
        const { content } = await ctx.sample({
          systemPrompt: 'Answer with one sentence.',
          messages: [{ role: 'user', content: { type: 'text', text: `Summarize: ${notes.join('; ')}` } }],
          maxTokens: 200,
        });
        return [content].flat().flatMap(block => (block.type === 'text' ? [block.text] : []));
      },
    }),
  },
});
