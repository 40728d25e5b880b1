import { createServer, inputRequired, prompt, tool } from 'tenon';

const anything = { type: 'object' } as const;

/** A server that counts the calls of its tools and prompts, and a tool that requests input. */
export function createCountingServer() {
  let calls = 0;
  const count = () => String(++calls);
  return createServer({
    name: 'counting',
    version: '1.0.0',
    onError: () => {},
    tools: {
      keep: tool({ input: anything, run: count }),
      total: tool({ run: () => String(calls) }),
      ask: tool({
        input: anything,
        run: (_, { inputs }) =>
          inputs.inputResponses === undefined
            ? inputRequired({ inputRequests: { sampled: { method: 'sampling/createMessage', params: QUESTION } } })
            : count(),
      }),
    },
    prompts: {
      greet: prompt({ input: { type: 'object', properties: { n: { type: 'string' } } }, run: count }),
    },
  });
}

const QUESTION = { messages: [{ role: 'user' as const, content: { type: 'text' as const, text: 'a' } }], maxTokens: 1 };
