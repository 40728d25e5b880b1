import { connectPair, protocolVersions } from '@tenon/testing';
import { type as ark } from 'arktype';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createServer } from '../server.js';
import { tool } from './tool.js';

const about = { name: 's', version: '1' };
const circle = z.object({ kind: z.literal('circle'), r: z.number() });
const square = z.object({ kind: z.literal('square'), a: z.number() });

describe.each(protocolVersions)('a union of objects, on %s', protocolVersion => {
  it.each<[name: string, schema: z.ZodType]>([
    ['a union', z.union([circle, square])],
    ['a discriminated union', z.discriminatedUnion('kind', [circle, square])],
    ['an intersection', z.intersection(z.object({ kind: z.literal('circle') }), z.object({ r: z.number() }))],
    ['arktype', ark({ kind: "'circle'", r: 'number' }).or({ kind: "'square'", a: 'number' }) as never],
    ['JSON Schema', { anyOf: [{ $ref: '#/$defs/c' }, { type: 'object' }], $defs: { c: { type: 'object' } } } as never],
  ])('validates input and output: %s', async (_name, schema) => {
    const t = tool({ input: schema, output: schema, run: shape => shape as never });
    const server = createServer({ ...about, tools: { t } });
    const client = await connectPair(server, { protocolVersion });
    const [listed] = (await client.call('tools/list')).tools;
    expect(listed?.inputSchema.type).toBe('object');
    if (listed?.outputSchema) expect(listed.outputSchema).toMatchObject({ type: 'object' });
    expect(listed?.outputSchema ?? {}).not.toHaveProperty('x-tenon-wrapped');
    const shape = { kind: 'circle', r: 1 };
    const result = await client.callTool('t', shape);
    expect(result).toMatchObject({ content: [{ type: 'text', text: JSON.stringify(shape) }] });
    if (listed?.outputSchema) expect(result.structuredContent).toEqual(shape);
    await client.close();
  });

  it('refuses a union with a non-object as input, and wraps it as output', async () => {
    const mixed = z.union([circle, z.string()]);
    const make = () => createServer({ ...about, tools: { t: tool({ input: mixed as never, run: () => '' }) } });
    expect(make).toThrow(expect.objectContaining({ code: 'tool/input' }));
    const server = createServer({ ...about, tools: { t: tool({ output: mixed, run: () => 'text' }) } });
    const client = await connectPair(server, { protocolVersion });
    expect(await client.callTool('t')).toMatchObject({ content: [{ text: '"text"' }] });
    await client.close();
  });

  it('validates by the original schema', async () => {
    const t = tool({ input: z.union([circle, square]), run: ({ kind }) => kind });
    const client = await connectPair(createServer({ ...about, tools: { t } }), { protocolVersion });
    const called = await client.callTool('t', { kind: 'line' }).then(
      ({ isError }) => isError,
      ({ rpcCode }) => rpcCode,
    );
    expect([true, -32602]).toContain(called);
    await client.close();
  });
});

describe.each(protocolVersions)('a tool without input, on %s', protocolVersion => {
  it('gets no arguments, as its schema states', async () => {
    const seen: unknown[] = [];
    const t = tool({ run: input => void seen.push(input) });
    const client = await connectPair(createServer({ ...about, tools: { t } }), { protocolVersion });
    expect((await client.call('tools/list')).tools[0]?.inputSchema).toMatchObject({ additionalProperties: false });
    await client.callTool('t', { a: 1 });
    await client.callTool('t');
    expect(seen).toEqual([{}, {}]);
    await client.close();
  });
});
