import {
  type CallToolResult,
  type ChangeEvent,
  type Client,
  type CreateTaskResult,
  connect,
  createServer,
  type GetPromptResult,
  type InputRequiredResult,
  type Prompt,
  prompt,
  type ReadResourceResult,
  type Resource,
  type ResourceTemplate,
  type TaskHandle,
  type TaskState,
  type Tool,
  tool,
} from 'tenon';
import { afterAll, describe, expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';

const server = createServer({
  name: 'weather',
  version: '1',
  tools: {
    forecast: tool({
      input: z.object({ city: z.string(), days: z.number().default(1) }),
      output: z.object({ degrees: z.number() }),
      run: ({ days }) => ({ degrees: days }),
    }),
    now: tool({ run: () => 'now' }),
  },
  prompts: {
    report: prompt({ input: z.object({ city: z.string() }), run: ({ city }) => city }),
    plain: prompt({ run: () => 'x' }),
  },
});
const client = await connect<typeof server>(server);
afterAll(() => client.close());

describe('connect', () => {
  it('takes the types of a server in the same process', async () => {
    await using own = await connect(server, { protocolVersion: '2025-11-25' });
    expectTypeOf(own).toEqualTypeOf<typeof client>();
    expect(await own.tools.forecast({ city: 'Oslo' })).toEqual({ degrees: 1 });
  });

  it('has no types of servers at other places', () => {
    const connectElsewhere = () => [
      connect('http://a.example/mcp'),
      connect({ command: 'node' }),
      connect(new URL('http://a.example')),
    ];
    expectTypeOf<ReturnType<typeof connectElsewhere>[number]>().resolves.toEqualTypeOf<Client>();
  });
});

describe('connect<typeof server>', () => {
  it('creates functions for the tools', async () => {
    const { forecast, now } = client.tools;
    expectTypeOf<keyof typeof client.tools>().toEqualTypeOf<'forecast' | 'now'>();
    expectTypeOf(forecast).parameter(0).toEqualTypeOf<{ city: string; days?: number | undefined }>();
    expectTypeOf(forecast).returns.resolves.toEqualTypeOf<{ degrees: number }>();
    expectTypeOf(now).returns.resolves.toEqualTypeOf<CallToolResult>();
    expect(await forecast({ city: 'Oslo' })).toEqual({ degrees: 1 });
    expect(await now()).toMatchObject({ content: [{ text: 'now' }] });
  });

  it('refuses calls that do not fit', () => {
    void (() => [
      // @ts-expect-error there is no such tool
      client.tools.forcast,
      // @ts-expect-error it has an input
      client.tools.forecast(),
      // @ts-expect-error `city` is text
      client.tools.forecast({ city: 1 }),
      // @ts-expect-error it has no `town`
      client.tools.forecast({ city: 'x', town: 'y' }),
      // @ts-expect-error it takes nothing
      client.tools.now({ city: 'x' }),
      // @ts-expect-error `city` is missing
      client.prompts.report({}),
    ]);
  });

  it('creates functions for the prompts', async () => {
    expectTypeOf(client.prompts.report).parameter(0).toEqualTypeOf<{ city: string }>();
    expectTypeOf(client.prompts.report).returns.resolves.toEqualTypeOf<GetPromptResult>();
    expect(await client.prompts.plain()).toMatchObject({ messages: [{ role: 'user' }] });
  });

  it('returns a Client, whatever is known of the server', () => {
    expectTypeOf(client).toExtend<Client>();
    expectTypeOf(connect).returns.resolves.toExtend<Client>();
  });
});

describe('the tasks of a client', () => {
  it('have the types of the tool', async () => {
    const started = client.tasks.start('forecast', { city: 'Oslo' });
    expectTypeOf(started).resolves.toEqualTypeOf<TaskHandle<{ degrees: number }>>();
    const handle = await started;
    expectTypeOf(handle.result).returns.resolves.toEqualTypeOf<{ degrees: number }>();
    expect(await handle.result()).toEqual({ degrees: 1 });
    for await (const state of handle) expectTypeOf(state).toEqualTypeOf<TaskState>();
    const now = await client.tasks.start('now');
    expectTypeOf(now.result).returns.resolves.toEqualTypeOf<CallToolResult>();
    expectTypeOf(client.tasks.list).returns.toEqualTypeOf<AsyncIterable<TaskState>>();
  });

  it('resume with or without the name of the tool', () => {
    expectTypeOf(client.tasks.resume('t1')).toEqualTypeOf<TaskHandle<unknown>>();
    expectTypeOf(client.tasks.resume('t1', { tool: 'forecast' })).toEqualTypeOf<TaskHandle<{ degrees: number }>>();
    expectTypeOf(client.tasks.resume<'now'>('t1')).toEqualTypeOf<TaskHandle<CallToolResult>>();
  });

  it('refuse unknown tools', () => {
    void (() => [
      // @ts-expect-error there is no such tool
      client.tasks.start('forcast', { city: 'Oslo' }),
      // @ts-expect-error it has an input
      client.tasks.start('forecast'),
      // @ts-expect-error `city` is text
      client.tasks.start('forecast', { city: 1 }),
      // @ts-expect-error it takes nothing
      client.tasks.start('now', { city: 'x' }),
      // @ts-expect-error there is no such tool
      client.tasks.resume('t1', { tool: 'forcast' }),
    ]);
  });

  it('accept any tool of an unknown server', () => {
    void ((unknown: Client) => {
      expectTypeOf(unknown.tasks.start('any', { thing: 1 })).resolves.toEqualTypeOf<TaskHandle<unknown>>();
      expectTypeOf(unknown.tasks.resume('t1', { tool: 'any' })).toEqualTypeOf<TaskHandle<unknown>>();
    });
  });
});

describe('a client', () => {
  it('calls the methods of the table by name', async () => {
    const { tools } = await client.call('tools/list');
    expectTypeOf(tools).toEqualTypeOf<Tool[]>();
    const called = client.call('tools/call', { name: 'now' });
    expectTypeOf(called).resolves.toEqualTypeOf<CallToolResult>();
    const getRequests = () => client.call('tools/call', { name: 'now' }, { resolveInputRequests: false });
    expectTypeOf(getRequests).returns.resolves.toEqualTypeOf<CallToolResult | InputRequiredResult | CreateTaskResult>();
    expect(await called).toBeDefined();
    const read = () => client.call('resources/read', { uri: 'a://b' });
    expectTypeOf(read).returns.resolves.toEqualTypeOf<ReadResourceResult>();
    const own = () => client.call('com.example/mine', { any: 'thing' });
    expectTypeOf(own).returns.resolves.toEqualTypeOf<{ [key: string]: unknown }>();
  });

  it('types the listener of each event', () => {
    client.on('log', ({ level, data }) => {
      expectTypeOf(level).toExtend<string>();
      expectTypeOf(data).toEqualTypeOf<unknown>();
    })();
    client.on('change', change => expectTypeOf(change).toEqualTypeOf<ChangeEvent>())();
    void (() => {
      // @ts-expect-error there is no such event
      client.on('changes', () => {});
    });
    expectTypeOf(client.watch('a://b')).toEqualTypeOf<AsyncIterable<ChangeEvent>>();
  });

  it('returns complete results by name on an unknown server', () => {
    void ((unknown: Client) => {
      expectTypeOf(unknown.callTool('any', { thing: 1 })).resolves.toEqualTypeOf<CallToolResult>();
      expectTypeOf(unknown.getPrompt('any', { thing: 1 })).resolves.toEqualTypeOf<GetPromptResult>();
      expectTypeOf(unknown.readResource('a://b')).resolves.toEqualTypeOf<ReadResourceResult>();
      expectTypeOf(unknown.listTools()).toEqualTypeOf<AsyncIterable<Tool>>();
      expectTypeOf(unknown.listPrompts()).toEqualTypeOf<AsyncIterable<Prompt>>();
      expectTypeOf(unknown.listResources()).toEqualTypeOf<AsyncIterable<Resource>>();
      expectTypeOf(unknown.listResourceTemplates()).toEqualTypeOf<AsyncIterable<ResourceTemplate>>();
      // @ts-expect-error nothing is known of its tools
      unknown.tools.any;
      // @ts-expect-error nor of its prompts
      unknown.prompts.any;
      // @ts-expect-error an argument of a prompt is text, a number or a boolean
      unknown.getPrompt('any', { thing: {} });
    });
  });

  it('calls any name on a known server, because servers add tools while they run', () => {
    expectTypeOf(client.callTool).parameter(0).toExtend<string>();
    expectTypeOf<string>().toExtend<Parameters<typeof client.callTool>[0]>();
    expectTypeOf<string>().toExtend<Parameters<typeof client.getPrompt>[0]>();
    expectTypeOf<string>().toExtend<Parameters<typeof client.readResource>[0]>();
  });
});
