import { describe, expect, it } from 'vitest';
import { connectPair, protocolVersions } from '../../connect-pair.js';
import { recordSession } from '../fixtures/record-session.js';
import { createMockServer, type MockServerOptions } from './mock-server.js';

const record = () =>
  recordSession(
    async client => {
      for await (const _ of client.listTools());
      for await (const _ of client.listResources());
      await client.callTool('count');
      await client.callTool('count');
      await client.callTool('echo', { message: 'hi', n: 1 });
      await client.readResource('note://a');
      await client.getPrompt('hello');
      await client.callTool('none').catch(() => {});
    },
    { protocolVersion: '2025-06-18' },
  );

const LISTING = JSON.stringify({
  server: { name: 'shop', version: '2.0.0' },
  protocolVersion: '2025-11-25',
  instructions: 'Buy.',
  tokens: 5,
  tools: [
    {
      name: 'price',
      signature: 'price(of: string)',
      tokens: 5,
      inputSchema: { type: 'object', properties: { of: { type: 'string' } }, required: ['of'] },
      outputSchema: { type: 'object', properties: { euros: { type: 'integer', minimum: 1 } }, required: ['euros'] },
    },
  ],
  resources: [],
  resourceTemplates: [{ uriTemplate: 'shop://{id}', name: 'article' }],
  prompts: [],
});

describe.each(protocolVersions)('a mock server on %s', protocolVersion => {
  const open = (source: string, options?: MockServerOptions) =>
    connectPair(createMockServer(source, options), { protocolVersion, validate: 'off' });

  it('returns the recorded responses, in their order for equal calls [cli.mock]', async () => {
    const client = await open(await record());
    const count = async () => JSON.stringify((await client.callTool('count')).content);
    expect(await count()).toContain('1');
    expect(await count()).toContain('2');
    expect(await count()).toContain('2');
    expect(JSON.stringify(await client.callTool('echo', { message: 'hi', n: 1 }))).toContain('hi');
    expect((await client.readResource('note://a')).contents).toMatchObject([{ text: 'Hide glue' }]);
    expect((await client.getPrompt('hello')).messages).toHaveLength(1);
    await expect(client.callTool('none')).rejects.toThrow();
    expect(client.server.info?.name).toBe('notes');
    await client.close();
  });

  it('returns an example of the output schema if no response is recorded [cli.mock]', async () => {
    const client = await open(LISTING);
    const result = await client.callTool('price', { of: 'glue' });
    expect(JSON.stringify(result.content)).toMatch(/euros/);
    expect(await client.callTool('price', { of: 5 }).catch(() => ({ isError: true }))).toMatchObject({ isError: true });
    expect((await client.readResource('shop://7')).contents).toMatchObject([{ text: 'Mock of shop://7' }]);
    await expect(client.readResource('other://7')).rejects.toThrow();
    await client.close();
  });
});

it('refuses calls that are not recorded with `strict`', async () => {
  const client = await connectPair(createMockServer(await record(), { unrecorded: 'refuse' }));
  await expect(client.callTool('echo', { message: 'other' })).rejects.toThrow('not in the recording. Recorded are');
  await client.close();
});

it('reads one server of a lock file [cli.mock]', async () => {
  const definition = { name: 'price', inputSchema: { type: 'object' } };
  const server = {
    about: { definition: { name: 'shop', version: '1' } },
    tools: { price: { digest: 'd', definition } },
  };
  const lock = JSON.stringify({ lockfileVersion: 1, servers: { shop: server, notes: server } });
  const client = await connectPair(createMockServer(lock, { server: 'shop' }));
  const names: string[] = [];
  for await (const { name } of client.listTools()) names.push(name);
  expect(names).toEqual(['price']);
  await client.close();
  expect(() => createMockServer(lock)).toThrow('one of shop, notes');
});

it('refuses the name of a server that the file does not have', () => {
  const list = JSON.stringify({ server: { name: 'shop', version: '1' }, tools: [] });
  expect(() => createMockServer(list, { server: 'notes' })).toThrow('Expected one of shop, got notes');
  expect(() => createMockServer('{"tools":[]}', { server: 'notes' })).toThrow('Expected no name, got notes');
  expect(() => createMockServer(list, { server: 'shop' })).not.toThrow();
  const lock = JSON.stringify({ lockfileVersion: 1, servers: { shop: {} } });
  expect(() => createMockServer(lock, { server: 'notes' })).toThrow('Expected one of shop, got notes');
});

it.each(['', 'nonsense', '[]', '{}', '{"tools":1}', '{"servers":{}}'])('rejects %j', source => {
  expect(() => createMockServer(source)).toThrow(expect.objectContaining({ code: 'mock/source' }));
});
