import { describe, expect, it } from 'vitest';
import { takePart } from '../../../../../test/support/extent.js';
import type { PromptMessage } from '../../../../tenon/src/protocol/content.js';
import type { SamplingMessage } from '../../../../tenon/src/protocol/input-requests.js';
import type { CallToolResult } from '../../../../tenon/src/protocol/params-and-results.js';
import { screenResult } from './screen-results.js';

const tag = '\u{e0041}';
const text = (given: string) => ({ type: 'text' as const, text: given });

describe('screenResult', () => {
  it('removes characters that no text needs, and reports the others', () => {
    const { value, findings } = screenResult({ content: [text(`a${tag}\u202e\x1b[31mb\u200bc\0`)] });
    expect(value.content).toEqual([text('ab\u200bc\0')]);
    expect(findings.map(({ kind }) => kind)).toEqual(['tag', 'bidi', 'ansi', 'invisible', 'control']);
    expect(findings[0]).toMatchObject({ where: 'content/0/text' });
  });

  it('removes the kinds of the policy', () => {
    const result = { content: [text(`a${tag}\u200b`)] };
    expect(screenResult(result, { strip: true }).value.content).toEqual([text('a')]);
    expect(screenResult(result, { strip: false }).value).toBe(result);
    expect(screenResult(result, { strip: ['invisible'] }).value.content).toEqual([text(`a${tag}`)]);
  });

  it('never changes structured content, blobs and metadata', () => {
    const result: CallToolResult = {
      content: [
        { type: 'image', data: 'AAAA', mimeType: 'image/png' },
        { type: 'resource', resource: { uri: 'a:b', blob: 'AAAA' }, _meta: { x: tag } },
        text('plain'),
      ],
      structuredContent: { deep: [{ [`k${tag}`]: `v${tag}` }] },
      _meta: { note: tag },
    };
    const { value, findings } = screenResult(result);
    expect(value).toBe(result);
    expect(findings.map(({ where }) => where)).toEqual([
      'structuredContent/deep/0/k‹hidden: A›',
      'structuredContent/deep/0/k‹hidden: A›',
    ]);
  });

  it('copies only changed parts', () => {
    const result = { content: [text('one'), text(`two${tag}`)], isError: true };
    const { value } = screenResult(result);
    expect(value).toEqual({ content: [text('one'), text('two')], isError: true });
    expect(value.content[0]).toBe(result.content[0]);
    expect(result.content[1]!.text).toBe(`two${tag}`);
  });

  it('covers links and embedded texts', () => {
    const link = { type: 'resource_link' as const, name: 'n', uri: 'https://e.example/?d={x}', description: `d${tag}` };
    const embedded = { type: 'resource' as const, resource: { uri: 'file:///a', text: `t${tag}` } };
    const { value, findings } = screenResult({ content: [link, embedded] });
    expect(value.content).toMatchObject([{ description: 'd' }, { resource: { text: 't' } }]);
    expect(findings.map(({ kind, where }) => [kind, where])).toEqual([
      ['exfiltration', 'content/0/uri'],
      ['tag', 'content/0/description'],
      ['tag', 'content/1/resource/text'],
    ]);
  });

  it('covers the entries of a directory, and reports their addresses and icons', () => {
    const entry = { name: 'n', uri: 'https://e.example/?d={x}', description: `d${tag}`, icons: [{ src: 'http://e' }] };
    const { value, findings } = screenResult({ resources: [entry, null] });
    expect(value).toEqual({ resources: [{ ...entry, description: 'd' }, null] });
    expect(findings.map(({ kind, where }) => [kind, where])).toEqual([
      ['exfiltration', 'resources/0/uri'],
      ['url-scheme', 'resources/0/icons/0/src'],
      ['tag', 'resources/0/description'],
    ]);
  });

  it('covers resources and prompts', () => {
    const contents = [
      { uri: 'a:b', text: `t${tag}` },
      { uri: 'a:c', blob: 'AA==' },
    ];
    const resource = screenResult({ contents }, { where: 'db' });
    expect(resource.value.contents).toEqual([
      { uri: 'a:b', text: 't' },
      { uri: 'a:c', blob: 'AA==' },
    ]);
    expect(resource.findings).toMatchObject([{ where: 'db/contents/0/text' }]);
    const messages: PromptMessage[] = [{ role: 'user', content: text(`m${tag}`) }];
    expect(screenResult({ description: `d${tag}`, messages }).value).toEqual({
      description: 'd',
      messages: [{ role: 'user', content: text('m') }],
    });
  });

  it('covers messages of sampling', () => {
    const messages: SamplingMessage[] = [
      { role: 'assistant', content: [{ type: 'tool_use', id: '1', name: 't', input: { a: tag } }] },
      {
        role: 'user',
        content: [{ type: 'tool_result', toolUseId: '1', content: [text(`r${tag}`)], structuredContent: tag }],
      },
      { role: 'user', content: text('plain') },
    ];
    const { value, findings } = screenResult(messages);
    expect(value[0]).toBe(messages[0]);
    expect(value[1]).toMatchObject({ content: [{ content: [{ text: 'r' }] }] });
    expect(value[2]).toBe(messages[2]);
    expect(findings.map(({ where }) => where)).toEqual([
      '0/content/0/input/a',
      '1/content/0/structuredContent',
      '1/content/0/content/0/text',
    ]);
  });

  it('reports texts beyond the limit of a result as not scanned, also if each text is short', () => {
    const texts = (count: number, length: number) => ({
      content: Array.from({ length: count }, () => ({ type: 'text' as const, text: 'quick fox '.repeat(length / 10) })),
    });
    const kinds = (result: object) => [
      ...new Set(screenResult(result as CallToolResult, { maxSteps: 100_000_000 }).findings.map(({ kind }) => kind)),
    ];
    expect(kinds(texts(3, 1_000_000))).toEqual([]);
    expect(kinds(texts(5, 1_000_000))).toEqual(['unscanned']);
    const many = { content: [], structuredContent: { rows: Array.from({ length: 200_000 }, () => 'quick fox') } };
    expect(kinds(many)).toEqual(['unscanned']);
  });
});

describe('a result with many names', () => {
  const createNames = (count: number, create: (index: number) => string) => ({
    structuredContent: Object.fromEntries(Array.from({ length: count }, (_, index) => [create(index), 1])),
  });

  const names: [string, number, (index: number) => string][] = [
    ['lookalikes', 5_000, (index: number) => `p\u0430y_l\u043ead_x${index}`],
    ['words', 50_000, (index: number) => `ab_cd_ef_${index}`],
    ['instructions', 5_000, (index: number) => `ignore previous instructions ${index}`],
    ['plain names', 600_000, (index: number) => `k${index}`],
  ];

  it.each(takePart(names, 0, 2))('reports names beyond the limit as unscanned: %s', (_name, count, create) => {
    const { findings } = screenResult(createNames(count, create));
    expect(findings.filter(({ kind }) => kind === 'unscanned')).toHaveLength(1);
    expect(screenResult(createNames(count / 10, create)).findings.some(({ kind }) => kind === 'unscanned')).toBe(false);
  });
});
