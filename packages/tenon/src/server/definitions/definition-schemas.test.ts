import { TenonError } from '@tenon/base';
import { connectPair } from '@tenon/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createServer } from '../server.js';
import { prompt } from './prompt.js';
import { tool } from './tool.js';

const about = { name: 's', version: '1' };
const run = () => 'x';
const withProperty = (a: unknown) => ({ type: 'object', properties: { a } });

/** The error that a definition is refused with. */
function refusal(make: () => unknown): TenonError | undefined {
  try {
    make();
    return undefined;
  } catch (error) {
    if (TenonError.is(error)) return error;
    throw error;
  }
}

describe('createServer() with an invalid JSON Schema', () => {
  it.each<[name: string, schema: { [keyword: string]: unknown }, place: string, got: string | RegExp]>([
    ['a pattern', withProperty({ type: 'string', pattern: '(' }), '/properties/a/pattern', '"("'],
    ['a pattern of names', { type: 'object', patternProperties: { '[': {} } }, '/patternProperties', '"["'],
    ['a dead reference', withProperty({ $ref: '#/$defs/nope' }), '/properties/a/$ref', '"#/$defs/nope"'],
    ['a dead anchor', withProperty({ $ref: '#nope' }), '/properties/a/$ref', '"#nope"'],
    ['another document', withProperty({ $ref: 'https://a.example/x.json' }), '/properties/a/$ref', /a\.example/],
    ['a type', withProperty({ type: 'int' }), '/properties/a/type', '"int"'],
    ['no schema', withProperty('string'), '/properties/a', '"string"'],
    ['properties that are a list', { type: 'object', properties: ['a'] }, '/properties', 'an array'],
    ['required that is a word', { type: 'object', required: 'a' }, '/required', '"a"'],
    ['required in a property', withProperty({ type: 'string', required: true }), '/properties/a/required', 'true'],
    ['a minimum', withProperty({ minimum: '1' }), '/properties/a/minimum', '"1"'],
    ['a length', withProperty({ maxLength: -1 }), '/properties/a/maxLength', '-1'],
    ['an enum', withProperty({ enum: 'a' }), '/properties/a/enum', '"a"'],
    ['one of no forms', withProperty({ anyOf: {} }), '/properties/a/anyOf', 'an object'],
    [
      'deep inside',
      withProperty({ items: { not: { oneOf: [{}, { pattern: '*' }] } } }),
      '/properties/a/items/not/oneOf/1/pattern',
      '"*"',
    ],
    ['in a definition', { type: 'object', $defs: { 'a/b': { type: 'x' } } }, '/$defs/a~1b/type', '"x"'],
  ])('refuses %s', (_name, schema, place, got) => {
    for (const [subject, make] of [
      ['the input of tool "t"', () => createServer({ ...about, tools: { t: tool({ input: schema, run }) } })],
      ['the output of tool "t"', () => createServer({ ...about, tools: { t: tool({ output: schema, run }) } })],
      ['the input of prompt "p"', () => createServer({ ...about, prompts: { p: prompt({ input: schema, run }) } })],
      [
        'the params of method "a.b/c"',
        () => createServer({ ...about, methods: { 'a.b/c': { params: schema, run: () => ({}) } } }),
      ],
    ] as const) {
      const error = refusal(make);
      expect(error).toMatchObject({
        code: 'schema/broken',
        received: typeof got === 'string' ? got : expect.stringMatching(got),
      });
      expect(error?.summary).toBe(`${subject}: invalid JSON Schema at ${place}`);
      expect(error?.message).not.toContain('cfworker');
    }
  });

  it('names the place of a value that is not JSON or cannot be converted', () => {
    const shape = { type: 'object', properties: { a: z.string() } };
    expect(refusal(() => createServer({ ...about, tools: { t: tool({ input: shape, run }) } }))).toMatchObject({
      code: 'schema/not-json',
      message: expect.stringContaining('the input of tool "t"'),
    });
    const input = z.object({ at: z.date() });
    expect(refusal(() => createServer({ ...about, tools: { t: tool({ input, run }) } }))).toMatchObject({
      code: 'schema/no-json-schema',
      message: expect.stringContaining('the input of tool "t"'),
    });
  });

  it('refuses it when a tool is added later too', () => {
    const server = createServer({ ...about, tools: {} });
    const bad = tool({ input: withProperty({ pattern: '(' }), run });
    expect(refusal(() => server.tools.set('t', bad))).toMatchObject({ code: 'schema/broken' });
    expect(server.tools.size).toBe(0);
  });
});

describe('createServer() with a valid JSON Schema', () => {
  it.each<[name: string, schema: { [keyword: string]: unknown }]>([
    [
      'references',
      { type: 'object', properties: { a: { $ref: '#/$defs/x%20y' }, b: { $ref: '#' } }, $defs: { 'x y': {} } },
    ],
    ['a reference to a part', { type: 'object', properties: { a: {}, b: { $ref: '#/properties/a' } } }],
    ['anchors', { type: 'object', properties: { a: { $ref: '#x' } }, $defs: { y: { $anchor: 'x' } } }],
    [
      'identifiers',
      {
        $id: 'https://a.example/root.json',
        type: 'object',
        properties: {
          a: { $ref: 'https://a.example/root.json#/$defs/x' },
          b: { $ref: 'x.json' },
          c: { $ref: 'https://a.example/x.json#/$defs/z' },
        },
        $defs: { x: { $id: 'x.json', $defs: { z: {} }, properties: { d: { $ref: '#/$defs/z' } } } },
      },
    ],
    ['dynamic references', { type: 'object', $dynamicAnchor: 'n', properties: { a: { $dynamicRef: '#n' } } }],
    [
      'recursive references',
      {
        $schema: 'https://json-schema.org/draft/2019-09/schema',
        type: 'object',
        $recursiveAnchor: true,
        properties: { a: { $recursiveRef: '#' } },
      },
    ],
    ['patterns of other dialects', withProperty({ pattern: '^\\d{3}\\-[\\w-.]+\\_$' })],
    [
      'words of draft-07',
      {
        $schema: 'http://json-schema.org/draft-07/schema#',
        type: 'object',
        properties: { a: { items: [{}, true] } },
        dependencies: { a: ['b'], c: { minProperties: 1 } },
        definitions: { x: {} },
      },
    ],
    [
      'data that resembles schemas',
      withProperty({
        const: { type: 'int' },
        enum: [{ pattern: '(' }],
        default: { $ref: '#/no' },
        examples: [{ required: 1 }],
      }),
    ],
    [
      'properties with the names of keywords',
      { type: 'object', properties: { pattern: { type: 'string' }, $ref: { type: 'string' }, type: {}, required: {} } },
    ],
    ['unknown keywords', withProperty({ 'x-a': { type: 'int' }, placeholder: 5 })],
  ])('accepts %s', async (_name, input) => {
    const server = createServer({ ...about, tools: { t: tool({ input, run }) } });
    const client = await connectPair(server);
    expect(await client.callTool('t', {})).toMatchObject({ content: [{ text: 'x' }] });
    await client.close();
  });
});
