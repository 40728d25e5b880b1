import { type Context, tasks as extension, memoryStores, type Stores, tool } from 'tenon';
import { createTestHandler, sendStateless } from '../connections.js';
import { formatName, pickMiddle, SIZES, type Workloads } from '../workload.js';
import { createTestServer } from './offers.js';

const NO_LIMITS = { maxRunning: 10_000, maxOpen: 10_000, maxOpenPerUser: 10_000, maxShare: 1 };
const FOLLOWS = { extensions: { 'io.modelcontextprotocol/tasks': {} } };

/** Work whose cost does not depend on the number of other tasks. */
export const taskWorkloads: Workloads = {
  'tasks/get beside N other tasks': {
    sizes: SIZES,
    prepare: async size => {
      const { begin, ask, close } = startWorking();
      const tasks: string[] = [];
      for (let at = 0; at < size; at++) tasks.push(await begin());
      const task = tasks[pickMiddle(size)] as string;
      return { run: () => ask(task), close };
    },
  },
};

/** Work that may cost in proportion to the number of steps. Each character that is written to the store counts. */
export const stepWorkloads: Workloads = {
  'a task of N steps': {
    sizes: SIZES,
    prepare: async size => {
      const { work, close } = startStepping((ctx, n) => ctx.step(formatName('step', n), () => 'done'));
      return { run: () => work(size), close };
    },
  },
};

/** Work with a binary search among the others. */
export const logarithmicWorkloads: Workloads = {
  'a task from start to end beside N others': {
    sizes: SIZES,
    prepare: async size => {
      const { begin, ask, close } = startWorking();
      for (let at = 0; at < size; at++) await begin();
      return { run: async () => ask(await begin({ takes: 'no time' })), close };
    },
  },
};

/** Starts a server whose tasks end at once, or never. */
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

/** Starts a server whose tasks have steps. */
function startStepping(step: (ctx: Context, n: number) => Promise<unknown>) {
  let onCompleted = () => {};
  const onEvent = ({ type }: { readonly type: string }) => void (type === 'completed' && onCompleted());
  const work = tool({
    task: 'required',
    input: { type: 'object', properties: { steps: { type: 'integer' } } },
    async run({ steps }: { steps: number }, ctx: Context) {
      for (let n = 0; n < steps; n++) await step(ctx, n);
      return 'done';
    },
  });
  const stores = countCharacters(memoryStores());
  const server = createTestServer({ stores, extensions: [extension({ ...NO_LIMITS, onEvent })], tools: { work } });
  const handler = createTestHandler(server);
  return {
    async work(steps: number): Promise<void> {
      const completed = new Promise<void>(resolve => {
        onCompleted = resolve;
      });
      await sendStateless(handler, 'tools/call', { name: 'work', arguments: { steps } }, FOLLOWS);
      await completed;
      // Records of the task are deleted in the background.
      await new Promise(resolve => setImmediate(resolve));
    },
    async close(): Promise<void> {
      server.close();
      await handler.close();
    },
  };
}

/** One step. */
const countCharacter = () => {};

/** Wraps stores so that each written character is a step. */
function countCharacters(stores: Stores): Stores {
  const { values } = stores;
  return {
    ...stores,
    values: {
      ...values,
      put(key, value, options) {
        for (let n = JSON.stringify(value).length; n > 0; n--) countCharacter();
        return values.put(key, value, options);
      },
    },
  };
}
