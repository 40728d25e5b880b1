import { connectPair, protocolVersions } from '@tenon/testing';
import { createServer, forMethod, type Middleware, prompt, resource } from 'tenon';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { promptsAsTools, resourcesAsTools } from './lists-as-tools.js';
import { mount } from './mount.js';

const about = { version: '1.0.0' };

function createNotes(use: readonly Middleware[] = []) {
  return createServer({
    name: 'notes',
    ...about,
    use,
    resources: {
      'note://{title}': resource({
        name: 'note',
        list: () => [{ title: 'oak' }],
        read: ({ title }) => (title === 'none' ? undefined : `text of ${title}`),
      }),
      'file:///logo.png': resource({ mimeType: 'image/png', read: () => new Uint8Array([1, 2]) }),
      'file:///data.bin': resource({ mimeType: 'application/zip', read: () => new Uint8Array([3]) }),
      'note:///secret': resource({ scopes: ['secret'], read: () => 'secret' }),
      'ask:///name': resource({
        read: async (_, ctx) => {
          ctx.progress(1, 2);
          const response = await ctx.elicit({ message: 'Name?', input: z.object({}) });
          ctx.progress(2, 2);
          return JSON.stringify(response);
        },
      }),
    },
    prompts: {
      sum: prompt({
        description: 'Sums up',
        input: z.object({ title: z.string() }),
        run: ({ title }) => `Sum up ${title}`,
      }),
    },
    mounts: [resourcesAsTools(), promptsAsTools()],
  });
}

describe.each(protocolVersions)('resources and prompts as tools, on %s', protocolVersion => {
  it('list and read resources', async () => {
    const client = await connectPair(createNotes(), { protocolVersion });
    const names = (await client.call('tools/list')).tools.map(({ name }) => name);
    expect(names).toEqual(['resources_list', 'resources_read', 'prompts_list', 'prompts_get']);
    const { resources, resourceTemplates } = await client.tools.resources_list({});
    expect(resources.map(({ uri }) => uri)).toContain('note://oak');
    expect(resourceTemplates).toMatchObject([{ uriTemplate: 'note://{title}' }]);
    const read = async (uri: string) => (await client.callTool('resources_read', { uri })).content;
    expect(await read('note://oak')).toMatchObject([{ type: 'text', text: 'text of oak' }]);
    expect(await read('file:///logo.png')).toMatchObject([{ type: 'image', data: 'AQI=', mimeType: 'image/png' }]);
    expect(await read('file:///data.bin')).toMatchObject([{ type: 'resource', resource: { blob: 'Aw==' } }]);
    await client.close();
  });

  it('list prompts and return their messages', async () => {
    const client = await connectPair(createNotes(), { protocolVersion });
    expect((await client.tools.prompts_list({})).prompts).toMatchObject([
      { name: 'sum', arguments: [{ name: 'title', required: true }] },
    ]);
    expect(await client.tools.prompts_get({ name: 'sum', arguments: { title: 'oak' } })).toEqual({
      description: 'Sums up',
      messages: [{ role: 'user', content: { type: 'text', text: 'Sum up oak' } }],
    });
    await client.close();
  });

  it('tell the model what is wrong', async () => {
    const client = await connectPair(createNotes(), { protocolVersion });
    for (const [name, args, text] of [
      ['resources_read', { uri: 'note://none' }, 'note://none'],
      ['resources_read', { uri: 'other://x' }, 'other://x'],
      ['prompts_get', { name: 'sums' }, 'sum'],
      ['prompts_get', { name: 'sum' }, 'title'],
    ] as const)
      expect(await client.callTool(name, args)).toMatchObject({
        isError: true,
        content: [{ text: expect.stringContaining(text) }],
      });
    await client.close();
  });

  it('keep scopes and middleware of the methods', async () => {
    const seen: unknown[] = [];
    const server = createNotes([
      forMethod('resources/read', (operation, next) => {
        seen.push(operation.params.uri);
        return next(operation);
      }),
    ]);
    const client = await connectPair(server, { protocolVersion });
    await expect(client.callTool('resources_read', { uri: 'note:///secret' })).rejects.toMatchObject({
      message: expect.stringContaining('secret'),
    });
    await client.callTool('resources_read', { uri: 'note://ash' });
    expect(seen).toEqual(['note://ash']);
    await client.close();
  });

  it.runIf(protocolVersion >= '2025-06-18')('pass input requests and progress of a resource on', async () => {
    const elicit = async () => ({ action: 'accept' as const, content: {} });
    const client = await connectPair(createNotes(), { protocolVersion, elicit });
    const progress: number[] = [];
    const onProgress = (each: { progress: number }) => void progress.push(each.progress);
    const { content } = await client.callTool('resources_read', { uri: 'ask:///name' }, { onProgress });
    expect(content).toMatchObject([{ text: expect.stringContaining('accept') }]);
    expect(progress).toEqual([1, 2]);
    await client.close();
  });

  it('include the resources of mounted servers, and can be mounted', async () => {
    const inner = createNotes();
    const outer = createServer({ name: 'outer', ...about, mounts: [mount('n', inner), resourcesAsTools()] });
    const client = await connectPair(outer, { protocolVersion });
    const { resources } = await client.tools.resources_list({});
    expect(resources.map(({ uri }) => uri)).toContain('note://n/oak');
    const read = async (name: string, uri: string) => (await client.callTool(name, { uri })).content;
    expect(await read('resources_read', 'note://n/oak')).toMatchObject([{ text: 'text of oak' }]);
    expect(await read('n_resources_read', 'note://oak')).toMatchObject([{ text: 'text of oak' }]);
    await client.close();
  });
});

it('lists resources in pages', async () => {
  const resources = Object.fromEntries(Array.from({ length: 5 }, (_, n) => [`n://${n}`, resource({ read: () => '' })]));
  const server = createServer({ name: 'many', ...about, pageSize: 2, resources, mounts: [resourcesAsTools()] });
  const client = await connectPair(server);
  const uris: unknown[] = [];
  let cursor: string | undefined;
  do {
    const page = await client.tools.resources_list(cursor === undefined ? {} : { cursor });
    uris.push(...page.resources.map(({ uri }) => uri));
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  expect(uris).toEqual(Object.keys(resources));
  await client.close();
});
