import type { JsonObject } from '@tenon/base';
import { describe, expect, it } from 'vitest';
import { connectTo } from '../client/connect.js';
import { createInProcessEndpoint } from '../client/connection/endpoint.js';
import { tool } from '../server/definitions/tool.js';
import { createServer } from '../server/server.js';
import { toPortableSchema } from './portable-schema.js';

const status = { type: 'string', enum: ['on', 'off'] };

describe('a portable schema', () => {
  it.each<[string, JsonObject, JsonObject]>([
    [
      'a reference',
      { type: 'object', $defs: { status }, properties: { a: { $ref: '#/$defs/status', description: 'd' } } },
      { type: 'object', properties: { a: { ...status, description: 'd' } } },
    ],
    [
      'a reference in a reference, under either name of definitions',
      { definitions: { a: { items: { $ref: '#/definitions/b' } }, b: status }, $ref: '#/definitions/a' },
      { items: status },
    ],
    [
      'a reference beside keywords that also apply',
      { $defs: { status }, properties: { a: { $ref: '#/$defs/status', type: 'string', maxLength: 2 } } },
      { properties: { a: { allOf: [status], type: 'string', maxLength: 2 } } },
    ],
    [
      'a list of types',
      { properties: { a: { type: ['object', 'null'], properties: { b: {} }, description: 'd' } } },
      { properties: { a: { description: 'd', anyOf: [{ type: 'object', properties: { b: {} } }, { type: 'null' }] } } },
    ],
    [
      'a list of types beside bounds and alternatives',
      { type: ['integer', 'string'], minimum: 1, pattern: 'a', anyOf: [{ const: 1 }] },
      {
        allOf: [
          {
            anyOf: [
              { type: 'integer', minimum: 1 },
              { type: 'string', pattern: 'a' },
            ],
          },
          { anyOf: [{ const: 1 }] },
        ],
      },
    ],
    ['a list of one type', { type: ['string'] }, { type: 'string' }],
    [
      'a schema that is true',
      { properties: { a: true }, additionalProperties: true },
      { properties: { a: {} }, additionalProperties: true },
    ],
    [
      'data that look like schemas',
      { enum: [{ type: ['a', 'b'] }], default: { $ref: '#' } },
      { enum: [{ type: ['a', 'b'] }], default: { $ref: '#' } },
    ],
  ])('replaces %s', (_, schema, expected) => {
    expect(toPortableSchema({ $schema: 'https://json-schema.org/draft/2020-12/schema', ...schema })).toEqual(expected);
  });

  it('keeps references of a schema that refers to itself', () => {
    const node = { type: 'object', properties: { next: { $ref: '#/$defs/node' }, state: { $ref: '#/$defs/status' } } };
    const schema = { $defs: { node, status }, properties: { first: { $ref: '#/$defs/node' } } };
    const portable = toPortableSchema(schema);
    expect(portable).toHaveProperty('$defs.node');
    expect(portable).toHaveProperty('properties.first.properties.state', status);
    expect(portable).toHaveProperty('properties.first.properties.next.$ref', '#/$defs/node');
  });

  it('lists only the definitions to which a schema that refers to itself still refers', () => {
    const node = {
      type: 'object',
      properties: { next: { $ref: '#/$defs/a~1b%20c' }, deep: { $ref: '#/definitions/on/items' } },
    };
    const on = { items: { type: 'object', properties: { again: { $ref: '#/definitions/on/items' } } } };
    const schema = {
      $defs: { 'a/b c': node, status, unused: { $ref: '#/$defs/unused' } },
      definitions: { on },
      properties: { first: { $ref: '#/$defs/a~1b%20c' }, state: { $ref: '#/$defs/status' } },
    };
    const portable = toPortableSchema(schema);
    expect(Object.keys(portable.$defs as object)).toEqual(['a/b c']);
    expect(Object.keys(portable.definitions as object)).toEqual(['on']);
    const named = { $defs: { node: { $anchor: 'node', properties: { next: { $ref: '#node' } } } }, $ref: '#node' };
    expect(toPortableSchema(named)).toHaveProperty('$defs.node');
  });

  it('stays small although its references multiply', () => {
    const definitions = Object.fromEntries(
      Array.from({ length: 30 }, (_, level) => {
        const next = { $ref: `#/$defs/d${level + 1}` };
        return [`d${level}`, level === 29 ? { type: 'string' } : { properties: { a: next, b: next } }];
      }),
    );
    const portable = toPortableSchema({ $defs: definitions, properties: { root: { $ref: '#/$defs/d0' } } });
    expect(JSON.stringify(portable).length).toBeLessThan(1_000_000);
  });

  it('is listed by a server with the option, and validates calls as before', async () => {
    const input = {
      type: 'object',
      $defs: { status },
      properties: { a: { $ref: '#/$defs/status' } },
      required: ['a'],
    } as const;
    for (const portableSchemas of [false, true]) {
      const tools = { set: tool({ input, run: ({ a }) => String(a) }) };
      const client = await connectTo(
        createInProcessEndpoint(createServer({ name: 'a', version: '1', tools, portableSchemas })),
      );
      for await (const { inputSchema } of client.listTools())
        expect(inputSchema).toEqual(
          portableSchemas ? { type: 'object', properties: { a: status }, required: ['a'] } : input,
        );
      expect(await client.callTool('set', { a: 'on' })).toMatchObject({ content: [{ text: 'on' }] });
      expect(await client.callTool('set', { a: 'up' })).toMatchObject({ isError: true });
      await client.close();
    }
  });
});
