import type { TenonError } from '@tenon/base';
import { connectPair, protocolVersions } from '@tenon/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Client } from '../../../client/client.js';
import { toolResult } from '../../../handler/tool-result.js';
import { withJsonSchema } from '../../../schemas/json-schema.js';
import { prompt } from '../../definitions/prompt.js';
import { resource } from '../../definitions/resource.js';
import { type ToolDefinition, tool } from '../../definitions/tool.js';
import { createServer } from '../../server.js';

const text = (value: string) => ({ type: 'text' as const, text: value });
const image = { type: 'image' as const, data: 'AA==', mimeType: 'image/png' };
const count = z.object({ n: z.number() });

function circle(): object {
  const value: { self?: object } = {};
  value.self = value;
  return value;
}
class Closed {
  readonly #value = 1;
  get value() {
    return this.#value;
  }
}
async function* stream() {
  yield 1;
}

let client: Client | undefined;
afterEach(() => client?.close());

/** Calls one tool, and returns its result and the errors that the server reported. */
async function call(definition: ToolDefinition, protocolVersion = '2026-07-28') {
  const errors: TenonError[] = [];
  const server = createServer({ name: 's', version: '1', tools: { t: definition }, onError: e => errors.push(e) });
  client = await connectPair(server, { protocolVersion, validate: 'off' });
  const { content, isError, structuredContent } = await client.callTool('t');
  return { content, isError, structuredContent, errors };
}

describe.each<[name: string, make: () => unknown, got: string]>([
  ['a Map', () => new Map([['a', 1]]), 'a Map'],
  ['a Set', () => new Set([1]), 'a Set'],
  ['an Error', () => Object.assign(new Error('no'), { errno: 1 }), 'an Error'],
  ['a Response', () => new Response('x'), 'a Response'],
  ['a generator', () => stream(), 'an AsyncGenerator'],
  ['a function', () => () => 1, 'a function'],
  ['bytes', () => new Uint8Array([1, 2]), 'a Uint8Array'],
  ['a Buffer', () => Buffer.from('x'), 'a Uint8Array'],
  ['no bytes', () => new Uint8Array(), 'a Uint8Array'],
  ['a BigInt', () => 5n, 'a bigint'],
  ['an object that contains itself', circle, 'a reference to / at /self'],
  ['an object whose values are private', () => new Closed(), 'a Closed'],
  ['a Map inside', () => ({ a: [{ b: new Map() }] }), 'a Map at /a/0/b'],
  ['a BigInt inside', () => ({ 'a/b': 5n }), 'a bigint at /a~1b'],
  ['bytes inside', () => ({ data: new Uint8Array([1]) }), 'a Uint8Array at /data'],
  ['a number that is not finite', () => Number.NaN, 'NaN'],
  ['a number inside that is not finite', () => ({ a: [-1 / 0] }), '-Infinity at /a/0'],
  ['a promise inside', () => ({ data: Promise.resolve(1) }), 'a Promise at /data'],
])('a tool that returns %s', (_name, make, got) => {
  const expected = {
    code: 'handler/output',
    received: got,
    summary: 'tool "t": the result cannot be serialized as JSON',
  };

  it('fails with an error that names the tool and the value', async () => {
    const { content, isError, errors } = await call(tool({ run: () => make() as object }));
    expect({ content, isError }).toEqual({ content: [text('Tool t failed')], isError: true });
    expect(errors).toMatchObject([expected]);
    expect(errors[0]?.hint).toBeTruthy();
  });

  it('fails likewise for structured content', async () => {
    const both = { content: 'x', structuredContent: [make()] };
    const { isError, errors } = await call(tool({ output: z.any(), run: () => toolResult(both) }));
    expect(isError).toBe(true);
    expect(errors).toMatchObject([{ code: 'handler/output', summary: expected.summary }]);
    const alone = await call(tool({ output: z.any(), run: () => make() as object }));
    expect(alone.errors).toMatchObject([expected]);
  });
});

describe('a tool that returns a value that JSON can carry', () => {
  it.each([
    ['an empty object', {}, '{}'],
    ['an empty object inside', { a: {} }, '{"a":{}}'],
    ['an object without a prototype', Object.assign(Object.create(null), { a: {} }), '{"a":{}}'],
    ['a date', { at: new Date(0), more: {} }, '{"at":"1970-01-01T00:00:00.000Z","more":{}}'],
    ['an instance with members', Object.assign(new Closed(), { a: {} }), '{"a":{}}'],
    ['members that are functions or undefined', { a: {}, f: () => 1, u: undefined }, '{"a":{}}'],
    ['the same object twice', [{}, {}].map((_, at, all) => all[at && 0]), '[{},{}]'],
    ['an empty list', [], '[]'],
    ['null', { a: null }, '{"a":null}'],
    ['text about an empty object', ['{}', 1], '["{}",1]'],
  ])('sends %s', async (_name, value, expected) => {
    const { content, errors } = await call(tool({ run: () => value }));
    expect({ content, errors }).toEqual({ content: [text(expected)], errors: [] });
  });
});

describe.each([
  ['isError that is text', { isError: 'no' }, 'true or false', 'a string'],
  ['isError that is a number', { isError: 1 }, 'true or false', 'a number'],
  ['_meta that is text', { _meta: 'm' }, 'an object', 'a string'],
])('%s in a result', (_name, member, expected, received) => {
  const result = { content: [text('x')], ...member };
  it.each([
    ['in the form of the specification', tool({ run: () => result as object })],
    [
      'with structured content',
      tool({ output: count, run: () => ({ ...result, structuredContent: { n: 1 } }) as never }),
    ],
    ['of toolResult', tool({ run: () => toolResult(result as object) })],
  ])('is reported: %s', async (__, definition) => {
    const { isError, errors } = await call(definition);
    const hint = `return ${expected}`;
    expect({ isError, errors }).toMatchObject({
      isError: true,
      errors: [{ code: 'handler/output', expected, received, hint }],
    });
  });
});

describe.each(protocolVersions)('a tool that returns a CallToolResult, on %s', version => {
  it('sends the result unchanged', async () => {
    const { content, isError } = await call(
      tool({ run: () => ({ content: [text('no'), image], isError: true, _meta: { 'a.example/b': 1 } }) }),
      version,
    );
    expect({ content, isError }).toEqual({ content: [text('no'), image], isError: true });
  });

  it('validates structured content against the output schema', async () => {
    const right = await call(
      tool({ output: count, run: () => ({ content: [text('one')], structuredContent: { n: 1 } }) }),
      version,
    );
    expect(right).toMatchObject({ content: [text('one')], errors: [] });
    const lost = await call(tool({ output: { type: 'object' } as const, run: () => ({ n: Number.NaN }) }), version);
    expect(lost).toMatchObject({ isError: true, errors: [{ code: 'handler/output', received: 'NaN at /n' }] });
    const wrong = await call(
      tool({ output: count, run: () => ({ content: [text('one')], structuredContent: { n: 'x' } }) as never }),
      version,
    );
    expect(wrong).toMatchObject({ isError: true, errors: [{ code: 'handler/output' }] });
    const failed = await call(tool({ output: count, run: () => ({ content: [text('no')], isError: true }) }), version);
    expect(failed).toMatchObject({ content: [text('no')], isError: true, errors: [] });
  });
});

describe.each(protocolVersions)('a tool that returns undefined for an optional output, on %s', version => {
  it.each([
    ['fails if the schema has no null', z.object({}).optional(), 'Tool t failed', ['handler/output']],
    ['sends null if the schema has it', z.string().nullish(), 'null', []],
  ])('%s', async (_name, output, sent, codes) => {
    const { content, errors } = await call(tool({ output, run: () => undefined }), version);
    expect(content).toEqual([text(sent)]);
    expect(errors.map(({ code }) => code)).toEqual(codes);
  });
});

describe('a tool that returns structured content with `toJSON`', () => {
  class Money {
    readonly amount = 5;
    toJSON() {
      return '5 EUR';
    }
  }
  const textSchema = { type: 'object', properties: { price: { type: 'string' } } } as const;
  const objectSchema = { type: 'object', properties: { price: { type: 'object' } } } as const;
  const custom = withJsonSchema(z.object({ price: z.instanceof(Money) }), textSchema);

  it.each([
    ['a JSON Schema', textSchema],
    ['a schema of zod with a JSON Schema of its own', custom],
    ['a schema that accepts everything', z.any()],
  ])('sends the result of `toJSON`, which %s accepts', async (_, output) => {
    const price = new Money();
    for (const value of [{ price }, toolResult({ content: 'x', structuredContent: { price } })])
      expect(await call(tool({ output: output as typeof textSchema, run: () => value as never }))).toMatchObject({
        structuredContent: { price: '5 EUR' },
        errors: [],
      });
  });

  it.each([
    ['a JSON Schema', objectSchema],
    ['a schema of zod', withJsonSchema(z.object({ price: z.instanceof(Money) }), objectSchema)],
  ])('fails if %s accepts the value, and not the result of `toJSON`', async (_, output) => {
    const value = { price: new Money() };
    const { isError, errors } = await call(tool({ output: output as typeof objectSchema, run: () => value as never }));
    expect(isError).toBe(true);
    expect(errors).toMatchObject([{ code: 'handler/output', message: expect.stringContaining('at /price') }]);
  });

  it('names a Map beside it, and a method that throws', async () => {
    const output = { type: 'object' } as const;
    const lost = await call(tool({ output, run: () => ({ price: new Money(), of: new Map() }) as never }));
    expect(lost.errors).toMatchObject([{ code: 'handler/output', received: 'a Map at /of' }]);
    const toJSON = () => {
      throw new Error('no rate');
    };
    const threw = await call(tool({ output, run: () => ({ price: { toJSON } }) as never }));
    expect(threw).toMatchObject({ isError: true, errors: [{ code: 'handler/output' }] });
  });
});

describe.each(protocolVersions)('a tool that returns no content, on %s', version => {
  it.each<[name: string, value: unknown, shown: string]>([
    ['nothing', undefined, ''],
    ['an empty reply', toolResult({}), ''],
    ['a reply with no blocks', toolResult({ content: [] }), ''],
    ['a reply that fails without words', toolResult({ content: [], isError: true }), ''],
    ['a reply that fails with data', toolResult({ structuredContent: { n: 1 }, isError: true }), '{"n":1}'],
    ['a reply with data and no blocks', toolResult({ structuredContent: { n: 1 }, content: [] }), '{"n":1}'],
    ['a result with no blocks', { content: [] }, ''],
  ])('sends one text block for %s', async (_name, value, shown) => {
    expect((await call(tool({ run: () => value as object }), version)).content).toEqual([text(shown)]);
  });
});

describe('a tool that returns data similar to a result', () => {
  it.each([
    ['has other members', { content: [text('a')], title: 'b' }],
    ['has content without types', { content: ['a', 'b'] }],
    ['has content that is no list', { content: 'a' }],
  ])('sends data that %s', async (_name, value) => {
    expect(await call(tool({ run: () => value }))).toMatchObject({ content: [text(JSON.stringify(value))] });
  });

  it('sends data that fits the output schema', async () => {
    const output = z.object({ content: z.array(z.object({ type: z.string(), text: z.string() })) });
    const value = { content: [text('a')] };
    expect(await call(tool({ output, run: () => value }))).toMatchObject({ structuredContent: value, errors: [] });
  });
});

describe('a tool that returns an invalid content block', () => {
  it.each([
    ['a misspelt type', { type: 'txt', text: 'a' }, 'the type "txt"', /"text"/],
    ['a missing member', { type: 'image', data: 'AA==' }, '/mimeType', undefined],
    ['bytes for base64', { type: 'image', data: new Uint8Array(1), mimeType: 'image/png' }, '/data', /base64/],
    ['an empty embedded resource', { type: 'resource', resource: { uri: 'a:b' } }, '/resource', undefined],
    ['a number', 5, 'a number', undefined],
  ])('fails for a block in a result: %s', async (_name, block, got, next) => {
    for (const value of [toolResult({ content: [text('a'), block] as never }), { content: [text('a'), block] }]) {
      if (typeof block === 'number' && !(Symbol.for('tenon.tool-result') in value)) continue;
      const { isError, errors } = await call(tool({ run: () => value }));
      expect(isError).toBe(true);
      expect(errors).toHaveLength(1);
      expect(errors[0]?.message).toMatch(/^tenon \S+ \(2026-07-28\), tools\/call t: /);
      expect(errors[0]).toMatchObject({
        code: 'handler/output',
        summary: 'tool "t": the content block at /content/1 is invalid',
        received: expect.stringContaining(got),
      });
      if (next) expect(errors[0]?.hint).toMatch(next);
    }
  });

  it('sends a returned block as data, and reports it once', async () => {
    const block = { type: 'txt', text: 'a' };
    for (const value of [block, ['a', block]]) {
      const errors: TenonError[] = [];
      const t = tool({ run: () => value });
      const server = createServer({ name: 's', version: '1', tools: { t }, onError: e => errors.push(e) });
      client = await connectPair(server);
      for (let times = 0; times < 2; times++)
        expect(await client.callTool('t')).toMatchObject({ content: [text(JSON.stringify(value))] });
      expect(errors).toMatchObject([{ code: 'handler/content', received: 'the type "txt"' }]);
      expect(errors[0]?.hint).toMatch(/"text"/);
      await client.close();
    }
  });

  it('reports nothing for data with members of its own', async () => {
    const { errors } = await call(
      tool({
        run: () => [
          { type: 'test', passed: true },
          { type: 'text', name: 'email', required: true },
        ],
      }),
    );
    expect(errors).toEqual([]);
  });
});

describe('a resource', () => {
  const read = async (value: unknown) => {
    const errors: TenonError[] = [];
    const resources = { 'a:b': resource({ mimeType: 'text/plain', read: () => value as string }) };
    const server = createServer({ name: 's', version: '1', resources, onError: e => errors.push(e) });
    client = await connectPair(server);
    const result = await client.readResource('a:b').catch((error: TenonError) => error.rpcCode);
    return { result, errors };
  };

  it.each([
    ['contents without text or blob', { uri: 'a:b' }, 'an object with the keys uri'],
    ['data', { a: 1, b: 2 }, 'an object with the keys a, b'],
    ['bytes as blob', { blob: new Uint8Array(1) }, 'a Uint8Array as blob'],
    ['a Map', new Map(), 'a Map'],
    ['a buffer', new ArrayBuffer(1), 'an ArrayBuffer'],
    ['null', null, 'null'],
    ['a function', () => 1, 'a function'],
    ['a list with one of them', ['a', { text: 5 }], 'a number as text'],
  ])('fails with an error that names the resource and the value: %s', async (_name, value, got) => {
    const { result, errors } = await read(value);
    expect(result).toBe(-32603);
    expect(errors).toMatchObject([{ code: 'handler/output', received: expect.stringContaining(got) }]);
    expect(errors[0]?.message).toContain('resource "a:b"');
  });

  it('accepts a ReadResourceResult', async () => {
    const contents = [{ uri: 'a:b', text: 'x' }];
    expect((await read({ contents })).result).toMatchObject({ contents });
    const bad = await read({ contents: [{ uri: 'a:b' }] });
    expect(bad).toMatchObject({ result: -32603, errors: [{ code: 'handler/output' }] });
  });
});

describe('a custom method', () => {
  it.each([5, undefined, [1], new Map(), { a: 5n }])('fails for the return value %s', async value => {
    const errors: TenonError[] = [];
    const methods = { 'a.example/m': { run: () => value as never } };
    const server = createServer({ name: 's', version: '1', methods, onError: e => errors.push(e) });
    client = await connectPair(server);
    await expect(client.call('a.example/m')).rejects.toMatchObject({ rpcCode: -32603 });
    expect(errors).toMatchObject([{ message: expect.stringContaining('method "a.example/m"') }]);
  });
});

describe('a completer', () => {
  it.each([undefined, null, 'a', { value: ['a'] }])('fails for the return value %s', async value => {
    const errors: TenonError[] = [];
    const input = { type: 'object', properties: { a: { type: 'string' } } } as const;
    const prompts = { p: prompt({ input, complete: { a: () => value as never }, run: () => '' }) };
    const server = createServer({ name: 's', version: '1', prompts, onError: e => errors.push(e) });
    client = await connectPair(server);
    const params = { ref: { type: 'ref/prompt', name: 'p' }, argument: { name: 'a', value: '' } } as const;
    await expect(client.complete(params)).rejects.toMatchObject({ rpcCode: -32603 });
    expect(errors).toMatchObject([{ code: 'handler/output', message: expect.stringContaining('"a"') }]);
  });
});

describe('a prompt', () => {
  it.each([undefined, 5, new Map(), [{ type: 'txt', text: 'a' }]])('fails for the return value %s', async value => {
    const errors: TenonError[] = [];
    const prompts = { p: prompt({ run: () => value as never }) };
    const server = createServer({ name: 's', version: '1', prompts, onError: e => errors.push(e) });
    client = await connectPair(server);
    await expect(client.call('prompts/get', { name: 'p' })).rejects.toMatchObject({ rpcCode: -32603 });
    expect(errors).toMatchObject([{ code: 'handler/output', message: expect.stringContaining('prompt "p"') }]);
  });
});
