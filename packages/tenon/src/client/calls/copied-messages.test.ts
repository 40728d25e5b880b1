import { connectPair, protocolVersions } from '@tenon/testing';
import { describe, expect, it } from 'vitest';
import { connect } from '../../runtimes/web/connect.js';
import { tool } from '../../server/definitions/tool.js';
import { createServer } from '../../server/server.js';

const input = { type: 'object' } as const;

/** A server whose tool tells the kinds of the values it got, and changes them. */
function createProbe() {
  return createServer({
    name: 'probe',
    version: '1',
    tools: {
      inspect: tool({
        input,
        run: args => {
          const values = args as Record<string, unknown>;
          const kinds = Object.keys(values).map(key => `${key}: ${Object.prototype.toString.call(values[key])}`);
          if (Array.isArray(values.list)) values.list.push('changed');
          return kinds.sort().join(', ');
        },
      }),
    },
  });
}

const createArguments = () => ({ at: new Date(0), list: ['a'] });

describe('a client and a server in one process', () => {
  it.each(protocolVersions)('copies what JSON carries, on %s', async protocolVersion => {
    const client = await connect(createProbe(), { protocolVersion });
    const args = createArguments();
    const { content } = await client.callTool('inspect', args);
    expect(content).toEqual([{ type: 'text', text: 'at: [object String], list: [object Array]' }]);
    expect(args.list).toEqual(['a']);
    await client.close();
  });

  it.each([
    ['connect', connect],
    ['connectPair', connectPair],
  ])('shares values after %s with `copyMessages: false`', async (_, open) => {
    const client = await open(createProbe(), { copyMessages: false });
    const args = { ...createArguments(), run: () => 1, map: new Map() };
    const { content } = await client.callTool('inspect', args);
    expect(content).toMatchObject([{ text: expect.stringContaining('at: [object Date]') }]);
    expect(args.list).toEqual(['a', 'changed']);
    await client.close();
  });

  it('rejects arguments that JSON cannot carry, and keeps the connection', async () => {
    const client = await connect(createProbe());
    await expect(client.callTool('inspect', { n: 1n })).rejects.toMatchObject({ code: 'call/unwritable' });
    expect((await client.callTool('inspect', { n: 1 })).isError).toBeUndefined();
    await client.close();
  });

  it('refuses an option that is no boolean', async () => {
    const copyMessages = 'no' as unknown as boolean;
    await expect(connect(createProbe(), { copyMessages })).rejects.toMatchObject({ code: 'connect/options' });
  });
});
