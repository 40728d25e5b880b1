import {
  CallToolResultSchema,
  CompleteResultSchema,
  GetPromptResultSchema,
  ListPromptsResultSchema,
  ListResourcesResultSchema,
  ListResourceTemplatesResultSchema,
  ListToolsResultSchema,
  ReadResourceResultSchema,
} from '@modelcontextprotocol/sdk/types.js';
import type { JsonObject } from '@tenon/base';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toStrictResult } from './strict-results.js';

const anything = fc.constantFrom<unknown>(5, -1, 1.5, '', 'x', true, {}, [], ['x'], [{}], [5], { x: 5 }, { type: 'x' });
const either = (...valid: unknown[]) => fc.oneof(fc.constantFrom(...valid), anything);
const flag = either(true);
const members = (optional: { readonly [name: string]: fc.Arbitrary<unknown> }) =>
  fc.record(optional, { requiredKeys: [] });

const annotations = fc.oneof(
  members({
    title: either('t'),
    readOnlyHint: flag,
    destructiveHint: flag,
    audience: either(['user'], ['user', 'robot']),
    priority: either(0.5, 5),
    lastModified: either(
      '2026-01-02T03:04:05Z',
      '2026-01-02T03:04+01:00',
      '2026-01-02',
      '2026-01-02T03:04:05',
      'yesterday',
      '2026-13-02T03:04:05Z',
      '2026-02-30T03:04:05Z',
      '2026-01-02T24:00:00Z',
      '12345-01-02T03:04:05Z',
      '1 January 2026 GMT',
    ),
  }),
  anything,
);
const icons = fc.oneof(
  fc.array(
    members({ src: either('https://a.example/a.png'), sizes: either(['48x48'], '48x48'), theme: either('dark') }),
  ),
  anything,
);
const common = { annotations, _meta: anything };
const properties = fc.oneof(
  members({
    a: fc.oneof(
      fc.constantFrom({ type: 'string' }, null),
      anything.filter(each => typeof each !== 'boolean'),
    ),
  }),
  anything,
);
const schema = members({ type: either('object'), properties, required: either(['a']) });
const entry = (required: JsonObject, optional: { readonly [name: string]: fc.Arbitrary<unknown> } = {}) =>
  members({ ...common, _meta: fc.constant({}), icons, ...optional }).map(each => ({ name: 'n', ...required, ...each }));

const bytes = fc.constantFrom('AAAA', 'AAA', 'A', 'AA-_', 'AA\nAA==', 'data:image/png;base64,AAAA', 'not base64!!', '');
const contents = members({ _meta: anything }).chain(each =>
  fc.oneof(
    fc.constant({ ...each, uri: 'file:///a', text: 'x' }),
    bytes.map(blob => ({ ...each, uri: 'file:///a', blob })),
  ),
);
const block = fc.oneof(
  members(common).map(each => ({ type: 'text', text: 'x', ...each })),
  fc.tuple(fc.constantFrom('image', 'audio'), bytes, members(common)).map(([type, data, each]) => ({
    ...each,
    type,
    data,
    mimeType: 'image/png',
  })),
  entry({ type: 'resource_link', uri: 'file:///a' }),
  fc.tuple(contents, members(common)).map(([resource, each]) => ({ type: 'resource', resource, ...each })),
  fc.constantFrom({ type: 'video', data: 'x' }, { type: 'video', data: 'x'.repeat(5000) }),
);
const values = fc.integer({ min: 0, max: 150 }).map(count => Array.from({ length: count }, (_, index) => `v${index}`));

/** Results that a client of this library accepts, and the schemas by which the official client refuses some of them. */
const cases: [
  string,
  fc.Arbitrary<JsonObject>,
  { safeParse(value: unknown): { success: boolean; error?: unknown } },
][] = [
  [
    'tools/list',
    fc.record({
      tools: fc.array(
        fc
          .tuple(schema, entry({}, { execution: fc.oneof(members({ taskSupport: either('optional') }), anything) }))
          .map(([inputSchema, tool]) => ({ ...tool, inputSchema })),
      ),
    }),
    ListToolsResultSchema,
  ],
  [
    'prompts/list',
    fc.record({
      prompts: fc.array(
        entry({}, { arguments: fc.array(members({ required: flag }).map(each => ({ name: 'n', ...each }))) }),
      ),
    }),
    ListPromptsResultSchema,
  ],
  ['resources/list', fc.record({ resources: fc.array(entry({ uri: 'file:///a' })) }), ListResourcesResultSchema],
  [
    'resources/templates/list',
    fc.record({ resourceTemplates: fc.array(entry({ uriTemplate: 'file:///{a}' })) }),
    ListResourceTemplatesResultSchema,
  ],
  ['tools/call', fc.record({ content: fc.array(block), _meta: anything }), CallToolResultSchema],
  [
    'prompts/get',
    fc.record({
      messages: fc.array(block.map(content => ({ role: 'user', content }))),
      description: either('d'),
      _meta: anything,
    }),
    GetPromptResultSchema,
  ],
  ['resources/read', fc.record({ contents: fc.array(contents), _meta: anything }), ReadResourceResultSchema],
  [
    'completion/complete',
    fc.record({ completion: fc.record({ values, total: either(200) }), _meta: anything }),
    CompleteResultSchema,
  ],
];

describe('toStrictResult', () => {
  it.each(cases)('returns what the official client accepts: %s', (method, results, official) => {
    let refused = 0;
    fc.assert(
      fc.property(results, result => {
        if (!official.safeParse(result).success) refused += 1;
        const paths: string[] = [];
        const strict = toStrictResult(method, result, paths);
        expect(official.safeParse(JSON.parse(JSON.stringify(strict))).error).toBeUndefined();
        expect(strict === result).toBe(paths.length === 0);
        expect(toStrictResult(method, strict)).toBe(strict);
      }),
    );
    expect(refused).toBeGreaterThan(10);
  });

  it.each<[string, JsonObject, JsonObject]>([
    ['a date', { lastModified: '2026-01-02' }, { lastModified: '2026-01-02T00:00:00.000Z' }],
    ['a time without an offset', { lastModified: '2026-01-02T03:04:05' }, { lastModified: '2026-01-02T03:04:05.000Z' }],
    ['a word in place of a time', { lastModified: 'yesterday', priority: 1 }, { priority: 1 }],
  ])('keeps what can be read of the annotations with %s', (_what, annotated, expected) => {
    const content = [{ type: 'text', text: 'x', annotations: annotated }];
    expect(toStrictResult('tools/call', { content })).toEqual({ content: [{ ...content[0], annotations: expected }] });
  });

  it.each([
    ['a data URL', 'data:image/png;base64,AAEC', 'AAEC'],
    ['the alphabet of URLs', 'AA-_', 'AA+/'],
    ['line breaks', 'AA\r\nEC\n', 'AAEC'],
    ['no padding', 'AAE', 'AAE='],
  ])('sends the bytes of an image in base64 that the server wrote with %s', (_what, data, expected) => {
    const image = { type: 'image', data, mimeType: 'image/png' };
    expect(toStrictResult('tools/call', { content: [image] })).toEqual({ content: [{ ...image, data: expected }] });
  });

  it('needs linear time for bytes with many signs of padding', () => {
    const image = { type: 'image', data: `${'='.repeat(1_000_000)}a`, mimeType: 'image/png' };
    expect(toStrictResult('tools/call', { content: [image] })).toMatchObject({ content: [{ type: 'text' }] });
  });

  it('sends text in place of bytes that are not encoded, and of blocks of unknown types', () => {
    const content = [
      { type: 'image', data: 'not base64!', mimeType: 'image/png' },
      { type: 'chart', points: [1, 2] },
      { type: 'video', data: 'x'.repeat(5000) },
    ];
    expect(toStrictResult('tools/call', { content })).toEqual({
      content: [
        { type: 'text', text: '[image, image/png: not shown, because the server did not encode it as base64]' },
        { type: 'text', text: '{"type":"chart","points":[1,2]}' },
        { type: 'text', text: '[content of the type video: not shown]' },
      ],
    });
    const read = { contents: [{ uri: 'file:///a', blob: 'plain text' }] };
    expect(toStrictResult('resources/read', read)).toEqual({ contents: [{ uri: 'file:///a', text: 'plain text' }] });
  });

  it('leaves out a size that is no whole number, which clients in Python refuse', () => {
    const file = { uri: 'file:///a', name: 'a' };
    const resources = [1.5, -1].map(size => ({ ...file, size }));
    expect(toStrictResult('resources/list', { resources })).toEqual({ resources: [file, file] });
  });

  it('sends the first 100 values of a completion [completion.max-100-values]', () => {
    const completion = { values: Array.from({ length: 150 }, (_, index) => `v${index}`) };
    expect(toStrictResult('completion/complete', { completion })).toEqual({
      completion: { values: completion.values.slice(0, 100), total: 150, hasMore: true },
    });
  });
});
