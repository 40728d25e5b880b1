import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../jsonrpc/message.js';
import type { Tool } from '../../protocol/content.js';
import { compilePeerSchema } from '../../schemas/peer-schema.js';
import { partsOf, refusals } from './fixtures/provider-checks.js';
import { project } from './project.js';
import type { ModelProvider } from './provider.js';

const PROVIDERS: readonly ModelProvider[] = ['anthropic', 'openai', 'openai-strict', 'gemini', 'ai-sdk'];
const tool = (inputSchema: unknown, name = 'x'): Tool => ({ name, description: 'Does it.', inputSchema }) as Tool;
const object = (properties: unknown, more: object = {}) => ({ type: 'object', properties, ...more });
const text = { type: 'string' };

/** Schemas that made some provider refuse a whole request, and worse. */
const NASTY: Record<string, unknown> = {
  'nothing at all': { type: 'object' },
  'no type': {},
  'a root of two types': { type: ['object', 'null'], properties: { a: text } },
  'alternatives that require': object({ a: text, b: text }, { anyOf: [{ required: ['a'] }, { required: ['b'] }] }),
  'alternatives at the root': {
    type: 'object',
    oneOf: [object({ a: text }, { required: ['a'] }), object({ b: { type: 'number' } })],
  },
  'allOf at the root': {
    allOf: [object({ a: text }), { $ref: '#/$defs/B' }],
    $defs: { B: object({ b: text }, { required: ['b'] }) },
  },
  'not at the root': object({ a: text }, { not: { required: ['a'] }, const: {}, enum: [{}] }),
  'a recursive definition': object(
    { tree: { $ref: '#/$defs/T' } },
    { $defs: { T: object({ kids: { type: 'array', items: { $ref: '#/$defs/T' } } }) } },
  ),
  'a root inside itself': object({ again: { $ref: '#' }, n: text }),
  'definitions that fan out': object(
    { a: { $ref: '#/$defs/A0' } },
    {
      $defs: Object.fromEntries(
        Array.from({ length: 12 }, (_, i) => [
          `A${i}`,
          object(Object.fromEntries(Array.from({ length: 12 }, (_, j) => [`p${j}`, { $ref: `#/$defs/A${j}` }]))),
        ]),
      ),
    },
  ),
  'an anchor and an escaped pointer': object(
    { a: { $ref: '#here' }, b: { $ref: '#/$defs/a~1b%25' } },
    { $defs: { h: { $anchor: 'here', type: 'string' }, 'a/b%': { type: 'integer' } } },
  ),
  'a reference with more beside it': object(
    { a: { $ref: '#/$defs/S', minLength: 3, description: 'Mine' } },
    { $defs: { S: { type: 'string', description: 'Its' } } },
  ),
  'bad keys': object(
    { 'filter[id]': text, $top: text, 'a b': text, [`k${'x'.repeat(80)}`]: text, '@type': text, ünï: text, '': text },
    { required: ['$top'] },
  ),
  'keys of objects': object(JSON.parse('{"__proto__":{"type":"string"},"constructor":{"type":"string"}}'), {
    required: ['constructor'],
  }),
  'required without properties': object({}, { required: ['a', 'toString'] }),
  'free maps': object({
    m: { type: 'object' },
    n: { type: 'object', additionalProperties: text },
    a: {},
    t: true,
    f: false,
  }),
  'a map at the root': { type: 'object', additionalProperties: { type: 'number' } },
  'further properties': object(
    { a: text },
    { additionalProperties: { type: 'number' }, patternProperties: { '^x-': {} } },
  ),
  'arrays without items': object({
    a: { type: 'array' },
    b: { type: 'array', items: [text, { type: 'number' }] },
    c: { type: 'array', prefixItems: [text, text], items: false, uniqueItems: true },
  }),
  'null in all manners': object({
    a: { type: ['string', 'null'] },
    b: { anyOf: [text, { type: 'null' }] },
    c: { type: 'null' },
    d: { enum: ['x', null] },
    e: { const: null },
    f: { type: 'string', nullable: true },
  }),
  'values of all types': object({
    a: { enum: [1, 2] },
    b: { enum: ['', 'x'] },
    c: { enum: [1, '1', true, null, { a: 1 }] },
    d: { const: true },
    e: { enum: [1, 1.5] },
    g: { enum: [] },
  }),
  'thousands of values': object({ a: { enum: Array.from({ length: 3_000 }, (_, i) => `v${i}`) } }),
  'words of earlier drafts': {
    $schema: 'http://json-schema.org/draft-04/schema#',
    id: 'x',
    ...object(
      {
        n: { type: 'number', minimum: 1, exclusiveMinimum: true, required: true },
        u: { type: 'any' },
        dep: { type: 'file' },
      },
      { dependencies: { n: ['u'], u: { required: ['n'] } } },
    ),
  },
  'formats and patterns': object({
    u: { type: 'string', format: 'uri' },
    p: { type: 'string', pattern: '(?<!a)b', minLength: 3 },
    q: { type: 'string', pattern: '[' },
    d: { type: 'string', format: 'date-time' },
  }),
  conditions: object(
    { a: text, b: text },
    {
      if: { properties: { a: { const: 'x' } } },
      // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
      then: { required: ['b'] },
      dependentRequired: { a: ['b'] },
      propertyNames: { maxLength: 5 },
    },
  ),
  'several types': object({ a: { type: ['string', 'number', 'object', 'array', 'null'], description: 'Many' } }),
  'values where schemas should be': object(
    { a: { type: 5, enum: 'x', description: 7, properties: 3, required: 'a', minimum: 'low' } },
    { required: { a: 1 }, description: 5 },
  ),
  'alternatives inside alternatives': object({
    a: {
      anyOf: [{ oneOf: [text, { type: 'number' }] }, { type: 'array', items: { anyOf: [text, { type: 'null' }] } }, {}],
    },
  }),
  'an intersection': object({
    a: {
      allOf: [object({ x: text }), object({ y: text }, { required: ['y'] })],
      anyOf: [{ required: ['x'] }, { required: ['y'] }],
    },
  }),
  'very deep': Array.from({ length: 40 }).reduce((inner: unknown) => object({ d: inner }), text),
  'an unknown property called properties': object({
    properties: object({ format: text, type: text, enum: text }),
    format: { type: 'string' },
    items: text,
  }),
};

describe.each(PROVIDERS)('project for %s', provider => {
  it.each(Object.entries(NASTY))('makes what is accepted of %s', (_, schema) => {
    const { tools, quarantined } = project([tool(schema)], provider);
    expect(quarantined).toEqual([]);
    expect(refusals(provider, tools[0])).toEqual([]);
  });

  it.each<[string, unknown, RegExp]>([
    ['no schema', undefined, /no input schema/],
    ['a list', [], /no input schema/],
    ['arguments that are no object', { type: 'string' }, /takes no object/],
    [
      'a reference to elsewhere',
      object({ a: { $ref: 'https://example.com/x.json' } }),
      /refers to https:\/\/example.com/,
    ],
    ['a reference to nothing', object({ a: { $ref: '#/$defs/none' } }), /not part of it/],
    ['a part that is no schema', object({ a: 5 }), /neither an object nor a boolean/],
    [
      'too many parts',
      object(Object.fromEntries(Array.from({ length: 4_000 }, (_, i) => [`p${i}`, text]))),
      /more than/,
    ],
    ['too much text', object({ a: { type: 'string', description: 'x'.repeat(200_000) } }), /more than/],
    [
      'bottomless nesting',
      Array.from({ length: 20_000 }).reduce((inner: unknown) => object({ d: inner }), text),
      /cannot be read|more than/,
    ],
  ])('puts %s into quarantine, and nothing else', (_, schema, reason) => {
    const good = tool(object({ a: text }), 'good');
    const { tools, quarantined, original } = project([tool(schema, 'bad'), good], provider);
    expect(quarantined).toEqual([{ name: 'bad', reason: expect.stringMatching(reason) }]);
    expect(tools).toEqual(project([good], provider).tools);
    expect(original('bad')).toBeUndefined();
  });

  it('gives names that are accepted, each once, and leads them back', () => {
    const names = ['ok', 'a.b', 'a b', 'x'.repeat(65), 'x'.repeat(128), '1st', '-a', '', 'ünï', '__proto__'];
    const { tools, original, quarantined } = project(
      [...names, 'ok'].map(name => tool({ type: 'object' }, name)),
      provider,
    );
    expect(quarantined).toEqual([{ name: 'ok', reason: 'another tool has the same name' }]);
    const outers = tools.map(each => partsOf(each)[0]);
    expect(outers.map(original)).toEqual(names);
    expect(new Set(outers).size).toBe(names.length);
    for (const each of tools) expect(refusals(provider, each)).toEqual([]);
    expect(outers[0]).toBe('ok');
    expect(original('other')).toBeUndefined();
  });
});

describe('arguments', () => {
  const back = (provider: ModelProvider, schema: unknown, args: JsonObject) =>
    project([tool(schema)], provider).arguments('x', args);

  it('lose the nulls that left a property out, and no others', () => {
    const schema = object(
      {
        a: text,
        b: { type: ['string', 'null'] },
        c: { anyOf: [text, { type: 'null' }], default: null },
        d: { type: ['string', 'null'] },
        e: {},
      },
      { required: ['d'] },
    );
    const given = { a: null, b: null, c: null, d: null, e: null };
    expect(back('openai-strict', schema, given)).toEqual({ d: null });
    expect(back('openai-strict', schema, { ...given, b: { value: null }, e: 'null' })).toEqual({
      b: null,
      d: null,
      e: null,
    });
    expect(back('openai-strict', schema, { ...given, b: { value: 'x' }, a: 'y' })).toEqual({ a: 'y', b: 'x', d: null });
    expect(back('gemini', schema, { b: null, d: 'x' })).toEqual({ b: null, d: 'x' });
  });

  it('are mended at every depth', () => {
    const item = object({ 'x y': text, kind: { enum: [1, 2] }, free: { type: 'object' } }, { required: ['kind'] });
    const schema = object({ list: { type: 'array', items: item } }, { required: ['list'] });
    for (const provider of ['openai-strict', 'gemini'] as const) {
      const [, written] = partsOf(project([tool(schema)], provider).tools[0]);
      const keys = Object.keys(
        (written as { properties: { list: { items: { properties: object } } } }).properties.list.items.properties,
      );
      const kind = provider === 'gemini' ? '2' : 2;
      expect(back(provider, schema, { list: [{ [keys[0]!]: 'v', kind, free: '{"a":[1]}' }] })).toEqual({
        list: [{ 'x y': 'v', kind: 2, free: { a: [1] } }],
      });
    }
  });

  it('are taken out of the property that stood for alternatives', () => {
    const schema = {
      type: 'object',
      oneOf: [
        object({ a: text }, { required: ['a'] }),
        object({ b: { type: 'number' }, c: text }, { required: ['b'] }),
      ],
    };
    for (const provider of PROVIDERS) {
      expect(back(provider, schema, { arguments: { a: 'x' } })).toEqual({ a: 'x' });
      expect(back(provider, schema, { a: 'x' })).toEqual({ a: 'x' });
    }
    expect(back('openai-strict', schema, { arguments: { b: 1, c: null } })).toEqual({ b: 1 });
  });

  it('may hold a property that is called as the one for alternatives', () => {
    const schema = { type: 'object', anyOf: [object({ arguments: text }), object({ b: text })] };
    expect(back('anthropic', schema, { arguments_: { arguments: 'x' } })).toEqual({ arguments: 'x' });
    expect(back('anthropic', schema, { arguments: 'x' })).toEqual({ arguments: 'x' });
  });

  it('of a map come as one text', () => {
    const schema = { type: 'object', additionalProperties: { type: 'number' } };
    expect(back('gemini', schema, { arguments: '{"a":1}' })).toEqual({ a: 1 });
    expect(back('openai-strict', schema, { arguments: '{"a":1}' })).toEqual({ a: 1 });
    expect(back('anthropic', schema, { a: 1 })).toEqual({ a: 1 });
  });

  it('tell JSON in a text from a text, where both are taken', () => {
    const schema = object({ v: { anyOf: [text, { type: 'object' }] }, w: { enum: [1, '1', null] } });
    expect(back('gemini', schema, { v: '{"a":1}' })).toEqual({ v: { a: 1 } });
    expect(back('gemini', schema, { v: 'plain', w: '1' })).toEqual({ v: 'plain', w: 1 });
    expect(back('gemini', schema, { v: '5', w: '"1"' })).toEqual({ v: '5', w: '1' });
  });

  it('that fit nothing are left as they are', () => {
    for (const provider of PROVIDERS) {
      expect(back(provider, NASTY['free maps'], { m: 'not json', other: 1 })).toEqual({ m: 'not json', other: 1 });
      expect(project([], provider).arguments('none', { a: 1 })).toEqual({ a: 1 });
    }
  });

  it('get the names of their properties back', () => {
    for (const provider of PROVIDERS) {
      const projection = project([tool(NASTY['bad keys'])], provider);
      const [, schema] = partsOf(projection.tools[0]);
      const keys = Object.keys(schema?.properties as object);
      const mended = projection.arguments('x', Object.fromEntries(keys.map((key, at) => [key, `v${at}`])));
      expect(Object.keys(mended)).toEqual(Object.keys((NASTY['bad keys'] as { properties: object }).properties));
    }
  });
});

describe('what a schema cannot say', () => {
  it('is said in the descriptions', () => {
    const schema = object(
      {
        u: { type: 'string', format: 'uri', minLength: 3, default: 'x:y', description: 'Where' },
        n: { type: 'integer' },
      },
      { anyOf: [{ required: ['u'] }, { required: ['n'] }] },
    );
    const [strict] = project([tool(schema)], 'openai-strict').tools;
    expect(strict?.function.description).toBe('Does it. Give at least one of: u; n.');
    expect(strict?.function.parameters.properties).toMatchObject({
      u: { type: ['string', 'null'], description: 'Where Default: "x:y". Also: format "uri", minLength 3.' },
    });
  });

  it('is left out where the provider would refuse it', () => {
    const values = Array.from({ length: 300 }, (_, i) => `v${i}`);
    const schema = object(
      { p: { type: 'string', pattern: '(?<!a)b' }, q: { type: 'string', pattern: '^b+$' }, v: { enum: values } },
      { required: ['p', 'q', 'v'] },
    );
    const { properties } = project([tool(schema)], 'openai-strict').tools[0]?.function.parameters ?? {};
    expect(properties).toMatchObject({
      p: { type: 'string', description: 'Also: pattern "(?<!a)b".' },
      q: { type: 'string', pattern: '^b+$' },
      v: { type: 'string', description: expect.stringMatching(/^One of 300 values: \["v0",/) },
    });
    expect(properties).not.toHaveProperty('p.pattern');
    expect(properties).not.toHaveProperty('v.enum');
  });

  it('about properties that got another name is left to the server', () => {
    const conditions = { dependentRequired: { a: ['$b'] }, propertyNames: { maxLength: 2 } };
    const named = (key: string) => project([tool(object({ a: text, [key]: text }, conditions))], 'anthropic').tools[0];
    expect(named('b')?.input_schema).toMatchObject(conditions);
    expect(named('b')?.description).toBe('Does it.');
    expect(named('$b')?.input_schema).not.toHaveProperty('dependentRequired');
    expect(named('$b')?.description).toBe('Does it. The server checks further conditions.');
  });

  it('of a definition inside itself is open after two rounds', () => {
    const schema = object({ t: { $ref: '#/$defs/T' } }, { $defs: { T: object({ next: { $ref: '#/$defs/T' } }) } });
    const [anthropic] = project([tool(schema)], 'anthropic').tools;
    const round = (next: unknown) => object({ next });
    const opened = { description: 'Nested further in the same way.' };
    expect(anthropic?.input_schema).toEqual(object({ t: round(round(round(opened))) }));
    const args = { t: { next: { next: { next: '{"next":{"next":{}}}' } } } };
    const mended = project([tool(schema)], 'gemini').arguments('x', args);
    expect(mended).toEqual({ t: { next: { next: { next: { next: { next: {} } } } } } });
  });

  it('keeps what can be said', () => {
    const schema = object(
      { a: { type: 'string', pattern: '^x', description: 'A', title: 'T', examples: ['xy'] } },
      { required: ['a'], title: 'R' },
    );
    expect(project([tool(schema)], 'anthropic').tools[0]).toEqual({
      name: 'x',
      description: 'Does it.',
      input_schema: schema,
    });
    expect(project([tool(schema)], 'ai-sdk').tools[0]).toEqual({
      type: 'function',
      name: 'x',
      description: 'Does it.',
      inputSchema: schema,
    });
    expect(project([tool({ type: 'object' })], 'gemini').tools[0]).toEqual({ name: 'x', description: 'Does it.' });
  });
});

/** Schemas of which every provider's form says all: what fits the form must fit the schema, once it is turned back. */
const { schema: exact } = fc.letrec<{ schema: JsonObject; properties: JsonObject }>(tie => ({
  schema: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<JsonObject>(
      text,
      { type: 'integer' },
      { type: 'boolean' },
      { type: ['string', 'null'] },
      { enum: ['a', 'b'] },
      { enum: [1, 'x', null] },
      { const: 5 },
      {},
      { type: 'object' },
      { type: ['number', 'null'], default: null },
      { anyOf: [text, { type: 'null' }] },
    ),
    tie('schema').map(items => ({ type: 'array', items })),
    fc.array(tie('schema'), { minLength: 1, maxLength: 3 }).map(anyOf => ({ anyOf })),
    tie('properties'),
  ),
  properties: fc
    .tuple(
      fc.dictionary(fc.constantFrom('a', 'b', 'c d', '$e', '__proto__'), tie('schema'), { minKeys: 1, maxKeys: 4 }),
      fc.boolean(),
    )
    .map(([properties, all]) => object(properties, all ? { required: Object.keys(properties) } : {})),
}));

/** A value that fits a written schema, chosen by a source of numbers. */
function sample(schema: JsonObject, next: (below: number) => number): unknown {
  const { anyOf, enum: values, type, properties, items, nullable, required } = schema;
  if (nullable === true && next(3) === 0) return null;
  const pick = <T>(list: readonly T[]): T => list[next(list.length)]!;
  if (Array.isArray(anyOf)) return sample(pick(anyOf), next);
  if (Array.isArray(values)) return pick(values);
  switch (pick([type].flat())) {
    case 'string':
      if (String(schema.description).includes('JSON text: an object')) return '{"k":[null]}';
      return String(schema.description).includes('JSON text')
        ? pick(['null', '7', '"w"', 'word', '{}'])
        : pick(['', 'word', 'null']);
    case 'object': {
      const keys = Object.entries(properties as { [key: string]: JsonObject });
      const given = keys.filter(([key]) => (required as string[] | undefined)?.includes(key) || next(2) === 0);
      return Object.fromEntries(given.map(([key, each]) => [key, sample(each, next)]));
    }
    case 'array':
      return Array.from({ length: next(3) }, () => sample(items as JsonObject, next));
    case 'null':
      return null;
    case 'boolean':
      return next(2) === 0;
    default:
      return next(9);
  }
}

describe.each(['openai-strict', 'gemini'] as const)('a projection for %s', provider => {
  it('is accepted, and whatever fits it fits the schema when it is turned back', () => {
    const roots = fc
      .dictionary(fc.constantFrom('a', 'b c', 'arguments'), exact, { minKeys: 1 })
      .map(properties => object(properties));
    fc.assert(
      fc.property(roots, fc.infiniteStream(fc.nat()), (schema, numbers) => {
        const { tools, quarantined, arguments: back } = project([tool(schema)], provider);
        expect(quarantined).toEqual([]);
        expect(refusals(provider, tools[0])).toEqual([]);
        const next = (below: number) => numbers.next().value % below;
        const args = sample(partsOf(tools[0])[1] as JsonObject, next) as JsonObject;
        expect(compilePeerSchema(schema).check(back('x', args))).toMatchObject({ ok: true });
      }),
      { numRuns: 1_000 },
    );
  });
});

describe.each(PROVIDERS)('for %s, any JSON as a schema', provider => {
  it('is accepted or in quarantine', () => {
    const keyword = fc.constantFrom(
      ...'type properties required items anyOf oneOf allOf not enum const $ref format additionalProperties prefixItems if default'.split(
        ' ',
      ),
    );
    const { json } = fc.letrec<{ json: unknown }>(tie => ({
      json: fc.oneof(
        { maxDepth: 5, withCrossShrink: true },
        fc.constantFrom<unknown>('object', 'array', 'string', '#', null, true, false, 1, ['object'], ['a'], {}, []),
        fc.dictionary(keyword, tie('json')),
        fc.array(tie('json'), { maxLength: 3 }),
      ),
    }));
    fc.assert(
      fc.property(json, schema => {
        const { tools, quarantined } = project([tool(schema)], provider);
        expect(tools.length + quarantined.length).toBe(1);
        for (const each of tools) expect(refusals(provider, each)).toEqual([]);
        expect(quarantined.map(({ reason }) => reason)).not.toContain('its input schema cannot be read');
      }),
      { numRuns: 500 },
    );
  });
});
