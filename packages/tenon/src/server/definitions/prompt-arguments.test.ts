import { TenonError } from '@tenon/base';
import { connectPair, protocolVersions } from '@tenon/testing';
import { type as ark } from 'arktype';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createServer } from '../server.js';
import { prompt } from './prompt.js';

const about = { name: 's', version: '1' };

describe.each(protocolVersions)('arguments of a prompt, on %s', protocolVersion => {
  it('have the types of the schema on both sides, and are text on the wire', async () => {
    const seen: unknown[] = [];
    const sent: unknown[] = [];
    const input = z.object({
      days: z.number().int(),
      warm: z.boolean().optional(),
      size: z.literal([1, 2]).optional(),
      either: z.union([z.number(), z.string()]).optional(),
      maybe: z.number().nullable().optional(),
      title: z.string().optional(),
      code: z.string().optional(),
    });
    const server = createServer({
      ...about,
      prompts: { p: prompt({ input, run: given => `${seen.push(given)}` }) },
    });
    const client = await connectPair<typeof server>(server, {
      protocolVersion,
      onMessage: (from, message) => {
        const { method, params } = message as { method?: string; params?: { arguments?: unknown } };
        if (from === 'client' && method === 'prompts/get') sent.push(params?.arguments);
      },
    });
    await client.prompts.p({ days: 3, warm: false, size: 2, either: 5, maybe: 1.5, title: 'x', code: '007' });
    expect(sent).toEqual([{ days: '3', warm: 'false', size: '2', either: '5', maybe: '1.5', title: 'x', code: '007' }]);
    expect(seen).toEqual([{ days: 3, warm: false, size: 2, either: '5', maybe: 1.5, title: 'x', code: '007' }]);
    await client.prompts.p({ days: -1, title: undefined });
    expect([sent[1], seen[1]]).toEqual([{ days: '-1' }, { days: -1 }]);
    await client.close();
  });

  it('reject text that does not fit', async () => {
    const server = createServer({
      ...about,
      prompts: { p: prompt({ input: z.object({ days: z.number(), warm: z.boolean() }), run: () => 'x' }) },
    });
    const client = await connectPair(server, { protocolVersion });
    for (const days of ['', ' ', 'three', '0x10', '1e999', 'NaN', '3 days']) {
      const given = { name: 'p', arguments: { days, warm: 'true' } };
      await expect(client.call('prompts/get', given)).rejects.toMatchObject({ rpcCode: -32602 });
    }
    const given = { name: 'p', arguments: { days: '1', warm: 'yes' } };
    await expect(client.call('prompts/get', given)).rejects.toMatchObject({ rpcCode: -32602 });
    await client.close();
  });
});

describe('prompt arguments by schemas of any kind', () => {
  const tree = { type: 'object', properties: { n: { $ref: '#/$defs/n' } }, $defs: { n: { type: 'integer' } } } as const;
  it.each<[name: string, input: object, given: object, seen: object]>([
    ['JSON Schema with a reference', tree, { n: '5' }, { n: 5 }],
    [
      'JSON Schema with several types',
      { type: 'object', properties: { n: { type: ['number', 'null'] } } },
      { n: '5' },
      { n: 5 },
    ],
    [
      'JSON Schema with an enum',
      { type: 'object', properties: { n: { enum: [1, true] }, m: { enum: ['1', 1] } } },
      { n: 'true', m: '1' },
      { n: true, m: '1' },
    ],
    ['arktype', ark({ n: 'number' }), { n: '5' }, { n: 5 }],
    [
      'coercion of the library',
      z.object({ n: z.coerce.number(), b: z.coerce.boolean() }),
      { n: '5', b: 'false' },
      { n: 5, b: false },
    ],
    ['a transform', z.object({ n: z.string().transform(Number) }), { n: '5' }, { n: 5 }],
    ['anything', z.object({ n: z.any() }), { n: '5' }, { n: '5' }],
    [
      'forms that exclude each other',
      z.union([z.object({ n: z.number() }), z.object({ b: z.boolean() })]),
      { b: 'true' },
      { b: true },
    ],
  ])('convert %s', async (_name, input, given, seen) => {
    const seenBy: unknown[] = [];
    const p = prompt({ input: input as z.ZodType, run: value => `${seenBy.push(value)}` });
    const server = createServer({ ...about, prompts: { p } });
    const client = await connectPair(server);
    await client.call('prompts/get', { name: 'p', arguments: given as { [name: string]: string } });
    expect(seenBy).toEqual([seen]);
    const listed = (await client.call('prompts/list')).prompts[0]?.arguments?.map(({ name }) => name);
    expect(listed).toEqual(expect.arrayContaining(Object.keys(given)));
    await client.close();
  });

  it.each([
    ['an object', z.object({ a: z.object({ b: z.string() }) }), '"a"'],
    ['a list', z.object({ a: z.string(), b: z.array(z.string()) }), '"b"'],
    ['an object by JSON Schema', { type: 'object', properties: { c: { type: 'object' } } }, '"c"'],
    ['no object at all', z.string(), 'not an object'],
  ])('are refused at definition where text cannot carry them: %s', (_name, input, says) => {
    const make = () =>
      createServer({ ...about, prompts: { p: prompt({ input: input as z.ZodType, run: () => 'x' }) } });
    expect(make).toThrow(expect.objectContaining({ code: 'prompt/input', message: expect.stringContaining(says) }));
    expect(make).toThrow(/prompt "p"/);
  });
});

describe('getPrompt() with arguments that are not scalar', () => {
  it.each([[{ a: {} }], [{ a: [1] }], [{ a: null }], [{ a: Number.NaN }], [{ a: () => 1 }]])(
    'rejects %j',
    async given => {
      const client = await connectPair(createServer({ ...about, prompts: { p: prompt({ run: () => 'x' }) } }));
      const error: unknown = await client.prompts.p?.(given as never).catch((thrown: unknown) => thrown);
      expect(TenonError.is(error) && [error.code, error.message.includes('"a"')]).toEqual(['call/argument', true]);
      await client.close();
    },
  );
});
