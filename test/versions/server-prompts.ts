import { prompt } from 'tenon';
import { z } from 'zod';
import { annotations, base64, icons } from './server-tools.js';

/** Prompts of every kind. */
export const prompts = {
  plain: prompt({ description: 'No arguments', run: () => 'Say hello.' }),
  letter: prompt({
    title: 'A letter',
    description: 'Writes a letter',
    icons,
    _meta: { 'com.example/kind': 'prompt' },
    input: z.object({
      to: z.string().meta({ title: 'To', description: 'Who gets it' }),
      city: z.string().optional(),
      number: z.string().optional(),
    }),
    complete: {
      to: ['Ada', 'Alan', 'Grace'],
      city: (typed, { arguments: known }) =>
        (known.to === 'Ada' ? ['London', 'Leeds'] : ['Berlin']).filter(city => city.startsWith(typed)),
      number: () => Array.from({ length: 250 }, (_, index) => String(index)),
    },
    run: ({ to, city }) => [
      `A letter to ${to}${city ? ` in ${city}` : ''}.`,
      { role: 'assistant', content: { type: 'text', text: 'Gladly.', annotations } },
    ],
  }),
  gallery: prompt({
    run: () => [
      { type: 'image', data: base64, mimeType: 'image/png' },
      { type: 'audio', data: base64, mimeType: 'audio/wav' },
      { type: 'resource', resource: { uri: 'note://all', mimeType: 'text/plain', text: 'first' } },
      { type: 'resource_link', uri: 'note://all', name: 'all', title: 'All notes' },
    ],
  }),
  asked: prompt({
    async run(_, ctx) {
      const answer = await ctx.elicit({ message: 'Your name?', input: z.object({ name: z.string() }) });
      return answer.action === 'accept' ? `Greet ${answer.content.name}.` : 'Greet nobody.';
    },
  }),
};
