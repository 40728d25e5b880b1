import { TenonError } from '@tenon/base';
import { connectPair, protocolVersions } from '@tenon/testing';
import { expect, it } from 'vitest';
import { tool } from '../../definitions/tool.js';
import { createServer } from '../../server.js';

it.each(protocolVersions)(
  'names the state of the store that ended a tool on %s, with a safe next step',
  async version => {
    const errors: string[] = [];
    let code = 'store/full';
    const server = createServer({
      name: 's',
      version: '1',
      onError: error => void errors.push(error.code),
      tools: {
        greet: tool({
          run: () => {
            throw new TenonError(code, 'redis://secret-host: no memory left');
          },
        }),
      },
    });
    const client = await connectPair(server, { protocolVersion: version });
    const advice = 'Check the effect of the call before you send it again';
    const call = async () => (await client.callTool('greet')) as unknown;
    expect(await call()).toMatchObject({
      isError: true,
      content: [{ text: `Tool greet failed: The store of the server is full. ${advice}` }],
    });
    code = 'store/unavailable';
    expect(await call()).toMatchObject({
      content: [{ text: `Tool greet failed: The store of the server does not respond. ${advice}` }],
    });
    code = 'store/failed';
    expect(await call()).toMatchObject({ content: [{ text: 'Tool greet failed' }] });
    expect(errors).toHaveLength(3);
    await client.close();
  },
);
