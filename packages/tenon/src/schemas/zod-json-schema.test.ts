import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import * as mini from 'zod/mini';
import { connectTo } from '../client/connect.js';
import { createInProcessEndpoint } from '../client/connection/endpoint.js';
import { tool } from '../server/definitions/tool.js';
import { createServer } from '../server/server.js';
import { toJsonSchema } from './json-schema.js';
import { convertZodSchema } from './zod-json-schema.js';

const tree = z.object({
  name: z.string(),
  get children() {
    return z.array(tree);
  },
});

/** Schemas whose conversion by zod itself is the same, but for the order and the form of alternatives. */
const schemas = {
  texts: z.object({ a: z.string().min(1).max(5).describe('d'), b: z.string().regex(/^a/), c: z.string().length(3) }),
  numbers: z.object({ a: z.number().min(1).max(5), b: z.number().gt(1).lt(5), c: z.number().multipleOf(2) }),
  optional: z.object({ a: z.boolean().optional(), b: z.string().default('x'), c: z.null(), d: z.any() }),
  choices: z.object({ a: z.literal('q'), b: z.literal(['a', 'b']), c: z.enum(['a', 'b']), d: z.literal(5) }),
  lists: z.object({ a: z.array(z.string()).min(1).max(2), b: z.tuple([z.string(), z.number()]) }),
  records: z.object({ a: z.record(z.string(), z.number()) }),
  objects: z.object({ a: z.strictObject({ b: z.string() }), c: z.looseObject({ d: z.string() }) }),
  intersections: z.intersection(z.object({ a: z.string() }), z.object({ b: z.string().optional() })),
  pipes: z.object({
    a: z.preprocess(value => value, z.string()),
    b: z.coerce.number(),
    c: z.string().pipe(z.string()),
  }),
  metadata: z.object({ a: z.string().meta({ title: 'T', description: 'D', examples: ['x'] }) }),
  recursive: tree,
  recursiveInside: z.object({ x: tree, y: tree }),
};

/** Gives recursive definitions the same names. */
const normalize = ({ $schema: _, ...json }: Record<string, unknown>): unknown =>
  JSON.parse(JSON.stringify(json).replaceAll('__schema', 'schema'));

describe('a zod schema without a conversion of its own', () => {
  it.each(Object.entries(schemas))('is converted as zod does it: %s', (_, schema) => {
    for (const io of ['input', 'output'] as const)
      expect(convertZodSchema(schema, io)).toEqual(normalize(z.toJSONSchema(schema, { io })));
  });

  it('keeps its formats, alternatives and integers', () => {
    const schema = mini.object({
      email: mini.email(),
      at: mini.iso.datetime(),
      count: mini.int().check(mini.positive()),
      either: mini.union([mini.string(), mini.number()]),
      none: mini.nullable(mini.string()),
      given: mini._default(mini.string(), 'x'),
    });
    expect(toJsonSchema(schema, 'input')).toEqual({
      type: 'object',
      properties: {
        email: { type: 'string', format: 'email' },
        at: { type: 'string', format: 'date-time' },
        count: { type: 'integer', exclusiveMinimum: 0 },
        either: { anyOf: [{ type: 'string' }, { type: 'number' }] },
        none: { anyOf: [{ type: 'string' }, { type: 'null' }] },
        given: { type: 'string', default: 'x' },
      },
      required: ['email', 'at', 'count', 'either', 'none'],
    });
  });

  it.each([mini.bigint(), mini.date(), mini.map(mini.string(), mini.string()), mini.symbol(), mini.undefined()])(
    'is refused for types that JSON does not have (%#)',
    member => {
      expect(() => toJsonSchema(mini.object({ a: member }), 'input')).toThrow(/cannot be represented in JSON Schema/);
    },
  );
});

const toBigInt = { decode: (text: string) => BigInt(text), encode: (value: bigint) => `${value}` };
const toSeconds = { decode: (value: number) => new Date(value * 1000), encode: (date: Date) => date.getTime() / 1000 };
const toUrl = { decode: (text: string) => new URL(text), encode: (url: URL) => url.href };
const toSet = { decode: (list: string[]) => new Set(list), encode: (set: Set<string>) => [...set] };
const codecs = {
  bigint: [z.codec(z.string(), z.bigint(), toBigInt), 5n, '5', { type: 'string' }],
  'date as a number': [z.codec(z.int(), z.date(), toSeconds), new Date(5000), 5, { type: 'integer' }],
  URL: [z.codec(z.url(), z.instanceof(URL), toUrl), new URL('http://a/b'), 'http://a/b', { format: 'uri' }],
  set: [z.codec(z.array(z.string()), z.set(z.string()), toSet), new Set(['a']), ['a'], { type: 'array' }],
  'bigint in a list': [z.array(z.codec(z.string(), z.bigint(), toBigInt)), [5n, 6n], ['5', '6'], { type: 'array' }],
  'number of equal type': [
    z.codec(z.int(), z.number(), { decode: cents => cents / 100, encode: euros => euros * 100 }),
    0.5,
    50,
    { type: 'integer' },
  ],
  'asynchronous bigint': [
    z.codec(z.string(), z.bigint(), { decode: async text => BigInt(text), encode: async value => `${value}` }),
    5n,
    '5',
    { type: 'string' },
  ],
} as const;

const toDate = { decode: (text: string) => new Date(text), encode: (date: Date) => date.toISOString() };

describe('the output of a tool', () => {
  it.each([
    ['zod', z.object({ at: z.date() }), new Date(0)],
    ['zod/mini', mini.object({ at: mini.date() }), new Date(0)],
    ['zod, as a codec', z.object({ at: z.codec(z.iso.datetime(), z.date(), toDate) }), new Date(0)],
    [
      'zod, as an encoded codec',
      z.object({ at: z.codec(z.iso.datetime(), z.date(), toDate) }),
      new Date(0).toISOString(),
    ],
    ['zod/mini, as a codec', mini.object({ at: mini.codec(mini.iso.datetime(), mini.date(), toDate) }), new Date(0)],
    [
      'zod/mini, as an encoded codec',
      mini.object({ at: mini.codec(mini.iso.datetime(), mini.date(), toDate) }),
      new Date(0).toISOString(),
    ],
  ] as const)('sends a date of %s as text', async (_, output, at) => {
    const run = (): never => ({ at }) as never;
    const server = createServer({ name: 'a', version: '1', tools: { now: tool({ output, run }) } });
    const client = await connectTo(createInProcessEndpoint(server));
    for await (const { outputSchema } of client.listTools())
      expect(outputSchema).toMatchObject({ properties: { at: { type: 'string', format: 'date-time' } } });
    expect(await client.callTool('now')).toMatchObject({ structuredContent: { at: '1970-01-01T00:00:00.000Z' } });
    await client.close();
  });

  it.each(Object.entries(codecs))(
    'encodes a decoded value, and keeps an encoded one: %s',
    async (_, [a, decoded, encoded, json]) => {
      const output = z.object({ a, created: z.date().optional() });
      const run = ({ value }: Record<string, unknown>): never =>
        ({ a: value === 'decoded' ? decoded : encoded }) as never;
      const server = createServer({ name: 'a', version: '1', tools: { get: tool({ output, run }) } });
      const client = await connectTo(createInProcessEndpoint(server));
      for await (const { outputSchema } of client.listTools())
        expect(outputSchema).toMatchObject({ properties: { a: json } });
      for (const value of ['decoded', 'encoded'])
        expect((await client.callTool('get', { value })).structuredContent).toEqual({ a: encoded });
      await client.close();
    },
  );

  it('refuses a value that no codec takes, with the path', async () => {
    const output = z.object({ a: z.codec(z.string(), z.bigint(), toBigInt) });
    const errors: string[] = [];
    const tools = { get: tool({ output, run: () => ({ a: 5 }) as never }) };
    const server = createServer({ name: 'a', version: '1', tools, onError: ({ message }) => errors.push(message) });
    const client = await connectTo(createInProcessEndpoint(server));
    expect((await client.callTool('get')).isError).toBe(true);
    expect(errors).toEqual([expect.stringContaining('a: Invalid input: expected string, received number')]);
    await client.close();
  });

  it('sends a codec beside a transform as the transform gives it, because nothing encodes that', async () => {
    const at = z.codec(z.iso.datetime(), z.date(), toDate);
    const output = z.object({ at, n: z.preprocess(Number, z.number()) });
    const run = (): never => ({ at: new Date(0).toISOString(), n: '5' }) as never;
    const server = createServer({ name: 'a', version: '1', tools: { get: tool({ output, run }) } });
    const client = await connectTo(createInProcessEndpoint(server));
    expect((await client.callTool('get')).structuredContent).toEqual({ at: new Date(0).toISOString(), n: 5 });
    await client.close();
  });

  it('names the codec for a type that JSON does not have', () => {
    for (const member of [z.bigint(), z.int64(), z.literal(5n), z.map(z.string(), z.string())]) {
      const tools = { get: tool({ output: z.object({ member }), run: () => ({}) as never }) };
      expect(() => createServer({ name: 'a', version: '1', tools })).toThrow(
        /the output of tool "get".*cannot be represented in JSON Schema.*codec/,
      );
    }
  });

  it('refuses types that JSON does not have, also where zod converts them itself', () => {
    expect(() => toJsonSchema(z.object({ a: z.bigint() }), 'output')).toThrow(/cannot be represented/);
    expect(() => toJsonSchema(z.object({ a: z.string().transform(Number) }), 'output')).toThrow(
      /cannot be represented/,
    );
    expect(() => toJsonSchema(z.object({ a: z.date() }), 'input')).toThrow(/cannot be represented/);
  });
});
