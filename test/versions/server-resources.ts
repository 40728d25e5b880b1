import { resource } from 'tenon';
import { annotations, icons } from './server-tools.js';

const notes = new Map([
  ['a', 'first'],
  ['b', 'second'],
]);

/** Resources of every kind. */
export const resources = {
  'note://all': resource({
    name: 'all',
    title: 'All notes',
    description: 'Every note',
    mimeType: 'text/plain',
    annotations,
    size: 11,
    icons,
    _meta: { 'com.example/kind': 'resource' },
    cache: { ttlMs: 60_000, cacheScope: 'public' },
    read: () => [...notes.values()].join('\n'),
  }),
  'note://picture': resource({ name: 'picture', mimeType: 'image/png', read: () => new Uint8Array([0, 255, 16, 128]) }),
  'note://several': resource({
    name: 'several',
    read: () => [
      { uri: 'note://several/1', mimeType: 'text/plain', text: 'one', _meta: { 'com.example/part': 1 } },
      { uri: 'note://several/2', mimeType: 'application/octet-stream', blob: 'aGVsbG8=' },
    ],
  }),
  'note://asked': resource({
    name: 'asked',
    mimeType: 'text/plain',
    async read(_, ctx) {
      const answer = await ctx.elicit({
        message: 'May I?',
        input: { type: 'object', properties: { yes: { type: 'boolean' } } } as const,
      });
      return `${answer.action}`;
    },
  }),
  'note://by/{title}': resource({
    name: 'note',
    title: 'One note',
    mimeType: 'text/plain',
    annotations,
    icons,
    _meta: { 'com.example/kind': 'template' },
    list: () => [...notes.keys()].map(title => ({ title, description: `Note ${title}` })),
    complete: { title: (typed: string) => [...notes.keys()].filter(title => title.startsWith(typed)) },
    read: ({ title }: { title: string }) => notes.get(title),
  } as never),
};
