import { type Client, connect, createTransportPair, type TaskState, type Transport } from 'tenon';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { collect, getText } from './collect.js';
import { createV1Tasks, startV1Tasks } from './fixtures/sdk-v1-tasks.js';
import { createStdioPeer, findOfficialServer, startHttpPeer } from './process.js';
import type { OfficialServer } from './server-types.js';

interface OpenConnection {
  readonly client: Client<OfficialServer>;
  stop(): Promise<void>;
}

const requests: string[] = [];
const options = {
  elicit({ message }: { message: string }) {
    requests.push(message);
    return { action: 'accept' as const, content: { name: 'tenon', interpretation: 'technical' } };
  },
};

/** The SDK's server on a pair of ours. */
async function inMemory(): Promise<OpenConnection> {
  const { server, store } = createV1Tasks();
  const pair = createTransportPair();
  await server.connect(asTransport(pair.server) as never);
  const client = await connect<OfficialServer>(pair.client, options);
  return {
    client,
    async stop() {
      await client.close();
      await server.close();
      store.cleanup();
    },
  };
}

function asTransport(channel: Transport) {
  const transport = {
    onmessage: undefined as ((message: unknown) => void) | undefined,
    onclose: undefined as (() => void) | undefined,
    async start() {
      await channel.open({
        onMessage: value => transport.onmessage?.(value),
        onParseError() {},
        onResponseLost() {},
        onClose: () => transport.onclose?.(),
      });
    },
    send: async (message: unknown) => channel.send(message as never),
    close: async () => channel.close(),
  };
  return transport;
}

async function overHttp(): Promise<OpenConnection> {
  const { origin, close } = await startV1Tasks();
  const client = await connect<OfficialServer>(`${origin}/mcp`, options);
  return {
    client,
    async stop() {
      await client.close();
      await close();
    },
  };
}

describe.each([
  ['in memory', inMemory],
  ['over Streamable HTTP', overHttp],
])('tasks of SDK v1 %s', (_, open) => {
  let connection: OpenConnection;
  const errors: string[] = [];
  beforeAll(async () => {
    connection = await open();
    connection.client.on('error', ({ message }) => errors.push(message));
  });
  afterAll(async () => {
    await connection.stop();
    expect(errors).toEqual([]);
  });

  it('resolve after they have ended [tasks.tool.required-used tasks.tool.optional-either]', async () => {
    const { client } = connection;
    expect(getText(await client.callTool('works'))).toBe('worked');
    const handle = await client.tasks.start('works', {}, { ttl: 30_000 });
    expect(handle.id).toMatch(/./);
    expect(handle.state).toMatchObject({ status: 'working', ttlMs: 30_000, pollIntervalMs: 50 });
    expect(getText(await handle.result())).toBe('worked');
    expect(handle.state?.status).toBe('completed');
  });

  it('request input from the waiting client, with the ID of the task [tasks.input-required.requestor-calls-result tasks.http.any-stream tasks.related-task.on-all-messages]', async () => {
    requests.length = 0;
    const states: TaskState[] = [];
    const result = await connection.client.callTool('asks', {}, { onTask: task => states.push(task) });
    expect(getText(result)).toBe('accept tenon, accept tenon');
    expect(result).not.toHaveProperty('_meta');
    expect(requests).toEqual(['Which joint?', 'Which joint?']);
    expect(states.map(({ status }) => status)).toContain('input_required');
    expect(states.at(-1)?.status).toBe('completed');
  });

  it('fail as the tool does [tasks.result.exact-result]', async () => {
    const { client } = connection;
    expect(await client.callTool('fails')).toMatchObject({ isError: true });
    await expect(client.tools.fails()).rejects.toMatchObject({ code: 'tool/failed' });
  });

  it('are cancelled with the call, and by id [cancellation.not-for-tasks]', async () => {
    const { client } = connection;
    const controller = new AbortController();
    const seen: TaskState[] = [];
    const given = client.callTool('sleeps', {}, { signal: controller.signal, onTask: task => seen.push(task) });
    setTimeout(() => controller.abort(), 120);
    await expect(given).rejects.toMatchObject({ code: 'call/aborted' });
    const [{ taskId } = { taskId: '' }] = seen;
    const handle = client.tasks.resume(taskId);
    await expect(handle.result()).rejects.toMatchObject({ code: 'task/cancelled' });
    const other = await client.tasks.start('sleeps');
    const ended = expect(other.result()).rejects.toMatchObject({ code: 'task/cancelled' });
    await other.cancel();
    await ended;
    expect(other.state?.status).toBe('cancelled');
    await client.tasks.cancel(taskId);
    await expect(client.tasks.cancel('none')).rejects.toMatchObject({ code: 'task/unknown' });
  });

  it('are listed, and found by their id [tasks.list.cursor-opaque]', async () => {
    const { client } = connection;
    const handle = await client.tasks.start('works');
    const all = await collect(client.tasks.list());
    expect(all.map(({ taskId }) => taskId)).toContain(handle.id);
    expect(await client.tasks.get(handle.id as string)).toMatchObject({ taskId: handle.id });
    await expect(client.tasks.get('none')).rejects.toMatchObject({ code: 'task/unknown', rpcCode: -32602 });
  });
});

const everything = findOfficialServer('server-everything');
describe.each([
  ['stdio', async () => ({ target: createStdioPeer([everything, 'stdio']).target, stop: async () => {} })],
  [
    'Streamable HTTP',
    async () => {
      const { origin, stop } = await startHttpPeer([everything, 'streamableHttp']);
      return { target: `${origin}/mcp`, stop };
    },
  ],
] as const)('the task of server-everything over %s', (_, open) => {
  it('runs like any other tool, and may request input [tasks.tool.required-used tasks.input-required.requestor-calls-result]', async () => {
    const { target, stop } = await open();
    const client = await connect(target, options);
    const errors: string[] = [];
    client.on('error', ({ message }) => errors.push(message));
    requests.length = 0;
    const messages: string[] = [];
    const onTask = ({ statusMessage = '' }: TaskState) => messages.push(statusMessage);
    const [plain, ambiguous] = await Promise.all([
      client.callTool('simulate-research-query', { topic: 'joints' }, { onTask }),
      client.callTool('simulate-research-query', { topic: 'joints', ambiguous: true }),
    ]);
    expect(getText(plain)).toContain('# Research Report: joints\n');
    expect(getText(ambiguous)).toContain('# Research Report: joints (technical)');
    expect(requests).toEqual([expect.stringContaining('could have multiple interpretations')]);
    expect(messages).toContain('Analyzing content...');
    await client.close();
    await stop();
    expect(errors).toEqual([]);
  });
});
