import { inputRequired, tool } from 'tenon';
import { z } from 'zod';

/** A form with every kind of field, in the words of the newest protocol version. */
const form = {
  type: 'object',
  properties: {
    name: { type: 'string', title: 'Name', description: 'Yours', minLength: 1, maxLength: 40, default: 'Ada' },
    mail: { type: 'string', format: 'email' },
    age: { type: 'integer', minimum: 0, maximum: 150, default: 36 },
    ratio: { type: 'number', default: 0.5 },
    sure: { type: 'boolean', default: true },
    colour: { type: 'string', enum: ['red', 'green'], default: 'red' },
    size: {
      type: 'string',
      oneOf: [
        { const: 's', title: 'Small' },
        { const: 'l', title: 'Large' },
      ],
      default: 's',
    },
    days: {
      type: 'array',
      title: 'Days',
      items: { type: 'string', enum: ['mo', 'tu', 'we'] },
      minItems: 1,
      maxItems: 3,
      default: ['mo'],
    },
    fruits: {
      type: 'array',
      items: {
        anyOf: [
          { const: 'a', title: 'Apple' },
          { const: 'p', title: 'Pear' },
        ],
      },
    },
  },
  required: ['name'],
} as const;

const yes = z.object({ yes: z.boolean() });
const sampleTools = [{ name: 'look', description: 'Looks', inputSchema: { type: 'object' as const, properties: {} } }];

/** Tools that ask the client. */
export const askingTools = {
  formed: tool({
    description: 'Shows a form with every kind of field',
    run: async (_, ctx) => JSON.stringify(await ctx.elicit({ message: 'Who are you?', input: form })),
  }),
  zodded: tool({
    description: 'Shows a form that is made of a zod schema',
    async run(_, ctx) {
      const input = z.object({
        mail: z.email(),
        page: z.url().optional(),
        day: z.iso.date().optional(),
        age: z.int().min(0).optional(),
        code: z.string().regex(/^a+$/).optional(),
        kind: z.enum(['x', 'y']).default('x'),
        kinds: z.array(z.enum(['x', 'y'])).optional(),
      });
      return JSON.stringify(await ctx.elicit({ message: 'Mail?', input }));
    },
  }),
  visits: tool({
    description: 'Asks to visit a page',
    run: async (_, ctx) => (await ctx.elicitUrl({ message: 'Sign in', url: 'https://example.com/sign-in' })).action,
  }),
  samples: tool({
    description: 'Asks the model',
    run: async (_, ctx) =>
      JSON.stringify(
        await ctx.sample({
          messages: [
            { role: 'user', content: { type: 'text', text: 'Hello' } },
            { role: 'user', content: { type: 'audio', data: 'aGVsbG8=', mimeType: 'audio/wav' } },
            {
              role: 'assistant',
              content: [
                { type: 'text', text: 'One' },
                { type: 'text', text: 'Two' },
              ],
            },
          ],
          maxTokens: 50,
          systemPrompt: 'Be brief',
          temperature: 0.5,
          stopSequences: ['.'],
          includeContext: 'none',
          modelPreferences: {
            hints: [{ name: 'small' }],
            costPriority: 1,
            speedPriority: 0.5,
            intelligencePriority: 0,
          },
          metadata: { why: 'test' },
        }),
      ),
  }),
  uses: tool({
    description: 'Asks the model, with tools',
    async run(_, ctx) {
      const first = await ctx.sample({
        messages: [{ role: 'user', content: { type: 'text', text: 'Look around' } }],
        maxTokens: 50,
        tools: sampleTools,
        toolChoice: { mode: 'auto' },
      });
      const uses = [first.content].flat().filter(block => block.type === 'tool_use');
      const second = await ctx.sample({
        messages: [
          { role: 'user', content: { type: 'text', text: 'Look around' } },
          { role: 'assistant', content: first.content },
          {
            role: 'user',
            content: uses.map(({ id }) => ({
              type: 'tool_result' as const,
              toolUseId: id,
              content: [{ type: 'text' as const, text: 'a desk' }],
            })),
          },
        ],
        maxTokens: 50,
        tools: sampleTools,
        toolChoice: { mode: 'none' },
      });
      return JSON.stringify([first.stopReason, second.content]);
    },
  }),
  rooted: tool({ description: 'Asks for roots', run: async (_, ctx) => JSON.stringify(await ctx.roots()) }),
  dialogue: tool({
    description: 'Asks twice, and the model between',
    input: z.object({ topic: z.string() }),
    async run({ topic }, ctx) {
      const one = await ctx.elicit({ message: `First, about ${topic}?`, input: yes });
      const model = await ctx.sample({
        messages: [{ role: 'user', content: { type: 'text', text: one.action } }],
        maxTokens: 5,
      });
      const two = await ctx.elicit({ message: 'Second?', input: yes });
      return `${one.action} ${(model.content as { text: string }).text} ${two.action} ${two.content?.yes}`;
    },
  }),
  together: tool({
    description: 'Asks three things at once',
    async run(_, ctx) {
      const [answer, roots, model] = await Promise.all([
        ctx.elicit({ message: 'Yes?', input: yes }),
        ctx.roots(),
        ctx.sample({ messages: [{ role: 'user', content: { type: 'text', text: 'Hi' } }], maxTokens: 5 }),
      ]);
      return `${answer.action} ${roots.length} ${model.model}`;
    },
  }),
  returns: tool({
    description: 'Returns its questions and keeps its own state',
    run(_, { inputs: { inputResponses, requestState } }) {
      if (requestState === undefined) {
        return inputRequired({
          inputRequests: {
            who: {
              method: 'elicitation/create',
              params: {
                message: 'Who?',
                requestedSchema: { type: 'object', properties: { name: { type: 'string' } } },
              },
            },
            where: { method: 'roots/list' },
          },
          requestState: 'round-1',
        });
      }
      if (requestState === 'round-1') {
        const { who } = inputResponses as never as { who: { content?: { name?: string } } };
        const params = {
          messages: [{ role: 'user' as const, content: { type: 'text' as const, text: 'Hi' } }],
          maxTokens: 5,
        };
        return inputRequired({
          inputRequests: { model: { method: 'sampling/createMessage', params } },
          requestState: `2:${who.content?.name}`,
        });
      }
      return `${requestState} ${Object.keys(inputResponses ?? {}).join()}`;
    },
  }),
};
