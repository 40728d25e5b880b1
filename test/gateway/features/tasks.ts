import { TenonError } from 'tenon';
import { expect } from 'vitest';
import type { Combination } from '../combination.js';
import { collectAll, type Feature, getOutcome, getText, type Refusal, waitUntil } from '../feature.js';
import { TASK_TTL } from '../fixture-tasks.js';
import { expectError } from '../impossible/impossible-row.js';

type Handle = Awaited<ReturnType<Combination['client']['tasks']['start']>>;

const how = (handle: Handle): 'task' | 'answer' => (handle.id === undefined ? 'answer' : 'task');

/** Starts a call that may become a task: whether it did, and what it comes to. */
async function started({ client }: Combination, name: 'atOnce' | 'rootsInTask' | 'formInTask' | 'must' | 'afterWhile') {
  return getOutcome(
    (async () => {
      const handle: Handle = await client.tasks.start(name, {} as never);
      return [how(handle), textIn(await handle.result())];
    })(),
  );
}

const textIn = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && 'content' in value ? getText(value as never) : value;

const ended = (setup: Combination, name: 'failsInTask' | 'breaksInTask'): Promise<Refusal | string> =>
  setup.client.tasks
    .start(name)
    .then(handle => handle.result())
    .then(
      () => 'no error',
      error => {
        const { code, rpcCode, message, data } = TenonError.from(error);
        return {
          refused: message.split('\n')[0] ?? '',
          by: rpcCode ?? code,
          ...(rpcCode === undefined ? {} : { data }),
        };
      },
    );

/** Gives a call up that goes on, as a task or as what it is. */
async function cancelled({ client, tag }: Combination) {
  const stop = new AbortController();
  const starting = client.tasks.start('waitsInTask', { name: tag }, { signal: stop.signal });
  const seen = () => client.tools.tasksSeen();
  await waitUntil(async () => (await seen()).begun.includes(tag), 'the work has begun');
  const started: Handle[] = [];
  starting.then(
    handle => started.push(handle),
    () => {},
  );
  // A call that becomes a task has a response long before the server has responded this often.
  for (let asked = 0; asked < 20 && started.length === 0; asked++) await seen();
  const [handle] = started;
  if (handle === undefined) stop.abort();
  const result: Promise<unknown> = handle ? handle.result() : starting;
  const end = result.then(
    () => 'done',
    ({ code }) => code as string,
  );
  if (handle) await handle.cancel();
  const code = await end;
  await waitUntil(async () => (await seen()).givenUp.includes(tag), 'the server gives the work up');
  return [handle ? how(handle) : 'answer', code];
}

export const tasks: readonly Feature[] = [
  {
    crosses: 'tasks',
    name: 'done at once',
    probe: setup => started(setup, 'atOnce'),
    seen: () => ['task', { n: 1 }],
  },
  {
    crosses: 'tasks',
    name: 'a call of what may be a task, waited for',
    probe: ({ client }) => client.tools.atOnce(),
    seen: () => ({ n: 1 }),
  },
  {
    crosses: 'tasks',
    name: 'a call of what must be a task, waited for',
    probe: ({ client }) => getOutcome(client.tools.must()),
    seen: () => ({ n: 2 }),
  },
  {
    crosses: 'tasks',
    name: 'a call that takes so long that it becomes one',
    probe: async ({ client }) => getText(await client.callTool('afterWhile')),
    seen: () => 'after a while',
  },
  {
    crosses: 'tasks',
    name: 'that ask for roots',
    probe: setup => started(setup, 'rootsInTask'),
    seen: () => ['task', '1 root'],
  },
  {
    crosses: 'tasks',
    name: 'that ask the user',
    probe: setup => started(setup, 'formInTask'),
    seen: () => ['task', 'accept'],
  },
  {
    crosses: 'tasks',
    name: 'given up',
    probe: cancelled,
    seen: () => ['task', 'task/cancelled'],
  },
  {
    crosses: 'tasks',
    name: 'of a tool that fails',
    probe: setup => ended(setup, 'failsInTask'),
    seen: () => ({ refused: expect.stringContaining('The task has no luck'), by: 'tool/failed' }),
  },
  {
    crosses: 'tasks',
    name: 'that end in an error of the protocol',
    probe: setup => ended(setup, 'breaksInTask'),
    seen: () => ({ refused: expect.stringContaining('Used up'), by: 7002, data: { left: 0 } }),
  },
  {
    crosses: 'tasks',
    name: 'how long they are kept, as the tool says',
    probe: async ({ client }) => (await client.tasks.start('kept')).state?.ttlMs ?? 'unsaid',
    // A task that is kept in between is kept for no shorter time.
    seen: ({ direct }) => (direct ? TASK_TTL : expect.toSatisfy((ttl: unknown) => Number(ttl) >= TASK_TTL)),
  },
  {
    crosses: 'tasks',
    name: 'how long they are kept, as the client asks',
    probe: ({ client }) =>
      getOutcome(
        client.tasks.start('atOnce', {} as never, { ttl: 60_000 }).then(handle => handle.state?.ttlMs ?? 'unsaid'),
      ),
    seen: () => 60_000,
  },
  {
    crosses: 'tasks',
    name: 'come back to by their id',
    async probe({ client }) {
      const { id } = await client.tasks.start('atOnce');
      return id === undefined ? 'answered' : client.tasks.resume(id, { tool: 'atOnce' }).result();
    },
    seen: () => ({ n: 1 }),
  },
  {
    crosses: 'tasks',
    name: 'listed',
    async probe({ client }) {
      const { id } = await client.tasks.start('atOnce');
      const list = await getOutcome(collectAll(client.tasks.list()));
      return 'refused' in list ? list : list.some(({ taskId }) => taskId === id);
    },
    // Who cannot tell its callers apart shows none of them a list: it says so.
    seen: ({ direct }) => (direct ? true : expect.toBeOneOf([true, expectError(/method|list/i)])),
  },
  {
    crosses: 'tasks',
    name: 'that there are not',
    probe: ({ client }) => getOutcome(client.tasks.get('none')),
    seen: () => expect.objectContaining({ by: -32602, refused: expect.stringContaining('not found on the server') }),
  },
];
