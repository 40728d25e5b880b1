import { createHost, parseConfig, type ServerSelection, type ToolSettings } from '@tenon/host';
import { connectPair } from '@tenon/testing';
import { createServer, prompt, resource, tool } from 'tenon';
import { afterEach, describe, expect, it } from 'vitest';
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

  it('contains names, texts, and virtual servers', async () => {
    const tools = { include: ['read_*'], overrides: { read_file: { name: 'cat', description: 'Shows a file' } } };
    const read = await parse({
      mcpServers: { notes: { command: 'notes', tools } },
      virtualServers: { docs: ['notes/read_*'] },
    });
    expect(read).toMatchObject({ findings: [], entries: [{ tools }], virtualServers: { docs: ['notes/read_*'] } });
    expect((await parseTools(['read_*'])).entries).toMatchObject([{ tools: { include: ['read_*'] } }]);
  });

  it.each<[unknown, string]>([
    [{ overrides: [] }, 'an object of tools by their names at the server'],
    [{ overrides: { a: 'b' } }, 'an object with name, title or description'],
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
