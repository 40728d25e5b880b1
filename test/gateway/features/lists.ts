import { expect } from 'vitest';
import { icons } from '../../versions/server-tools.js';
import type { Combination } from '../combination.js';
import { collectAll, type Feature } from '../feature.js';
import { createFixture, PAGE } from '../fixture-server.js';

/** A cursor that no server gave: another probe sends it. */
export const MADE_UP = 'made up';

const { tools, prompts } = createFixture();

async function toolOf({ client }: Combination, name: string) {
  for await (const tool of client.listTools()) if (tool.name === name) return tool;
  throw new Error(`there is no tool ${name}`);
}
const blocks = (setup: Combination) => toolOf(setup, 'blocks');
const stays = (name: string) => !name.startsWith('grown');
const ref = { type: 'ref/prompt' as const, name: 'letter' };

export const lists: readonly Feature[] = [
  {
    crosses: 'lists',
    name: 'tools, all of them, in the same order each time',
    async probe({ client }) {
      const once = async () => (await collectAll(client.listTools())).map(({ name }) => name).filter(stays);
      const [one, other] = [await once(), await once()];
      return [[...one].sort(), one.join() === other.join()];
    },
    seen: () => [tools.listNames().sort(), true],
  },
  {
    crosses: 'lists',
    name: 'prompts, with their arguments',
    async probe({ client }) {
      const list = await collectAll(client.listPrompts());
      const letter = list.find(({ name }) => name === 'letter');
      const names = list.map(({ name }) => name).filter(stays);
      return [names.sort(), letter?.arguments?.[0]];
    },
    seen: () => [
      prompts.listNames().sort(),
      expect.objectContaining({ name: 'to', description: 'Who gets it', required: true }),
    ],
  },
  {
    crosses: 'lists',
    name: 'resources',
    probe: async ({ client }) => (await collectAll(client.listResources())).map(({ uri }) => uri).filter(stays),
    seen: () => ['note://all', 'note://picture', 'note://several', 'note://asked', 'note://by/a', 'note://by/b'],
  },
  {
    crosses: 'lists',
    name: 'templates',
    probe: async ({ client }) =>
      (await collectAll(client.listResourceTemplates())).map(({ uriTemplate }) => uriTemplate),
    seen: () => ['note://by/{title}'],
  },
  {
    crosses: 'lists',
    name: 'input schemas',
    probe: async setup => [(await toolOf(setup, 'add')).inputSchema, (await toolOf(setup, 'dialect')).inputSchema],
    seen: () => [
      expect.objectContaining({ type: 'object', required: ['a', 'b'] }),
      expect.objectContaining({ type: 'object', properties: expect.objectContaining({ some: { type: 'string' } }) }),
    ],
  },
  {
    crosses: 'lists',
    name: 'annotations of tools',
    probe: async setup => (await blocks(setup)).annotations ?? 'unsaid',
    seen: () => expect.objectContaining({ readOnlyHint: true, destructiveHint: false, idempotentHint: true }),
  },
  {
    crosses: 'lists',
    name: 'titles and metadata',
    async probe(setup) {
      const { title = 'unsaid', _meta: meta = 'unsaid' } = await blocks(setup);
      const list = await collectAll(setup.client.listResources());
      const { title: other = 'unsaid', _meta: own = 'unsaid' } = list.find(({ uri }) => uri === 'note://all') ?? {};
      return [title, meta, other, own];
    },
    seen: () => [
      'Blocks',
      expect.objectContaining({ 'com.example/group': 'content' }),
      'All notes',
      expect.objectContaining({ 'com.example/kind': 'resource' }),
    ],
  },
  {
    crosses: 'lists',
    name: 'output schemas',
    probe: async setup =>
      Promise.all(['add', 'primes'].map(async name => (await toolOf(setup, name)).outputSchema?.type ?? 'unsaid')),
    seen: () => ['object', 'array'],
  },
  {
    crosses: 'lists',
    name: 'icons',
    probe: async setup => (await blocks(setup)).icons ?? 'unsaid',
    seen: () => icons,
  },
  {
    crosses: 'pagination',
    name: 'every page of the server is asked for, by the cursor that it gave',
    async probe({ client, serverSide }) {
      await collectAll(client.listTools());
      const cursors = serverSide
        .sent('client', 'tools/list')
        .flatMap(({ cursor }) => (cursor === MADE_UP ? [] : [cursor]));
      const given = serverSide
        .messages('server')
        .map(({ result }) => (result as { tools?: unknown; nextCursor?: string } | undefined) ?? {})
        .flatMap(({ tools: some, nextCursor }) => (some && nextCursor !== undefined ? [nextCursor] : []));
      return [new Set(cursors).size, cursors.every(each => each === undefined || given.includes(each as string))];
    },
    seen: () => [Math.ceil(tools.size / PAGE), true],
  },
  {
    crosses: 'completion',
    name: 'arguments of prompts',
    async probe({ client }) {
      const few = await client.complete({ ref, argument: { name: 'to', value: 'a' } });
      const many = await client.complete({ ref, argument: { name: 'number', value: '' } });
      return [few.values, few.total, many.values.length, many.total, many.hasMore];
    },
    seen: () => [['Ada', 'Alan'], 2, 100, 250, true],
  },
  {
    crosses: 'completion',
    name: 'variables of templates',
    async probe({ client }) {
      const template = { type: 'ref/resource' as const, uri: 'note://by/{title}' };
      return (await client.complete({ ref: template, argument: { name: 'title', value: 'b' } })).values;
    },
    seen: () => ['b'],
  },
  {
    crosses: 'completion',
    name: 'that depends on other arguments',
    async probe({ client }) {
      const context = { arguments: { to: 'Ada' } };
      return (await client.complete({ ref, argument: { name: 'city', value: 'L' }, context })).values;
    },
    seen: () => ['London', 'Leeds'],
  },
  {
    crosses: 'cache hints',
    name: 'how long a resource stays good, and for whom',
    async probe({ client }) {
      const { ttlMs, cacheScope } = await client.call('resources/read', { uri: 'note://all' });
      return [ttlMs ?? 'unsaid', cacheScope ?? 'unsaid'];
    },
    seen: () => [60_000, 'public'],
  },
  {
    crosses: 'cache hints',
    name: 'none where none was given',
    async probe({ client }) {
      const { ttlMs, cacheScope } = await client.call('resources/read', { uri: 'note://picture' });
      return [ttlMs ?? 'unsaid', cacheScope ?? 'unsaid'];
    },
    seen: () => [0, 'private'],
  },
];
