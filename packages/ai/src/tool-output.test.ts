import { keepIntegers, parseJsonText } from '@tenon/base';
import type { CallToolResult } from 'tenon';
import { expect, it } from 'vitest';
import { toToolOutput } from './tool-output.js';

const IMAGE = 'iVBORw0KGgo=';
const file = { type: 'file', mediaType: 'image/png', data: { type: 'data', data: IMAGE } };
const image = { type: 'image' as const, data: IMAGE, mimeType: 'image/png' };

it.each<[string, CallToolResult, unknown]>([
  [
    'text',
    {
      content: [
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
      ],
    },
    { type: 'text', value: 'a\nb' },
  ],
  ['nothing', { content: [] }, { type: 'text', value: '' }],
  [
    'text and an image',
    { content: [{ type: 'text', text: 'a' }, image] },
    { type: 'content', value: [{ type: 'text', text: 'a' }, file] },
  ],
  [
    'an embedded image',
    { content: [{ type: 'resource', resource: { uri: 'file:///a.png', mimeType: 'image/png', blob: IMAGE } }] },
    { type: 'content', value: [file] },
  ],
  [
    'an embedded image with a type in capitals',
    { content: [{ type: 'resource', resource: { uri: 'file:///a.png', mimeType: 'Image/PNG', blob: IMAGE } }] },
    { type: 'content', value: [{ ...file, mediaType: 'Image/PNG' }] },
  ],
  [
    'structured content with an empty text',
    { content: [{ type: 'text', text: '' }], structuredContent: { a: 1 } },
    { type: 'text', value: '{"a":1}' },
  ],
  ['an image with an empty text', { content: [{ type: 'text', text: '' }, image] }, { type: 'content', value: [file] }],
  ['structured content alone', { content: [], structuredContent: { a: 1 } }, { type: 'text', value: '{"a":1}' }],
  [
    'structured content with its text',
    { content: [{ type: 'text', text: '{"a": 1}' }], structuredContent: { a: 1 } },
    { type: 'text', value: '{"a": 1}' },
  ],
  [
    'structured content with an image',
    { content: [image], structuredContent: [1] },
    { type: 'content', value: [file, { type: 'text', text: '[1]' }] },
  ],
  [
    'an error',
    { content: [{ type: 'text', text: 'no' }, image], isError: true },
    { type: 'error-text', value: 'no\n[image of type image/png, not shown]' },
  ],
  [
    'other blocks',
    {
      content: [
        { type: 'audio', data: IMAGE, mimeType: 'audio/wav' },
        { type: 'resource_link', uri: 'file:///a', name: 'a' },
        { type: 'resource', resource: { uri: 'file:///b', text: 'b' } },
        { type: 'resource', resource: { uri: 'file:///c', blob: IMAGE } },
      ],
    },
    {
      type: 'text',
      value:
        '[audio of type audio/wav, not shown]\n[resource a: file:///a]\nb\n[resource of type unknown, not shown: file:///c]',
    },
  ],
])('converts %s', (_, result, output) => expect(toToolOutput(result)).toEqual(output));

it('keeps all digits of long numbers', () => {
  keepIntegers();
  const structuredContent = parseJsonText('{"id":9007199254740993}');
  expect(toToolOutput({ content: [], structuredContent })).toEqual({ type: 'text', value: '{"id":9007199254740993}' });
});
