import { connectPair, protocolVersions } from '@tenon/testing';
import { describe, expect, it } from 'vitest';
import { tool } from '../server/definitions/tool.js';
import { createServer } from '../server/server.js';
import { createTransportPair } from '../transports/memory.js';
import { connectTo } from './connect.js';
import { createInProcessEndpoint, createTransportEndpoint } from './connection/endpoint.js';
import type { ClientOptions } from './options.js';

const createNotes = () =>
  createServer({
    name: 's',
    version: '1',
    tools: {
      write: tool({ scopes: ['notes:write'], run: (_, ctx) => ({ ...ctx.auth }) }),
    },
  });

const ada = { principal: 'ada', clientId: 'editor', scopes: ['notes:write'] };

describe.each(protocolVersions)('the caller of a connection in memory on %s', protocolVersion => {
  const connections = [
    ['connect', (options: ClientOptions) => connectTo(createInProcessEndpoint(createNotes(), options), options)],
    ['connectPair', (options: ClientOptions) => connectPair(createNotes(), options)],
  ] as const;

  it.each(connections)('passes the caller given to `%s` to the tool', async (_, connect) => {
    const client = await connect({ protocolVersion, caller: ada });
    const { content } = await client.callTool('write');
    expect(content).toMatchObject([{ text: JSON.stringify(ada) }]);
    await client.close();
  });

  it.each(connections)('rejects with 403 without a scope that the tool needs, by `%s`', async (_, connect) => {
    for (const caller of [undefined, { principal: 'ada', scopes: ['notes:read'] }]) {
      const client = await connect({ protocolVersion, caller });
      await expect(client.callTool('write')).rejects.toMatchObject({ rpcCode: 403, data: { scopes: ['notes:write'] } });
      await client.close();
    }
  });
});

describe('the option `caller`', () => {
  it('rejects a target that is not a server in this process', async () => {
    const pair = createTransportPair();
    await createNotes().connect(pair.server);
    await expect(connectTo(createTransportEndpoint(pair.client), { caller: ada })).rejects.toMatchObject({
      code: 'connect/caller',
    });
  });

  it('validates its value', async () => {
    const caller = { scopes: ['notes:write'] } as unknown as typeof ada;
    await expect(connectPair(createNotes(), { caller })).rejects.toMatchObject({ code: 'connect/options' });
  });

  it.each(['connect', 'the server'])('is refused by %s with a text as scopes', async by => {
    const auth = { principal: 'ada', scopes: 'notes:write-own' } as unknown as typeof ada;
    const server = createNotes();
    const connected =
      by === 'connect'
        ? connectTo(createInProcessEndpoint(server, { caller: auth }), { caller: auth })
        : server.connect(createTransportPair().server, { auth });
    await expect(connected).rejects.toMatchObject({
      code: by === 'connect' ? 'connect/options' : 'auth/caller',
      received: 'a string',
    });
  });

  it('accepts a caller without scopes', async () => {
    const client = await connectPair(createNotes(), { caller: { principal: 'ada' } });
    await expect(client.callTool('write')).rejects.toMatchObject({ rpcCode: 403 });
    await client.close();
  });
});
