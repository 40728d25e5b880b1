import { createServer, rpcError, tasks, tool, toolError } from 'tenon';

const input = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] } as const;
const wait = (ms: number) => new Promise(resolve => setTimeout(resolve, ms));

/** A server whose tools become tasks of every kind. */
export function createTaskServer(onError: (error: unknown) => void = () => {}) {
  return createServer({
    name: 'works',
    version: '1',
    onError,
    extensions: [tasks({ list: true, pollInterval: 20 })],
    tools: {
      plain: tool({ run: () => 'plain' }),
      asks: tool({
        task: 'optional',
        async run(_, ctx) {
          ctx.progress(1, 2, 'asking');
          const [one, other] = await Promise.all([
            ctx.elicit({ message: 'one?', input }),
            ctx.sample({ messages: [{ role: 'user', content: { type: 'text', text: 'other?' } }], maxTokens: 5 }),
          ]);
          ctx.progress(2, 2, 'asked');
          const text = Array.isArray(other.content) ? '' : other.content.type === 'text' ? other.content.text : '';
          return `${one.content?.a} ${text}`;
        },
      }),
      structured: tool({
        task: 'required',
        output: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] } as const,
        run: () => ({ n: 1 }),
      }),
      fails: tool({
        task: 'optional',
        run() {
          throw toolError('no luck');
        },
      }),
      breaks: tool({
        task: 'optional',
        run() {
          throw rpcError(-32005, 'used up', { left: 0 });
        },
      }),
      throws: tool({
        task: 'optional',
        run() {
          throw new Error('the secret of /home/works');
        },
      }),
      slow: tool({
        task: 'optional',
        async run(_, { signal }) {
          for (let n = 0; n < 500 && !signal.aborted; n++) await wait(10);
          return 'slow';
        },
      }),
      later: tool({
        task: { after: 30 },
        async run() {
          await wait(150);
          return 'later';
        },
      }),
    },
  });
}
