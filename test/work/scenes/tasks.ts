import { tasks as extension, tool } from 'tenon';
import { alone, handlerOf } from '../roads.js';
import { amid, type Scenes, SIZES } from '../scene.js';
import { serverWith } from './offers.js';

const NO_LIMITS = { maxRunning: 10_000, maxOpen: 10_000, maxOpenPerPrincipal: 10_000 };
const FOLLOWS = { extensions: { 'io.modelcontextprotocol/tasks': {} } };

/** What costs the same however many other tasks there are. */
export const tasks: Scenes = {
  'a task that is asked after, with so many others': {
    sizes: SIZES,
    prepare: async size => {
      const { begin, ask, close } = working();
      const tasks: string[] = [];
      for (let at = 0; at < size; at++) tasks.push(await begin());
      const task = tasks[amid(size)] as string;
      return { once: () => ask(task), close };
    },
  },
};

/** What is looked for by halves among the others. */
export const halved: Scenes = {
  'a task that is done, with so many others': {
    sizes: SIZES,
    prepare: async size => {
      const { begin, ask, close } = working();
      for (let at = 0; at < size; at++) await begin();
      return { once: async () => ask(await begin({ takes: 'no time' })), close };
    },
  },
};

/** A server whose works end at once, or never. */
function working() {
  const work = tool({
    task: 'required',
    input: { type: 'object', properties: { takes: { type: 'string' } } },
    run: (input: { takes?: string }) => (input.takes === undefined ? new Promise<string>(() => {}) : 'done'),
  });
  const server = serverWith({ extensions: [extension(NO_LIMITS)], tools: { work } });
  const handler = handlerOf(server);
  const begin = async (input = {}) => {
    const params = { name: 'work', arguments: input };
    return ((await alone(handler, 'tools/call', params, FOLLOWS)) as { taskId: string }).taskId;
  };
  const ask = (taskId: string) => alone(handler, 'tasks/get', { taskId }, FOLLOWS);
  const close = async () => {
    server.close();
    await handler.close();
  };
  return { begin, ask, close };
}
