import {
  type CallerInfo,
  type Context,
  connect,
  createServer,
  type FormAnswer,
  forMethod,
  type Middleware,
  type Operation,
  prompt,
  resource,
  type Server,
  tool,
} from 'tenon';
import { describe, expectTypeOf, it } from 'vitest';
import { z } from 'zod';

const about = { name: 'a', version: '1' };

describe('lists of tools, prompts and resources', () => {
  it('have the same types per caller as fixed ones', async () => {
    const server = createServer({
      ...about,
      tools: caller => {
        expectTypeOf(caller).toEqualTypeOf<CallerInfo>();
        return { greet: tool({ input: z.object({ name: z.string() }), run: ({ name }) => name }) };
      },
      prompts: () => ({ sum: prompt({ input: z.object({ title: z.string() }), run: ({ title }) => title }) }),
    });
    const client = await connect<typeof server>(server);
    expectTypeOf(client.tools.greet).parameter(0).toEqualTypeOf<{ name: string }>();
    expectTypeOf(client.prompts.sum).parameter(0).toEqualTypeOf<{ title: string }>();
    await client.close();
  });

  it('may be spread from parts', async () => {
    const parts = { one: tool({ input: z.object({ a: z.string() }), run: ({ a }) => a }) };
    const server = createServer({ ...about, tools: { ...parts, two: tool({ run: () => 1 }) } });
    const client = await connect<typeof server>(server);
    expectTypeOf<keyof typeof client.tools>().toEqualTypeOf<'one' | 'two'>();
    await client.close();
  });

  it('create a Server of any kind', () => {
    const server = createServer({
      ...about,
      tools: { one: tool({ run: () => 1 }) },
      prompts: { two: prompt({ run: () => 'x' }) },
      resources: { 'a://{b}': resource({ read: ({ b }) => b }) },
    });
    expectTypeOf(server).toExtend<Server>();
    server.tools.set('later', tool({ input: z.object({ a: z.string() }), run: ({ a }) => a }));
  });

  it('refuse invalid definitions, and unknown names', () => {
    // @ts-expect-error a function is no tool
    void (() => createServer({ ...about, tools: { one: () => 1 } }));
    // @ts-expect-error `tools`
    void (() => createServer({ ...about, tool: {} }));
    // @ts-expect-error a server has a version
    void (() => createServer({ name: 'a' }));
  });
});

describe('custom methods', () => {
  it('have the types of their params schema', () => {
    createServer({
      ...about,
      methods: {
        'com.example/count': {
          params: z.object({ from: z.number().default(0) }),
          run(params, ctx) {
            expectTypeOf(params).toEqualTypeOf<{ from: number }>();
            expectTypeOf(ctx).toEqualTypeOf<Context>();
            return { count: params.from + 1 };
          },
        },
        'com.example/raw': {
          params: { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
          run: ({ a }) => ({ a }),
        },
        'com.example/free': {
          run(params) {
            expectTypeOf(params).toEqualTypeOf<{ [key: string]: unknown }>();
            return params;
          },
        },
        'com.example/hear': {
          params: z.object({ n: z.number() }),
          handle(params, { client }) {
            expectTypeOf(params).toEqualTypeOf<{ n: number }>();
            expectTypeOf(client.info?.name).toEqualTypeOf<string | undefined>();
          },
        },
      },
    });
  });

  it('return an object, and need a schema', () => {
    // @ts-expect-error text is no result
    createServer({ ...about, methods: { 'com.example/a': { run: () => 'text' } } });
    // @ts-expect-error a word is no schema
    void (() => createServer({ ...about, methods: { 'com.example/a': { params: 'x', run: () => ({}) } } }));
  });
});

describe('middleware', () => {
  it('wraps an operation', () => {
    const layer: Middleware = async (operation, next) => {
      expectTypeOf(operation).toEqualTypeOf<Operation>();
      const result = await next(operation);
      expectTypeOf(result).toEqualTypeOf<{ [key: string]: unknown }>();
      return result;
    };
    createServer({ ...about, use: [layer, forMethod('tools/call', (operation, next) => next(operation))] });
    // @ts-expect-error a result is an object
    createServer({ ...about, use: [() => 'text'] });
  });
});

describe('the type of an elicitation result', () => {
  it('follows the form, by zod and by JSON Schema', () => {
    const ask = async (ctx: Context) => {
      const answer = await ctx.elicit({ message: 'Sure?', input: z.object({ yes: z.boolean().default(true) }) });
      expectTypeOf(answer).toEqualTypeOf<FormAnswer<{ yes: boolean }>>();
      if (answer.action === 'accept') expectTypeOf(answer.content).toEqualTypeOf<{ yes: boolean }>();
      else expectTypeOf(answer.content).toEqualTypeOf<undefined>();
      const raw = await ctx.elicit({
        message: 'Which?',
        input: { type: 'object', properties: { unit: { enum: ['C', 'F'] } }, required: ['unit'] },
      });
      if (raw.action === 'accept') expectTypeOf(raw.content).branded.toEqualTypeOf<{ unit: 'C' | 'F' }>();
      // @ts-expect-error an answer that was not accepted has no content
      answer.content.yes;
    };
    expectTypeOf(ask).returns.resolves.toEqualTypeOf<void>();
  });
});
