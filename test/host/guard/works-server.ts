import { createServer, inputRequired, prompt, resource, type ServerOptions, tasks, tool } from 'tenon';
import { z } from 'zod';

const text = z.object({ text: z.string() });
const path = z.object({ path: z.string() });
const yes = z.object({ yes: z.boolean() });
const form = (message: string) => ({
  method: 'elicitation/create' as const,
  params: { message, requestedSchema: { type: 'object' as const, properties: { yes: { type: 'boolean' as const } } } },
});
type Schema = NonNullable<Parameters<typeof tool>[0]['input']>;
const region = { type: 'string', 'x-mcp-header': 'Region' } as const;

/** A server whose every deed is written down: that a host has kept a call away from it can be seen. */
export function createWorksServer(options: Partial<ServerOptions> & { instructions?: string } = {}) {
  const ran: string[] = [];
  const did = (what: string) => {
    ran.push(what);
    return what;
  };
  const server = createServer({
    name: 'works',
    version: '1',
    onError: () => {},
    extensions: [tasks({ pollInterval: 20 })],
    ...options,
    tools: {
      say: tool({
        description: 'Says a text',
        annotations: { readOnlyHint: true },
        input: text,
        run: ({ text }) => did(`say ${text}`),
      }),
      erase: tool({ description: 'Erases a file', input: path, run: ({ path }) => did(`erase ${path}`) }),
      route: tool({
        description: 'Sends to a region',
        input: { type: 'object', properties: { region }, required: ['region'] } as unknown as Schema,
        run: args => did(`route ${(args as { region: string }).region}`),
      }),
      later: tool({
        description: 'Erases a file, some time',
        task: 'optional',
        input: path,
        run: ({ path }) => did(`later ${path}`),
      }),
      sure: tool({
        description: 'Erases a file when its user is sure',
        input: path,
        async run({ path }, ctx) {
          const answer = await ctx.elicit({ message: `Erase ${path}?`, input: yes });
          return did(`sure ${path} ${answer.action}`);
        },
      }),
      replays: tool({
        description: 'Asks by a result',
        input: path,
        run({ path }, { inputs }) {
          if (inputs.inputResponses?.sure) return did(`replays ${path}`);
          return inputRequired({ inputRequests: { sure: form(`Erase ${path}?`) }, requestState: path });
        },
      }),
      wonders: tool({
        description: 'Asks its user, some time',
        task: 'optional',
        run: async (_, ctx) => did(`wonders ${(await ctx.elicit({ message: 'Who\u202e?', input: yes })).action}`),
      }),
      thinks: tool({
        description: 'Asks a model',
        async run(_, ctx) {
          const { content } = await ctx.sample({
            maxTokens: 50,
            messages: [{ role: 'user', content: { type: 'text', text: 'What is it?' } }],
            includeContext: 'allServers',
          });
          return did(`thinks ${[content].flat().map(block => ('text' in block ? block.text : block.type))}`);
        },
      }),
      looks: tool({
        description: 'Looks at the roots',
        run: async (_, ctx) => did(`looks ${(await ctx.roots()).map(({ uri }) => uri)}`),
      }),
    },
    prompts: {
      draft: prompt({
        input: z.object({ who: z.string() }),
        complete: { who: () => [did('complete draft')] },
        run: ({ who }) => did(`draft ${who}`),
      }),
    },
    resources: {
      'note://open': resource({ read: () => did('read open') }),
      'note://secret/plan': resource({ read: () => did('read plan') }),
      'note://box/{id}': resource({
        list: () => [{ id: 'a' }],
        complete: { id: () => [did('complete box')] },
        read: ({ id }) => did(`read box ${id}`),
      }),
    },
  });
  return { server, ran };
}
