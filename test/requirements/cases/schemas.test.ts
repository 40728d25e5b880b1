import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connectPair } from '@tenon/testing';
import { createServer, type TenonError, tool, toolResult } from 'tenon';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Json } from './site.js';

/** Keywords that 2020-12 has and drafts before it do not, or have in another way, with what fits and what does not. */
const keywords: readonly [string, Json, good: Json, bad: Json][] = [
  [
    'prefixItems',
    { properties: { a: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'integer' }], items: false } } },
    { a: ['x', 1] },
    { a: ['x', 1, 2] },
  ],
  ['dependentRequired', { dependentRequired: { a: ['b'] } }, { a: 1, b: 1 }, { a: 1 }],
  ['dependentSchemas', { dependentSchemas: { a: { required: ['b'] } } }, { a: 1, b: 1 }, { a: 1 }],
  [
    'unevaluatedProperties',
    { allOf: [{ properties: { a: { type: 'string' } } }], unevaluatedProperties: false },
    { a: 'x' },
    { a: 'x', b: 1 },
  ],
  [
    'unevaluatedItems',
    { properties: { a: { type: 'array', prefixItems: [{ type: 'string' }], unevaluatedItems: false } } },
    { a: ['x'] },
    { a: ['x', 'y'] },
  ],
  [
    'minContains',
    { properties: { a: { type: 'array', contains: { const: 1 }, minContains: 2, maxContains: 2 } } },
    { a: [1, 1] },
    { a: [1] },
  ],
  [
    '$defs and $ref with a sibling',
    { $defs: { word: { type: 'string' } }, properties: { a: { $ref: '#/$defs/word', minLength: 2 } } },
    { a: 'ab' },
    { a: 'a' },
  ],
  [
    '$anchor',
    { $defs: { word: { $anchor: 'word', type: 'string' } }, properties: { a: { $ref: '#word' } } },
    { a: 'ab' },
    { a: 1 },
  ],
  [
    'if, then and else',
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    { if: { properties: { a: { const: 1 } }, required: ['a'] }, then: { required: ['b'] }, else: { required: ['c'] } },
    { a: 1, b: 1 },
    { a: 2, b: 1 },
  ],
];

describe('JSON Schema 2020-12', () => {
  it.each(
    keywords.flatMap(([name, schema, good, bad]) =>
      [{}, { $schema: 'https://json-schema.org/draft/2020-12/schema' }].map(
        dialect =>
          [
            `${name}${'$schema' in dialect ? ', named' : ', by default'}`,
            { ...dialect, type: 'object', ...schema },
            good,
            bad,
          ] as const,
      ),
    ),
  )(
    'validates arguments and results on both sides: %s [schema.dialect.support-2020-12, schema.dialect.default-2020-12, schema.dialect.validate-by-dialect]',
    async (_, schema, good, bad) => {
      const server = createServer({
        name: 's',
        version: '1',
        tools: {
          takes: tool({ input: schema as never, run: () => 'taken' }),
          gives: tool({ output: schema as never, run: () => good as never }),
          // What this one says of itself is not what it does: only the client can find out.
          lies: tool({ run: () => toolResult({ content: 'x', structuredContent: bad as never }) }),
        },
        use: [
          async (operation, next) => {
            const result = await next(operation);
            if (operation.method !== 'tools/list') return result;
            const tools = (result.tools as Json[]).map(each =>
              each.name === 'lies' ? { ...each, outputSchema: schema } : each,
            );
            return { ...result, tools };
          },
        ],
      });
      const client = await connectPair(server);
      expect(await client.callTool('takes', good as never)).toMatchObject({ content: [{ text: 'taken' }] });
      expect(await client.callTool('takes', bad as never)).toMatchObject({ isError: true });
      expect(await client.callTool('gives')).toMatchObject({ structuredContent: good });
      expect(await client.callTool('lies').catch(({ code }: TenonError) => code)).toBe('peer/invalid-result');
      await client.close();
    },
  );

  it('loads no remote reference on either side [schema.ref-network-off-by-default, schema.ref-no-network]', async () => {
    let requests = 0;
    const http = createHttpServer((_, response) => {
      requests += 1;
      response.setHeader('content-type', 'application/json').end('{"type":"string"}');
    });
    await new Promise<void>(resolve => http.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void http.close());
    const elsewhere = `http://127.0.0.1:${(http.address() as AddressInfo).port}/word.json`;
    const schema = { type: 'object', properties: { a: { $ref: elsewhere } } };
    const server = createServer({
      name: 's',
      version: '1',
      tools: { lies: tool({ run: () => toolResult({ content: 'x', structuredContent: { a: 1 } as never }) }) },
      use: [
        async (operation, next) => {
          const result = await next(operation);
          if (operation.method !== 'tools/list') return result;
          return {
            ...result,
            tools: (result.tools as Json[]).map(each => ({ ...each, outputSchema: schema, inputSchema: schema })),
          };
        },
      ],
      onError: () => {},
    });
    const client = await connectPair(server);
    await client.callTool('lies', { a: 1 }).catch(() => {});
    const offered = () =>
      createServer({
        name: 's',
        version: '1',
        tools: { takes: tool({ input: schema as never, run: () => 'taken' }) },
        onError: () => {},
      });
    const own = await Promise.resolve()
      .then(offered)
      .then(each => connectPair(each))
      .catch(() => undefined);
    await own?.callTool('takes', { a: 1 }).catch(() => {});
    expect(requests).toBe(0);
    await own?.close();
    await client.close();
  });
});
