// @ts-check
/** A server with one tool that asks the user a question, and one that does not. */
import { createServer, tool } from 'tenon';

const text = /** @type {const} */ ({ type: 'object', properties: { text: { type: 'string' } }, required: ['text'] });

export function createQuestionServer() {
  return createServer({
    name: 'bench',
    version: '1.0.0',
    tools: {
      plain: tool({ input: text, run: ({ text }) => text }),
      ask: tool({
        input: text,
        async run({ text }, ctx) {
          const { action } = await ctx.elicit({
            message: 'Is it right?',
            input: { type: 'object', properties: { sure: { type: 'boolean' } }, required: ['sure'] },
          });
          return action === 'accept' ? text : action;
        },
      }),
    },
  });
}
