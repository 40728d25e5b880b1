import { connectPair, protocolVersions } from '@tenon/testing';
import { type Context, createServer, forMethod, type Middleware, prompt, resource, rpcError, tasks, tool } from 'tenon';
import { createProxyServer } from 'tenon/proxy';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { mount } from './mount.js';

const about = { version: '1.0.0' };

/** A server with an entry of each kind. */
function createNotes(use: readonly Middleware<{ user: string }>[] = []) {
  return createServer({
    name: 'notes',
    ...about,
    state: () => ({ user: 'notes' }),
    use,
    tools: {
      add: tool({
        input: z.object({ title: z.string() }),
        output: z.object({ uri: z.string() }),
        annotations: { destructiveHint: false },
        run: ({ title }) => ({ uri: `note://${title}` }),
      }),
      link: tool({
        run: () => [
          { type: 'resource_link', uri: 'note://oak', name: 'oak' },
          { type: 'resource_link', uri: 'https://a.example/', name: 'elsewhere' },
          { type: 'resource', resource: { uri: 'note://ash', text: 'ash' } },
        ],
      }),
      who: tool({ run: (_, { state }: Context<{ user: string }>) => state.user }),
      ask: tool({
        run: async (_, ctx) => {
          ctx.progress(1, 2);
          ctx.log('info', 'asking');
          const { action } = await ctx.elicit({ message: 'Sure?', input: z.object({}) });
          return action;
        },
      }),
      secret: tool({ scopes: ['notes:secret'], run: () => 'secret' }),
      view: tool({ _meta: { ui: { resourceUri: 'ui://view.html' } }, run: () => 'shown' }),
    },
    resources: {
      'note://{title}': resource({
        name: 'note',
        list: () => [{ title: 'oak' }],
        complete: { title: ['oak', 'ash'] },
        read: ({ title }) => (title === 'none' ? undefined : `text of ${title}`),
      }),
      'ui://view.html': resource({ mimeType: 'text/html', read: () => '<p>' }),
      'urn:count': resource({ read: () => '2' }),
    },
    prompts: {
      sum: prompt({
        input: z.object({ title: z.string() }),
        complete: { title: ['oak'] },
        run: ({ title }) => [
          { role: 'user', content: { type: 'resource', resource: { uri: `note://${title}`, text: 'x' } } },
        ],
      }),
    },
  });
}

describe.each(protocolVersions)('a mounted server, on %s', protocolVersion => {
  it('offers tools under its prefix, with the links of its resources', async () => {
    const server = createServer({
      name: 'outer',
      ...about,
      tools: { own: tool({ run: () => 'own' }) },
      mounts: [mount('notes', createNotes())],
    });
    const client = await connectPair(server, { protocolVersion });
    const { tools } = await client.call('tools/list');
    expect(tools.map(({ name }) => name)).toEqual([
      'own',
      'notes_add',
      'notes_link',
      'notes_who',
      'notes_ask',
      'notes_secret',
      'notes_view',
    ]);
    if (protocolVersion >= '2025-06-18')
      expect(tools.at(-1)?._meta).toMatchObject({ ui: { resourceUri: 'ui://notes/view.html' } });
    expect(await client.tools.notes_add({ title: 'oak' })).toEqual({ uri: 'note://oak' });
    expect(await client.callTool('own')).toMatchObject({ content: [{ text: 'own' }] });
    expect(await client.callTool('notes_who')).toMatchObject({ content: [{ text: 'notes' }] });
    const { content } = await client.callTool('notes_link');
    const embedded = { resource: { uri: 'note://notes/ash' } };
    if (protocolVersion >= '2025-06-18')
      expect(content).toMatchObject([{ uri: 'note://notes/oak' }, { uri: 'https://a.example/' }, embedded]);
    else expect(content.at(-1)).toMatchObject(embedded);
    await client.close();
  });

  it('offers resources, templates, prompts and completions under its prefix', async () => {
    const server = createServer({ name: 'outer', ...about, mounts: [mount('notes', createNotes())] });
    const client = await connectPair(server, { protocolVersion });
    const { resources } = await client.call('resources/list');
    expect(resources.map(({ uri }) => uri)).toEqual([
      'note://notes/oak',
      'ui://notes/view.html',
      'tenon:notes/urn:count',
    ]);
    const { resourceTemplates } = await client.call('resources/templates/list');
    expect(resourceTemplates).toMatchObject([{ uriTemplate: 'note://notes/{title}' }]);
    expect(await client.call('resources/read', { uri: 'note://notes/oak' })).toMatchObject({
      contents: [{ uri: 'note://notes/oak', text: 'text of oak' }],
    });
    expect(await client.call('resources/read', { uri: 'tenon:notes/urn:count' })).toMatchObject({
      contents: [{ uri: 'tenon:notes/urn:count', text: '2' }],
    });
    for (const uri of ['note://oak', 'note://notes/none'])
      await expect(client.call('resources/read', { uri })).rejects.toMatchObject({ data: { uri } });
    expect(await client.call('prompts/list')).toMatchObject({ prompts: [{ name: 'notes_sum' }] });
    expect(await client.call('prompts/get', { name: 'notes_sum', arguments: { title: 'oak' } })).toMatchObject({
      messages: [{ content: { resource: { uri: 'note://notes/oak' } } }],
    });
    for (const ref of [
      { type: 'ref/prompt', name: 'notes_sum' },
      { type: 'ref/resource', uri: 'note://notes/{title}' },
    ] as const) {
      const params = { ref, argument: { name: 'title', value: 'o' } };
      expect(await client.call('completion/complete', params)).toMatchObject({ completion: { values: ['oak'] } });
    }
    await client.close();
  });

  it('passes input requests, progress and log messages on', async () => {
    const seen: unknown[] = [];
    const server = createServer({ name: 'outer', ...about, mounts: [mount('notes', createNotes())] });
    const elicit = async () => ({ action: 'accept' as const, content: {} });
    const client = await connectPair(server, { protocolVersion, elicit });
    await client.setLogLevel('info');
    client.on('log', ({ data }) => void seen.push(data));
    const onProgress = ({ progress }: { progress: number }) => void seen.push(progress);
    const called = client.callTool('notes_ask', {}, { onProgress });
    if (protocolVersion < '2025-06-18') await called.catch(() => {});
    else expect(await called).toMatchObject({ content: [{ text: 'accept' }] });
    expect(seen).toEqual(expect.arrayContaining([1, 'asking']));
    await client.close();
  });

  it('requires the scopes of its entries before any middleware runs', async () => {
    const methods: string[] = [];
    const watchCalls: Middleware<never> = (operation, next) => {
      methods.push(operation.method);
      return next(operation);
    };
    const server = createServer({
      name: 'outer',
      ...about,
      use: [watchCalls as Middleware],
      mounts: [mount('notes', createNotes())],
    });
    const client = await connectPair(server, { protocolVersion });
    await expect(client.callTool('notes_secret')).rejects.toMatchObject({
      message: expect.stringContaining('notes:secret'),
    });
    expect(methods).not.toContain('tools/call');
    await client.close();
  });

  it('runs its middleware with its own names, inside that of the outer server', async () => {
    const seen: string[] = [];
    const record =
      (label: string): Middleware<never> =>
      (operation, next) => {
        if (operation.method === 'tools/call') seen.push(`${label} ${operation.name}`);
        return next(operation);
      };
    const hide: Middleware<never> = async (operation, next) => {
      const result = await next(operation);
      return operation.method === 'tools/list' ? { ...result, tools: [] } : result;
    };
    const refuse = forMethod<never>('resources/read', () => {
      throw rpcError(1002, 'Not for you');
    });
    const notes = createNotes([record('inner'), hide, refuse] as never);
    const server = createServer({
      name: 'outer',
      ...about,
      use: [record('outer') as Middleware],
      mounts: [mount('n', notes)],
    });
    const client = await connectPair(server, { protocolVersion });
    expect((await client.call('tools/list')).tools).toEqual([]);
    await client.callTool('n_who');
    expect(seen).toEqual(['outer n_who', 'inner who']);
    await expect(client.call('resources/read', { uri: 'note://n/oak' })).rejects.toMatchObject({ rpcCode: 1002 });
    await client.close();
  });

  it('is mounted in several levels, and twice in one server', async () => {
    const notes = createNotes();
    const middle = createServer({ name: 'middle', ...about, mounts: [mount('a', notes)] });
    const server = createServer({ name: 'outer', ...about, mounts: [mount('x', middle), mount('y', notes)] });
    const client = await connectPair(server, { protocolVersion });
    const names = (await client.call('tools/list')).tools.map(({ name }) => name);
    expect(names).toContain('x_a_add');
    expect(names).toContain('y_add');
    expect(await client.tools.x_a_add({ title: 'b' })).toEqual({ uri: 'note://b' });
    expect(await client.call('resources/read', { uri: 'note://x/a/oak' })).toMatchObject({
      contents: [{ uri: 'note://x/a/oak', text: 'text of oak' }],
    });
    const { content } = await client.callTool('x_a_link');
    expect(content.at(-1)).toMatchObject({ resource: { uri: 'note://x/a/ash' } });
    await client.close();
  });

  it('reports changes of its lists and resources', async () => {
    const notes = createNotes();
    const ends: string[] = [];
    notes.resources.set('live://a', { read: () => 'a', subscribe: uri => () => void ends.push(uri) });
    const middle = createServer({ name: 'middle', ...about, mounts: [mount('m', notes)] });
    const server = createServer({ name: 'outer', ...about, mounts: [mount('n', middle)] });
    const client = await connectPair(server, { protocolVersion });
    const seen: unknown[] = [];
    const stop = new AbortController();
    let subscribed = () => {};
    const isSubscribed = new Promise<void>(resolve => {
      subscribed = resolve;
    });
    const watch = { uris: ['live://n/m/a'], tools: true };
    const watching = (async () => {
      for await (const change of client.watch(watch, { signal: stop.signal, onSubscribed: subscribed }))
        seen.push(change);
    })();
    await isSubscribed;
    notes.notifyResourceUpdated('live://a');
    await expect.poll(() => seen).toContainEqual(expect.objectContaining({ uri: 'live://n/m/a' }));
    notes.tools.set('late', tool({ run: () => 'late' }));
    await expect.poll(() => seen).toContainEqual(expect.objectContaining({ list: 'tools' }));
    expect(await client.callTool('n_m_late')).toMatchObject({ content: [{ text: 'late' }] });
    stop.abort();
    await watching.catch(() => {});
    await client.close();
    await expect.poll(() => ends).toEqual(['live://a']);
  });
});

describe('mount()', () => {
  it('runs calls as tasks of the outer server', async () => {
    const jobs = createServer({
      name: 'jobs',
      ...about,
      extensions: [tasks()],
      tools: { build: tool({ task: 'optional', run: async (_, ctx) => ctx.step('build', () => 'built') }) },
    });
    const server = createServer({ name: 'outer', ...about, extensions: [tasks()], mounts: [mount('j', jobs)] });
    const client = await connectPair(server);
    const handle = await client.tasks.start('j_build');
    expect(await handle.result()).toMatchObject({ content: [{ text: 'built' }] });
    await client.close();
    server.close();
    expect(() => createServer({ name: 'outer', ...about, mounts: [mount('j', jobs)] })).toThrow(
      expect.objectContaining({ code: 'server/no-tasks' }),
    );
  });

  it('declares the extensions that a mounted server only declares', async () => {
    const inner = createServer({ name: 'i', ...about, extensions: [{ id: 'com.example/a', settings: { b: 1 } }] });
    const server = createServer({ name: 'outer', ...about, mounts: [mount('i', inner)] });
    const client = await connectPair(server);
    expect(client.server.capabilities.extensions).toEqual({ 'com.example/a': { b: 1 } });
    await client.close();
  });

  it('refuses an invalid prefix, a proxy, a second use of a prefix, and names that clash or are too long', () => {
    const notes = createServer({ name: 'n', ...about, tools: { add: tool({ run: () => '' }) } });
    const make = (mounts: readonly ReturnType<typeof mount>[], tools = {}) =>
      createServer({ name: 'o', ...about, tools, mounts });
    for (const prefix of ['', 'a b', 'a/b', 'x'.repeat(33)])
      expect(() => mount(prefix, notes)).toThrow(expect.objectContaining({ code: 'mount/prefix' }));
    expect(() => mount('__proto__', notes)).toThrow(/with a letter or digit at the beginning, got "__proto__"/);
    const proxy = createProxyServer({ name: 'p', version: '1' }, { methodHandlers: {} });
    expect(() => mount('p', proxy)).toThrow(expect.objectContaining({ code: 'options/invalid' }));
    expect(() => make([mount('a', notes), mount('a', notes)])).toThrow(/two servers are mounted with the prefix "a"/);
    expect(() => make([mount('a', notes)], { a_add: tool({ run: () => '' }) })).toThrow(/two tools are called "a_add"/);
    const long = createServer({ name: 'l', ...about, tools: { ['x'.repeat(60)]: tool({ run: () => '' }) } });
    expect(() => make([mount('abcd', long)])).toThrow(/too long. Expected at most 64 characters/);
  });

  it('refuses mounts that are no results of mount()', () => {
    for (const mounts of [[{}], ['a'], 'a', {}, [{ compose: () => {} }, {}]])
      expect(() => createServer({ name: 'o', ...about, mounts: mounts as never })).toThrow(
        expect.objectContaining({ name: 'TenonError' }),
      );
  });

  it('completes prompts of one name of two mounted servers each by its own', async () => {
    const create = (value: string) =>
      createServer({
        name: value,
        ...about,
        prompts: {
          sum: prompt({
            input: z.object({ title: z.string() }),
            complete: { title: async () => [value] },
            run: () => [],
          }),
        },
      });
    const inner = createServer({ name: 'inner', ...about, mounts: [mount('x', create('one'))] });
    const other = createServer({ name: 'other', ...about, mounts: [mount('x', create('two'))] });
    const server = createServer({ name: 'outer', ...about, mounts: [mount('a', inner), mount('b', other)] });
    const client = await connectPair(server, { protocolVersion: '2025-11-25' });
    const complete = (name: string) =>
      client.call('completion/complete', {
        ref: { type: 'ref/prompt', name },
        argument: { name: 'title', value: '' },
      });
    const results = await Promise.all(['a_x_sum', 'b_x_sum'].map(complete));
    expect(results.map(({ completion }) => completion.values)).toEqual([['one'], ['two']]);
    await client.close();
  });

  it('keeps a mounted server independent: it serves clients of its own, and outlives the outer server', async () => {
    const notes = createNotes();
    const server = createServer({ name: 'outer', ...about, mounts: [mount('n', notes)] });
    server.close();
    const client = await connectPair(notes);
    expect(await client.tools.add({ title: 'oak' })).toEqual({ uri: 'note://oak' });
    notes.tools.set('late', tool({ run: () => '' }));
    await client.close();
  });
});
