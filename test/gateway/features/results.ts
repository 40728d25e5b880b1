import { expect } from 'vitest';
import { annotations, base64, icons } from '../../versions/server-tools.js';
import type { Combination } from '../combination.js';
import { callText, type Feature, getOutcome } from '../feature.js';
import { bothSupport } from '../pair.js';

const _meta = { 'com.example/kind': 'block' };
const block = async ({ client }: Combination, place: number) => (await client.callTool('blocks')).content[place];

/** Members that only some protocol versions have are of no matter here: they have features of their own. */
const like = (members: object): unknown => expect.objectContaining(members);

const content: readonly Feature[] = [
  {
    crosses: 'results',
    name: 'text, images and embedded resources',
    probe: async ({ client }) => (await client.callTool('blocks')).content.filter((_, at) => at !== 2 && at !== 5),
    seen: () => [
      like({ type: 'text', text: 'words – ü 🜚' }),
      like({ type: 'image', data: base64, mimeType: 'image/png' }),
      like({ type: 'resource', resource: like({ uri: 'note://a', mimeType: 'text/plain', text: 'a' }) }),
      like({ type: 'resource', resource: like({ uri: 'note://b', mimeType: 'image/png', blob: base64 }) }),
    ],
  },
  {
    crosses: 'results',
    name: 'audio',
    probe: setup => block(setup, 2),
    seen: () => like({ type: 'audio', data: base64, mimeType: 'audio/wav' }),
  },
  {
    crosses: 'results',
    name: 'links to resources',
    probe: setup => block(setup, 5),
    seen: () => like({ type: 'resource_link', uri: 'note://c', name: 'c', title: 'C', size: 3 }),
  },
  {
    crosses: 'results',
    name: 'icons of links',
    probe: async setup => (await block(setup, 5)) as unknown,
    seen: () => like({ icons }),
  },
  {
    crosses: 'results',
    name: 'annotations of content',
    probe: async setup => (await block(setup, 1))?.annotations,
    seen: () => like({ audience: ['user'], priority: 0.5 }),
  },
  {
    crosses: 'results',
    name: 'when content was last modified',
    probe: async setup => (await block(setup, 1))?.annotations?.lastModified ?? 'unsaid',
    seen: () => annotations.lastModified,
  },
  {
    crosses: 'results',
    name: 'metadata of content',
    probe: async setup => (await block(setup, 0))?._meta ?? 'unsaid',
    seen: () => _meta,
  },
];

const structured: readonly Feature[] = [
  {
    crosses: 'results',
    name: 'structured content that is an object',
    probe: ({ client }) => client.tools.add({ a: 1, b: 2 }),
    seen: () => ({ sum: 3, parts: [1, 2] }),
  },
  {
    crosses: 'results',
    name: 'structured content of any kind',
    probe: ({ client }) =>
      Promise.all(['primes', 'word', 'nothing'].map(async name => (await client.callTool(name)).structuredContent)),
    seen: () => [[2, 3, 5], 'tenon', null],
  },
  {
    crosses: 'results',
    name: 'structured content as text',
    probe: ({ client }) =>
      Promise.all(['primes', 'nothing', 'add'].map(name => callText(client.callTool(name, { a: 1, b: 2 })))),
    seen: () => ['[2,3,5]', 'null', '{"sum":3,"parts":[1,2]}'],
  },
  {
    crosses: 'results',
    name: 'words and metadata of its own beside structured content',
    async probe({ client }) {
      const { content, structuredContent, _meta } = await client.callTool('told');
      return [content, structuredContent, _meta?.['com.example/source']];
    },
    seen: () => [[{ type: 'text', text: 'It is mild.' }], { celsius: 12 }, 'sky'],
  },
];

const calls: readonly Feature[] = [
  {
    crosses: 'calls',
    name: 'many at once, each with its own answer',
    probe: ({ client }) =>
      Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map(async a => (await client.tools.add({ a, b: a })).sum)),
    seen: () => [2, 4, 6, 8, 10, 12, 14, 16],
  },
  {
    crosses: 'calls',
    name: 'a slow one does not hold up a quick one',
    async probe({ client }) {
      const ended: string[] = [];
      const slow = client.callTool('later').then(() => ended.push('slow'));
      const quick = client.tools.word().then(() => ended.push('quick'));
      await Promise.all([slow, quick]);
      return ended.length;
    },
    seen: () => 2,
  },
  {
    crosses: 'calls',
    name: 'run once',
    async probe({ client, serverSide, tag }) {
      const { runs } = await client.tools.counted({ name: tag });
      const sent = serverSide.sent('client', 'tools/call').filter(({ name }) => name === 'counted');
      return [runs, sent.length];
    },
    seen: () => [1, 1],
  },
  {
    crosses: 'calls',
    name: 'do what they do once, however often they ask',
    async probe({ client, tag }) {
      const answer = await callText(client.callTool('deed', { name: tag }));
      return [answer, await client.tools.deeds({ name: tag })];
    },
    seen: () => ['1 1', { first: 1, second: 1 }],
  },
  {
    crosses: 'calls',
    name: 'prompts, with arguments',
    probe: async ({ client }) => (await client.prompts.letter({ to: 'Ada', city: 'London' })).messages,
    seen: () => [
      { role: 'user', content: like({ type: 'text', text: 'A letter to Ada in London.' }) },
      { role: 'assistant', content: like({ type: 'text', text: 'Gladly.' }) },
    ],
  },
  {
    crosses: 'results',
    name: 'prompts of every kind of content',
    probe: async ({ client }) => (await client.prompts.gallery()).messages.map(({ content: { type } }) => type),
    seen: pair => [
      'image',
      bothSupport(pair, '2025-03-26') ? 'audio' : 'text',
      'resource',
      bothSupport(pair, '2025-06-18') ? 'resource_link' : 'text',
    ],
  },
  {
    crosses: 'calls',
    name: 'resources: text, bytes, several, of a template',
    async probe({ client }) {
      const uris = ['note://all', 'note://picture', 'note://several', 'note://by/b'];
      const read = await Promise.all(uris.map(uri => client.readResource(uri)));
      return read.map(({ contents }) => contents.map(each => ('text' in each ? each.text : each.blob)));
    },
    seen: () => [['first\nsecond'], [Buffer.from([0, 255, 16, 128]).toString('base64')], ['one', base64], ['second']],
  },
  {
    crosses: 'metadata',
    name: 'of the contents of resources',
    probe: async ({ client }) => (await client.readResource('note://several')).contents[0]?._meta ?? 'unsaid',
    seen: () => ({ 'com.example/part': 1 }),
  },
  {
    crosses: 'calls',
    name: 'ping',
    probe: ({ client }) => getOutcome(client.ping().then(() => 'there')),
    seen: () => 'there',
  },
];

export const results: readonly Feature[] = [...content, ...structured, ...calls];
