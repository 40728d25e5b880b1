import { connectPair, protocolVersions } from '@tenon/testing';
import { createServer, type ToolDefinition, tool } from 'tenon';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import { transformTool } from './transform-tool.js';

const about = { name: 'notes', version: '1.0.0' };
const search = tool({
  title: 'Search',
  description: 'Searches',
  input: z.object({ text: z.string().min(2), limit: z.number().max(50), user: z.string() }),
  output: z.object({ found: z.string() }),
  run: ({ text, limit, user }) => ({ found: `${text} ${limit} ${user}` }),
});

const connectTo = <In, Out>(changed: ToolDefinition<In, Out>, protocolVersion = '2026-07-28') =>
  connectPair(createServer({ ...about, tools: { find: changed } }), { protocolVersion });

describe.each(protocolVersions)('a changed tool, on %s', protocolVersion => {
  it('has other texts, defaults and no hidden arguments', async () => {
    const changed = transformTool(search, {
      description: 'Finds',
      defaults: { limit: 5, user: 'ann' },
      hide: ['user'],
    });
    const client = await connectTo(changed, protocolVersion);
    const [listed] = (await client.call('tools/list')).tools;
    expect(listed).toMatchObject({
      name: 'find',
      description: 'Finds',
      inputSchema: { required: ['text'], properties: { limit: { type: 'number', maximum: 50, default: 5 } } },
    });
    expect(Object.keys(listed?.inputSchema.properties ?? {})).toEqual(['text', 'limit']);
    expect(await client.tools.find({ text: 'oak' })).toEqual({ found: 'oak 5 ann' });
    expect(await client.tools.find({ text: 'oak', limit: 7 })).toEqual({ found: 'oak 7 ann' });
    await client.close();
  });

  it('refuses a hidden argument, and arguments that the schema of the tool refuses', async () => {
    const changed = transformTool(search, { defaults: { user: 'ann' }, hide: ['user'] });
    const client = await connectTo(changed, protocolVersion);
    for (const [args, reason] of [
      [{ text: 'oak', limit: 1, user: 'eve' }, 'user'],
      [{ text: 'o', limit: 1 }, 'text'],
      [{ text: 'oak', limit: 51 }, 'limit'],
    ] as const) {
      const message = await client.callTool('find', args).then(
        ({ content }) => JSON.stringify(content),
        error => error.message,
      );
      expect(message).toContain(`Invalid arguments for tool find: at /${reason}`);
    }
    await client.close();
  });

  it('runs code around the handler, with arguments that clients do not see', async () => {
    const changed = transformTool(search, {
      defaults: { limit: 3 },
      hide: ['user'],
      async wrap({ text, limit }, { client }, next) {
        if (text === 'stop') return { found: 'nothing' };
        const result = await next({ text, limit, user: client.info?.name ?? 'nobody' });
        return 'found' in result ? { found: result.found.toUpperCase() } : result;
      },
    });
    const client = await connectTo(changed, protocolVersion);
    expect(await client.tools.find({ text: 'oak' })).toEqual({ found: `OAK 3 ${'tenon'.toUpperCase()}` });
    expect(await client.tools.find({ text: 'stop' })).toEqual({ found: 'nothing' });
    const failed = await client
      .callTool('find', { text: 'o' })
      .catch(error => ({ content: [{ text: error.message }] }));
    expect(failed.content).toMatchObject([{ text: expect.stringContaining('Invalid arguments') }]);
    await client.close();
  });
});

it('keeps the tool that it changes, and changes a changed tool again', async () => {
  const once = transformTool(search, { defaults: { user: 'ann' }, hide: ['user'] });
  const twice = transformTool(once, { title: 'Again', defaults: { limit: 9 }, hide: ['limit'] });
  const server = createServer({ ...about, tools: { search, once, twice } });
  const client = await connectPair(server);
  expect(await client.tools.twice({ text: 'oak' })).toEqual({ found: 'oak 9 ann' });
  expect(await client.tools.search({ text: 'oak', limit: 1, user: 'bob' })).toEqual({ found: 'oak 1 bob' });
  const { tools } = await client.call('tools/list');
  expect(tools.map(({ title }) => title)).toEqual(['Search', 'Search', 'Again']);
  expect(tools[2]?.inputSchema).toMatchObject({ required: ['text'] });
  await client.close();
});

it('changes tools with a JSON Schema, and tools without arguments', async () => {
  const add = tool({
    input: {
      type: 'object',
      properties: { a: { type: 'number' }, b: { type: 'number' } },
      required: ['a', 'b'],
    } as const,
    run: ({ a, b }) => a + b,
  });
  const now = tool({ run: () => 'now' });
  const tools = {
    increment: transformTool(add, { defaults: { b: 1 }, hide: ['b'] }),
    now: transformTool(now, { title: 'Now' }),
    later: transformTool(now, { wrap: async (_, __, next) => [String(await next(undefined)), 'later'] }),
  };
  const client = await connectPair(createServer({ ...about, tools }));
  expect((await client.callTool('increment', { a: 4 })).content).toMatchObject([{ text: '5' }]);
  expect((await client.callTool('increment', { a: 'x' })).isError).toBe(true);
  expect((await client.callTool('now')).content).toMatchObject([{ text: 'now' }]);
  expect((await client.callTool('later')).content).toMatchObject([{ text: 'now' }, { text: 'later' }]);
  await client.close();
});

it('refuses changes that the tool cannot have', () => {
  expect(() => transformTool(search, { hide: ['nothing' as 'user'] })).toThrow('the tool has no argument "nothing"');
  expect(() => transformTool(search, { defaults: { nothing: 1 } as object })).toThrow('no argument "nothing"');
  expect(() => transformTool(search, { hide: ['user'] })).toThrow('"user" is required and has no value');
  expect(() => transformTool(search, { titel: 'x' } as object)).toThrow('titel');
  for (const wrong of [{ hide: 'user' }, { defaults: [] }, { wrap: 5 }])
    expect(() => transformTool(search, wrong as never)).toThrow('`changes` of transformTool');
  expect(() => transformTool(undefined as never, {})).toThrow('`tool` of transformTool');
});

it.each([
  ['limit', '5', 'at /limit'],
  ['limit', 51, 'at /limit'],
  ['text', 'a', 'at /text'],
  ['limit', Number.NaN, 'NaN at /limit'],
])('refuses the default %s: %j, which the schema of the argument refuses', (name, value, reason) => {
  const shared = tool({
    input: {
      type: 'object',
      properties: { limit: { $ref: '#/$defs/limit' }, text: { type: 'string', minLength: 2 } },
      required: ['limit', 'text'],
      $defs: { limit: { type: 'integer', maximum: 50 } },
    },
    run: () => 'x',
  });
  for (const each of [search, shared])
    for (const more of [{}, { hide: [name], wrap: () => 'x' }])
      expect(() => transformTool(each as ToolDefinition, { ...more, defaults: { [name]: value } } as object)).toThrow(
        expect.objectContaining({ code: 'tool/transform', message: expect.stringContaining(reason) }),
      );
});

it('gives its callers the types of the changed arguments', () => {
  const changed = transformTool(search, { defaults: { limit: 5, user: 'ann' }, hide: ['user'] });
  type Input = NonNullable<(typeof changed)['types']>['input'];
  expectTypeOf<Input>().toMatchTypeOf<{ text: string; limit?: number | undefined }>();
  expectTypeOf<keyof Input>().toEqualTypeOf<'text' | 'limit'>();
  transformTool(search, {
    hide: ['user'],
    // @ts-expect-error: the hidden argument has no value
    wrap: (input, _, next) => next(input),
  });
  // @ts-expect-error: the tool has no such argument
  expect(() => transformTool(search, { hide: ['other'] })).toThrow();
});
