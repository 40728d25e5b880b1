import { fakeClock } from '@tenon/testing';
import type { Stores } from 'tenon';
import {
  connectTaskClient,
  type TaskTestClient,
} from '../../packages/tenon/src/extensions/tasks/fixtures/task-client.js';
import type { Release } from '../support/release.js';

const keys = [{ id: 'k', key: new Uint8Array(32).fill(5) }];
export const LEASE = 15_000;

export interface Database {
  /** Opens the stores of one process with the code of its release. */
  open(release: Release): Stores;
  close(): Promise<void>;
}

export const INITIALIZE_PARAMS = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'c', version: '1' },
};

/** Posts a message of 2025-11-25 to a server. */
export async function postTo(
  { handler }: { readonly handler: (request: Request) => Promise<Response> },
  body: object,
  session?: string,
): Promise<{ readonly status: number; readonly session: string; readonly text: string }> {
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2025-11-25',
    ...(session === undefined ? {} : { 'mcp-session-id': session }),
  };
  const message = JSON.stringify({ jsonrpc: '2.0', ...body });
  const response = await handler(new Request('http://localhost/mcp', { method: 'POST', headers, body: message }));
  return {
    status: response.status,
    session: response.headers.get('mcp-session-id') ?? '',
    text: await response.text(),
  };
}

/** Entry of a project whose server the user approved. */
const APPROVED_ENTRY = {
  name: 'notes',
  target: { command: 'node', args: ['notes.js'] },
  origin: { file: '/project/.mcp.json', line: 2, scope: 'project' },
} as const;
const TRUST_KEY = new Uint8Array(32).fill(6);
const TOKEN_KEY = ['tokens', 'https://example.com/mcp'] as const;

const openTrust = ({ host }: Release, { values }: Stores) => host.createTrust({ values, key: TRUST_KEY });
const openTokens = ({ auth }: Release, stores: Stores) => auth.sharedTokenStore(stores, stores.remote ? { keys } : {});

/** Writes tokens of a client, and the approval of a project's server. */
export async function writeSecrets(release: Release, stores: Stores): Promise<void> {
  await openTokens(release, stores).update(TOKEN_KEY, async () => ({ next: { access: 'secret' }, result: undefined }));
  await openTrust(release, stores).approve(APPROVED_ENTRY);
}

export const readTokens = (release: Release, stores: Stores) => openTokens(release, stores).get(TOKEN_KEY);
export const isApproved = (release: Release, stores: Stores) =>
  openTrust(release, stores)
    .isApproved(APPROVED_ENTRY)
    .catch(() => false);

/** Runs a tool in one process, and lists its effects in all. */
export type Handler = 'finish' | 'hang';

/** A process of one release that serves the tools of the test. `kill` ends its use of the stores. */
export function startProcess(
  release: Release,
  database: Database,
  effects: string[],
  behavior: Handler,
  time: number = Date.now(),
) {
  const clock = fakeClock(time);
  const { createServer, tasks, tool } = release.tenon;
  const opened = database.open(release);
  let isDead = false;
  const never = new Promise<never>(() => {});
  const guard =
    <A extends unknown[], R>(call: (...args: A) => Promise<R>) =>
    (...args: A): Promise<R> =>
      isDead ? never : call(...args).then(result => (isDead ? never : result));
  const { get, put, delete: remove, list } = opened.values;
  const stores: Stores = {
    ...opened,
    values: { get: guard(get), put: guard(put), delete: guard(remove), list: guard(list) },
    bus: { publish: guard(opened.bus.publish), subscribe: opened.bus.subscribe },
  };
  const wait = () => (behavior === 'hang' ? never : undefined);
  const server = createServer({
    name: 'releases',
    version: '1.0.0',
    clock,
    stores,
    inputRequests: { keys },
    onError: () => {},
    extensions: [tasks({ leaseTtl: LEASE })],
    tools: {
      job: tool({
        task: 'required',
        async run(_, ctx) {
          await ctx.step('charge', () => void effects.push('charge'));
          await wait();
          await ctx.step('ship', () => void effects.push('ship'));
          return 'done';
        },
      }),
      order: tool({
        async run(_, ctx) {
          await ctx.step('reserve', () => void effects.push('reserve'));
          const input = { type: 'object', properties: { a: { type: 'string' } } } as const;
          await ctx.elicit({ message: 'Sure?', input });
          await ctx.step('charge', () => void effects.push('charge'));
          await wait();
          return 'ordered';
        },
      }),
    },
  });
  return {
    server,
    stores: opened,
    clock,
    handler: release.http.createHandler(server),
    connect: (capabilities?: object) =>
      connectTaskClient(server, capabilities ? { capabilities: { ...capabilities } } : {}),
    async kill() {
      isDead = true;
      // Its leases expire.
      for (const kind of ['lease/', 'retry-holder/'])
        for (const { key } of await opened.values.list(kind)) await opened.values.delete(key);
    },
    close: async () => {
      server.close();
      await opened.close();
    },
  };
}

export async function until(holds: () => Promise<boolean> | boolean): Promise<void> {
  const end = Date.now() + 55_000;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error('the condition did not become true');
    await new Promise(resolve => setTimeout(resolve, 5));
  }
}

export const getStatus = async (client: TaskTestClient, taskId: string) =>
  (await client.call('tasks/get', { taskId })).result?.status;
export const getText = ({ result }: Awaited<ReturnType<TaskTestClient['call']>>) =>
  (result?.content as { text: string }[] | undefined)?.[0]?.text;
