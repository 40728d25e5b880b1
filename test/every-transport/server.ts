import { type Context, createServer, memoryStores, type Stores, type TaskSupport, tasks, tool } from 'tenon';
import { z } from 'zod';

/** What differs between the servers of two rows. Crosses to a child process as JSON. */
export interface TestModeOptions {
  /** Whether no handler waits in memory. */
  readonly forgets?: boolean;
  readonly task?: TaskSupport;
}

const sure = z.object({ sure: z.boolean() });

const toModel = (text: string) => ({
  messages: [{ role: 'user' as const, content: { type: 'text' as const, text } }],
  maxTokens: 5,
});

/** By a form, or by the model where the protocol version has no forms: the one that stands for it says the same. */
async function consent(ctx: Context, message: string): Promise<string> {
  if (ctx.client.capabilities.elicitation === undefined) return textOf(await ctx.sample(toModel(message)));
  const { action, content } = await ctx.elicit({ message, input: sure });
  return action === 'accept' && content.sure ? 'yes' : 'no';
}

const textOf = ({ content }: { content: unknown }) => (content as { text: string }).text;

const keys = [{ id: 'ways', key: new Uint8Array(32).fill(3) }];

/** What several processes of one server share. */
export interface Estate {
  readonly log: string[];
  /** How often the handler was entered. */
  entries: number;
  readonly stores: Stores;
}

export const createEstate = (): Estate => ({ log: [], entries: 0, stores: memoryStores() });

/** Two questions, the first of them two at once, the model, and three steps that leave a trace where the server runs. */
export function createTestModes({ forgets = false, task = 'optional' }: TestModeOptions, estate: Estate) {
  const { log, stores } = estate;
  const done = (what: string) => {
    log.push(what);
    return `${what} ${log.length}`;
  };
  return createServer({
    name: 'ways',
    version: '1.0.0',
    tools: {
      work: tool({
        input: z.object({ what: z.string() }),
        task,
        async run({ what }, ctx) {
          estate.entries++;
          const first = await ctx.step('prepare', () => done(`prepare ${what}`));
          const [may, roots] = await Promise.all([consent(ctx, `Begin with ${first}?`), ctx.roots()]);
          const second = await ctx.step('carry out', async () => done(`${may} to ${roots[0]?.name}`));
          const words = textOf(await ctx.sample(toModel(`What of ${second}?`)));
          const end = await consent(ctx, `End with ${words}?`);
          const third = await ctx.step('clean up', () => done(`clean up: ${end}`));
          return [first, may, second, words, end, third].join(', ');
        },
      }),
      log: tool({
        output: z.object({ log: z.array(z.string()), entries: z.int() }),
        run: () => ({ log, entries: estate.entries }),
      }),
    },
    extensions: [tasks({ pollInterval: 20 })],
    inputRequests: { keys, ...(forgets ? { maxSuspended: 0 } : {}) },
    stores,
  });
}

export type TestModes = ReturnType<typeof createTestModes>;
