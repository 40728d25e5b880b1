import type { TenonError } from '@tenon/base';
import { connectPair, protocolVersions } from '@tenon/testing';
import { describe, expect, it } from 'vitest';
import { tool } from '../../server/definitions/tool.js';
import { createServer } from '../../server/server.js';
import type { ClientOptions } from '../options.js';

const RESERVED = { 'a.b.mcp.dev/x': 1 };

const server = createServer({
  name: 'a',
  version: '1',
  tools: {
    show: tool({ run: (_, { meta }) => JSON.stringify(meta) }),
    elicit: tool({
      run: async (_, context) =>
        (await context.elicit({ message: 'a', input: { type: 'object', properties: {} } })).action,
    }),
    sample: tool({
      run: async (_, context) => (await context.sample({ messages: [], maxTokens: 1 })).model,
    }),
    roots: tool({ run: async (_, context) => String((await context.roots()).length) }),
  },
});

describe('the _meta that a caller passes', () => {
  it.each(protocolVersions)(
    'rejects a reserved prefix on %s [base.meta.reserved-prefix-domain-order]',
    async protocolVersion => {
      const client = await connectPair(server, { protocolVersion });
      const refusal = { code: 'meta/reserved' };
      await expect(client.callTool('show', {}, { meta: RESERVED })).rejects.toMatchObject(refusal);
      await expect(client.tools.show({}, { meta: RESERVED })).rejects.toMatchObject(refusal);
      await expect(client.call('tools/list', { _meta: RESERVED })).rejects.toMatchObject(refusal);
      await expect(client.notify('example/n', { _meta: RESERVED })).rejects.toMatchObject(refusal);
      await expect(client.listTools({ meta: RESERVED })[Symbol.asyncIterator]().next()).rejects.toMatchObject(refusal);
      const { content } = await client.callTool('show', {}, { meta: { 'com.example.mcp/x': 1, traceparent: 'a' } });
      expect(content).toMatchObject([{ text: expect.stringContaining('"com.example.mcp/x":1') }]);
      await client.close();
    },
  );

  it.each<[string, ClientOptions]>([
    ['elicit', { elicit: () => ({ action: 'accept', content: {}, _meta: RESERVED }) }],
    [
      'sample',
      { sample: () => ({ role: 'assistant', content: { type: 'text', text: 'a' }, model: 'm', _meta: RESERVED }) },
    ],
    ['roots', { roots: [{ uri: 'file:///a', _meta: RESERVED }] }],
  ])('rejects a reserved prefix in the response of %s', async (name, options) => {
    const client = await connectPair(server, { ...options, protocolVersion: '2025-11-25' });
    const errors: TenonError[] = [];
    client.on('error', error => errors.push(error));
    expect(await client.callTool(name)).toMatchObject({ isError: true });
    expect(errors).toMatchObject([{ code: 'meta/reserved' }]);
    await client.close();
  });
});
