import { expect, it } from 'vitest';
import { withPublicUris } from './public-uris.js';

const outer = (uri: string) => (uri.startsWith('note:') ? `tenon:a/${uri}` : uri);

it('maps each URI in a result to its public form', () => {
  const link = (uri: string) => ({ type: 'resource_link', uri, name: 'n' });
  const embedded = (uri: string) => ({ type: 'resource', resource: { uri, text: 'note://in words stays' } });
  const result = {
    content: [{ type: 'text', text: 'note://a' }, link('note://a'), embedded('note://b'), link('file:///x')],
    contents: [{ uri: 'note://c', text: 'c' }],
    messages: [
      { role: 'user', content: embedded('note://d') },
      { role: 'user', content: { type: 'text', text: 'x' } },
    ],
    structuredContent: { uri: 'note://a' },
  };
  expect(withPublicUris(result, outer)).toEqual({
    ...result,
    content: [result.content[0], link('tenon:a/note://a'), embedded('tenon:a/note://b'), link('file:///x')],
    contents: [{ uri: 'tenon:a/note://c', text: 'c' }],
    messages: [{ role: 'user', content: embedded('tenon:a/note://d') }, result.messages[1]],
  });
});

it('returns the same result without URIs, and accepts any value', () => {
  for (const result of [
    {},
    { content: 'none', contents: 7, messages: null },
    { content: [7, null, { type: 'resource' }, { type: 'resource_link' }, { type: 'resource', resource: 'x' }] },
    { messages: [{ content: 'x' }, { content: [] }], contents: [{ uri: 7 }, { uri: 'file:///x' }] },
  ])
    expect(withPublicUris(result as never, outer)).toBe(result);
});
