import { type Client, connect, tool } from 'tenon';
import { createMany, SIZES, type Workloads } from '../workload.js';
import { createTestServer } from './offers.js';

const FORM = { type: 'object', properties: { sure: { type: 'boolean' } } } as const;
const createForm = (size: number) =>
  ({ type: 'object', properties: createMany(size, 'field', () => ({ type: 'boolean' })) }) as const;

const tools = {
  ask: tool({
    input: { type: 'object', properties: { size: { type: 'integer' } }, required: ['size'] },
    async run({ size }, ctx) {
      // A new object for each call, as in handlers.
      const { action } = await ctx.elicit({ message: 'Sure?', input: size === 0 ? FORM : createForm(size) });
      return action;
    },
  }),
  wait: tool({ run: async (_, ctx) => (await ctx.elicit({ message: 'Wait', input: FORM })).action }),
};

const connectWithRequests = (): Promise<Client> =>
  connect(createTestServer({ tools }), {
    protocolVersion: '2026-07-28',
    elicit: ({ message }) => (message === 'Wait' ? new Promise(() => {}) : { action: 'accept', content: {} }),
  });

/** Work whose cost does not depend on the number of other input requests. */
export const inputRequestWorkloads: Workloads = {
  'an input request beside N handlers that wait for theirs': {
    sizes: SIZES.map(size => size / 2),
    async prepare(size: number) {
      const client = await connectWithRequests();
      for (let at = 0; at < size; at++) client.callTool('wait').catch(() => {});
      await client.callTool('ask', { size: 0 });
      return { run: () => client.callTool('ask', { size: 0 }), close: () => client.close() };
    },
  },
};

/** Work that may cost in proportion to the number of fields. */
export const formWorkloads: Workloads = {
  'an input request with a form of N fields': {
    sizes: SIZES,
    async prepare(size: number) {
      const client = await connectWithRequests();
      return { run: () => client.callTool('ask', { size }), close: () => client.close() };
    },
  },
};
