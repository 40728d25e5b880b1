import { rpcError, TenonError } from '@tenon/base';
import { describe, expect, it } from 'vitest';
import { connectTo } from '../../client/connect.js';
import { createInProcessEndpoint } from '../../client/connection/endpoint.js';
import { prompt } from '../definitions/prompt.js';
import { resource } from '../definitions/resource.js';
import { tool } from '../definitions/tool.js';
import { createServer } from '../server.js';

const request = { messages: [{ role: 'user' as const, content: { type: 'text' as const, text: 'q' } }], maxTokens: 1 };
const TEXT = 'The client answered sampling/createMessage with an error: not today';

async function start(code: number) {
  const errors: TenonError[] = [];
  const server = createServer({
    name: 'a',
    version: '1',
    onError: error => void errors.push(error),
    tools: {
      ask: tool({ run: (_, ctx) => ctx.sample(request).then(() => 'x') }),
      other: tool({
        run() {
          throw new TenonError('peer/error', 'an error of another server', { rpcCode: -5, peer: 'other' });
        },
      }),
    },
    prompts: { ask: prompt({ run: (_, ctx) => ctx.sample(request).then(() => 'x') }) },
    resources: { 'ask:a': resource({ read: (_, ctx) => ctx.sample(request).then(() => 'x') }) },
  });
  const sample = () => {
    throw rpcError(code, 'not today');
  };
  return {
    errors,
    client: await connectTo(createInProcessEndpoint(server), { protocolVersion: '2025-11-25', sample }),
  };
}

describe('an error that the client responds to an input request', () => {
  it('becomes the result of the tool, and the error of other requests', async () => {
    const { client, errors } = await start(-1);
    expect(await client.callTool('ask')).toEqual({ isError: true, content: [{ type: 'text', text: `${TEXT} (-1)` }] });
    const expected = { rpcCode: -1, summary: `${TEXT} (-1)` };
    await expect(client.getPrompt('ask')).rejects.toMatchObject(expected);
    await expect(client.readResource('ask:a')).rejects.toMatchObject(expected);
    expect(errors).toHaveLength(3);
    await client.close();
  });

  it.each([-32601, -32600, -32700, -32020, -32022])('becomes -32603 when its code is %d', async code => {
    const { client } = await start(code);
    await expect(client.getPrompt('ask')).rejects.toMatchObject({ rpcCode: -32603, summary: `${TEXT} (${code})` });
    await client.close();
  });

  it('differs from an error of another peer, which stays hidden', async () => {
    const { client } = await start(-1);
    expect(await client.callTool('other')).toMatchObject({ content: [{ text: 'Tool other failed' }] });
    await client.close();
  });
});
