import { tasks as extension, tool } from 'tenon';
import { createTestHandler, sendStateless } from '../connections.js';
import { pickMiddle, SIZES, type Workloads } from '../workload.js';
import { createTestServer } from './offers.js';

const NO_LIMITS = { maxRunning: 10_000, maxOpen: 10_000, maxOpenPerPrincipal: 10_000 };
const FOLLOWS = { extensions: { 'io.modelcontextprotocol/tasks': {} } };

/** What costs the same however many other tasks there are. */
export const taskWorkloads: Workloads = {
  'a task that is asked after, with so many others': {
    sizes: SIZES,
    prepare: async size => {
      const { begin, ask, close } = startWorking();
      const tasks: string[] = [];
      for (let at = 0; at < size; at++) tasks.push(await begin());
      const task = tasks[pickMiddle(size)] as string;
      return { once: () => ask(task), close };
    },
  },
};

/** What is looked for by halves among the others. */
export const halvedWorkloads: Workloads = {
  'a task that is done, with so many others': {
    sizes: SIZES,
    prepare: async size => {
      const { begin, ask, close } = startWorking();
      for (let at = 0; at < size; at++) await begin();
      return { once: async () => ask(await begin({ takes: 'no time' })), close };
    },
  },
};

/** A server whose works end at once, or never. */
function startWorking() {
  const work = tool({
    task: 'required',
    input: { type: 'object', properties: { takes: { type: 'string' } } },
    run: (input: { takes?: string }) => (input.takes === undefined ? new Promise<string>(() => {}) : 'done'),
  });
  const server = createTestServer({ extensions: [extension(NO_LIMITS)], tools: { work } });
  const handler = createTestHandler(server);
  const begin = async (input = {}) => {
    const params = { name: 'work', arguments: input };
    return ((await sendStateless(handler, 'tools/call', params, FOLLOWS)) as { taskId: string }).taskId;
  };
  const ask = (taskId: string) => sendStateless(handler, 'tasks/get', { taskId }, FOLLOWS);
  const close = async () => {
    server.close();
    await handler.close();
  };
  return { begin, ask, close };
}
