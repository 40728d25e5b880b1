import { createHost, parseConfig, type ServerSelection, type ToolOverride, type ToolSettings } from '@tenon/host';
import { connectPair } from '@tenon/testing';
import { createServer, prompt, resource, tool } from 'tenon';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { collect } from '../interop/collect.js';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const createTools = (...names: string[]) =>
  Object.fromEntries(names.map(name => [name, tool({ description: `Does ${name}`, run: () => name })]));
const notes = createServer({
  name: 'notes',
  version: '1.0.0',
  tools: createTools('read_file', 'read_all', 'cat', 'erase'),
  prompts: { read_aloud: prompt({ run: () => 'Read' }), other: prompt({ run: () => 'Other' }) },
  resources: {
    'note://a': resource({ name: 'a', read: () => 'a' }),
    'note://b': resource({ name: 'b', read: () => 'b' }),
  },
});

async function open(tools: ToolSettings | undefined, { prefix = 'always', selection }: Setup = {}) {
  const host = await createHost({ servers: { notes: { service: notes, tools } }, prefix, rateLimits: false });
  const client = await connectPair(host.toServer(selection));
  closing.push(
    () => host.close(),
    () => client.close(),
  );
  const list = async () => (await collect(client.listTools())).map(({ name }) => name);
  const call = async (name: string) => ((await client.callTool(name)).content[0] as { text: string }).text;
  return { host, client, list, call };
}

interface Setup {
  readonly prefix?: 'always' | 'never';
  readonly selection?: ServerSelection;
}

const unknown = { rpcCode: -32602 };

describe('overridden tool names', () => {
  const overrides = {
    read_file: { name: 'cat', title: 'Cat', description: 'Shows a file' },
    erase: { title: 'Erase' },
  };

  it.each(['always', 'never'] as const)('are listed and called, with prefix %s', async prefix => {
    const { client, list, call } = await open({ overrides }, { prefix });
    const start = prefix === 'always' ? 'notes__' : '';
    expect(await list()).toEqual([`${start}cat`, `${start}read_all`, `${start}erase`]);
    expect(await call(`${start}cat`)).toBe('read_file');
    expect(await call(`${start}erase`)).toBe('erase');
    // Neither the original name nor the tool whose name was taken can be called.
    await expect(call(`${start}read_file`)).rejects.toMatchObject(unknown);
    const [first, , last] = await collect(client.listTools());
    expect(first).toMatchObject({ title: 'Cat', description: 'Shows a file' });
    expect(last).toMatchObject({ title: 'Erase', description: 'Does erase' });
  });

  it('are callable before the list was read', async () => {
    const { call } = await open({ overrides });
    expect(await call('notes__cat')).toBe('read_file');
  });

  it.each(['always', 'never'] as const)('are told for each tool of a server, with prefix %s', async prefix => {
    const { host, list } = await open({ overrides }, { prefix, selection: { servers: ['notes'] } });
    const getNames = () => ['read_file', 'read_all', 'erase'].map(name => host.getToolName('notes', name));
    expect(getNames()).toEqual(await list());
    await host.disableServer('notes');
    expect(getNames()).not.toContain(undefined);
    expect(host.getToolName('other', 'read_file')).toBeUndefined();
  });

  it('are told for a server and a tool whose names have a digest', async () => {
    const service = createServer({ name: 'any', version: '1.0.0', tools: createTools('files.read') });
    const host = await createHost({ servers: { 'My Notes!': { service } } });
    closing.push(() => host.close());
    const [listed] = await collect(host.client.listTools());
    expect(listed?.name).toMatch(/_h[a-z2-7]{10}__files_read_h[a-z2-7]{10}$/);
    expect(host.getToolName('My Notes!', 'files.read')).toBe(listed?.name);
  });

  it('can be swapped', async () => {
    const { list, call } = await open({ overrides: { cat: { name: 'erase' }, erase: { name: 'cat' } } });
    expect(await list()).toEqual(['notes__read_file', 'notes__read_all', 'notes__erase', 'notes__cat']);
    expect([await call('notes__erase'), await call('notes__cat')]).toEqual(['cat', 'erase']);
  });

  it('are filtered and evaluated by their names at the server', async () => {
    const { host, list, call } = await open({ include: ['read_file'], overrides });
    expect(await list()).toEqual(['notes__cat']);
    host.update({ policy: [{ action: 'deny', tool: 'read_file' }, { action: 'allow' }] });
    expect(await call('notes__cat')).toContain('denied by rule 1');
  });
});

describe('overridden arguments of a tool', () => {
  const search = createServer({
    name: 'search',
    version: '1.0.0',
    tools: {
      find: tool({
        input: z.object({ text: z.string(), limit: z.number(), user: z.string() }),
        run: ({ text, limit, user }) => `${text} ${limit} ${user}`,
      }),
    },
  });

  async function connectTo(find: ToolOverride, onError: (error: Error) => void = () => {}) {
    const servers = { search: { service: search, tools: { overrides: { find } } } };
    const host = await createHost({
      servers,
      onError,
      policy: [{ action: 'deny', tool: 'find', arguments: { user: 'eve' } }, { action: 'allow' }],
    });
    const client = await connectPair(host.toServer());
    closing.push(
      () => host.close(),
      () => client.close(),
    );
    return client;
  }

  it('have default values, and are hidden', async () => {
    const client = await connectTo({ defaults: { limit: 5, user: 'ann' }, hide: ['user'] });
    const [listed] = await collect(client.listTools());
    expect(listed?.inputSchema).toMatchObject({ required: ['text'], properties: { limit: { default: 5 } } });
    expect(Object.keys(listed?.inputSchema.properties ?? {})).toEqual(['text', 'limit']);
    const call = async (args: object) => (await client.callTool('search__find', { ...args })).content;
    expect(await call({ text: 'oak' })).toMatchObject([{ text: 'oak 5 ann' }]);
    expect(await call({ text: 'oak', limit: 7 })).toMatchObject([{ text: 'oak 7 ann' }]);
    await expect(call({ text: 'oak', user: 'bob' })).rejects.toMatchObject({
      rpcCode: -32602,
      message: expect.stringContaining('/user'),
    });
  });

  it('are read by the policy with their default values', async () => {
    const client = await connectTo({ defaults: { user: 'eve' }, hide: ['user'] });
    const { content } = await client.callTool('search__find', { text: 'oak', limit: 1 });
    expect(content).toMatchObject([{ text: expect.stringContaining('denied by rule 1') }]);
  });

  it('are reported if the tool has none of this name, or a hidden one needs a value', async () => {
    const errors: string[] = [];
    const override = { defaults: { limt: 5 }, hide: ['user'] };
    const client = await connectTo(override, error => errors.push(error.message));
    await collect(client.listTools());
    await collect(client.listTools());
    expect(errors).toEqual([
      expect.stringContaining('"user" in `tools.overrides.find.hide` is a required argument without a value'),
      expect.stringContaining('Did you mean "limit"?'),
    ]);
  });
});

describe('a selection of entries', () => {
  const selection = { servers: ['notes/read_*', 'notes/note://a'] };

  it('offers the matching tools, prompts and resources only', async () => {
    const { client, list, call } = await open(undefined, { selection });
    expect(await list()).toEqual(['notes__read_file', 'notes__read_all']);
    expect((await collect(client.listPrompts())).map(({ name }) => name)).toEqual(['notes__read_aloud']);
    expect((await collect(client.listResources())).map(({ uri }) => uri)).toEqual(['note://a']);
    expect(await call('notes__read_all')).toBe('read_all');
  });

  it('refuses all others as unknown', async () => {
    const { client, call } = await open(undefined, { selection });
    await expect(call('notes__erase')).rejects.toMatchObject(unknown);
    await expect(client.getPrompt('notes__other')).rejects.toMatchObject(unknown);
    await expect(client.readResource('note://b')).rejects.toMatchObject({
      summary: expect.stringContaining('not found'),
    });
    expect((await client.readResource('note://a')).contents).toMatchObject([{ text: 'a' }]);
  });

  it('offers everything of a server that it names without an entry', async () => {
    const { list } = await open(undefined, { selection: { servers: ['notes/read_*', 'notes'] } });
    expect(await list()).toHaveLength(4);
  });
});

describe('the configuration of tools', () => {
  const parse = (configuration: object) =>
    parseConfig(JSON.stringify(configuration), { file: '/mcp.json', scope: 'user', env: () => undefined });
  const parseTools = (tools: unknown) => parse({ mcpServers: { notes: { command: 'notes', tools } } });

  it('contains names, texts, arguments, and virtual servers', async () => {
    const defaults = { depth: 2, filter: { kinds: ['a', null], all: false } };
    const override = { name: 'cat', description: 'Shows a file', defaults, hide: ['depth'] };
    const tools = { include: ['read_*'], overrides: { read_file: override } };
    const read = await parse({
      mcpServers: { notes: { command: 'notes', tools } },
      virtualServers: { docs: ['notes/read_*'] },
    });
    expect(read).toMatchObject({ findings: [], entries: [{ tools }], virtualServers: { docs: ['notes/read_*'] } });
    expect((await parseTools(['read_*'])).entries).toMatchObject([{ tools: { include: ['read_*'] } }]);
  });

  it.each<[unknown, string]>([
    [{ overrides: [] }, 'an object of tools by their names at the server'],
    [{ overrides: { a: 'b' } }, 'an object with name, title, description, defaults or hide'],
    [{ overrides: { a: { defaults: [] } } }, 'an object of arguments with their values'],
    [{ overrides: { a: { hide: 'b' } } }, 'an array of strings'],
    [{ overrides: { a: { name: 'b c' } } }, 'invalid name of a tool'],
    [{ overrides: { a: { name: 'c' }, b: { name: 'c' } } }, 'two tools have the name "c"'],
    [{ overrides: { a: { description: 5 } } }, 'a text of at most'],
  ])('is refused: %j', async (tools, message) => {
    const { entries, findings } = await parseTools(tools);
    expect(entries).toEqual([]);
    expect(findings[0]?.error.message).toContain(message);
  });

  it.each([{ docs: [] }, { docs: 'notes' }, { 'a/b': ['notes'] }, [], { docs: [1] }])(
    'is refused for virtual servers: %j',
    async virtualServers => {
      const { findings } = await parse({ mcpServers: { notes: { command: 'notes' } }, virtualServers });
      expect(findings).toMatchObject([{ level: 'error', error: { code: 'config/shape' } }]);
    },
  );
});
