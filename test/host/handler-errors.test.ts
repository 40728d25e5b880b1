import { createHost, type HostOptions } from '@tenon/host';
import { connect, createServer, rpcError, type TenonError, tool } from 'tenon';
import { describe, expect, it } from 'vitest';

const messages = [{ role: 'user' as const, content: { type: 'text' as const, text: 'q' } }];
const form = { message: 'm', input: { type: 'object', properties: {} } } as const;

/** Creates a server whose tools request input, and a list of the errors that they got. */
function createAskingServer(protocolVersion: '2025-06-18' | '2025-11-25' | '2026-07-28') {
  const errors: TenonError[] = [];
  const ask = (request: (context: Parameters<Parameters<typeof tool>[0]['run']>[1]) => Promise<unknown>) =>
    tool({
      async run(_, context) {
        try {
          return JSON.stringify(await request(context));
        } catch (error) {
          errors.push(error as TenonError);
          throw error;
        }
      },
    });
  const server = createServer({
    name: 'asking',
    version: '1',
    protocolVersions: [protocolVersion],
    onError: () => {},
    tools: {
      sample: ask(context => context.sample({ messages, maxTokens: 1 })),
      roots: ask(context => context.roots()),
      elicit: ask(context => context.elicit(form)),
    },
  });
  return { server, errors };
}

const handlers = (fail: () => never): Pick<HostOptions, 'sample' | 'roots' | 'elicit'> => ({
  sample: fail,
  roots: fail,
  elicit: fail,
});
const TOOLS = ['sample', 'roots', 'elicit'];

describe('a handler of a host that throws', () => {
  it.each(['2025-06-18', '2025-11-25'] as const)('sends an error response to the server of %s', async version => {
    const { server, errors } = createAskingServer(version);
    const reported: TenonError[] = [];
    const fail = () => {
      throw new Error('the password is hunter22');
    };
    const host = await createHost({
      servers: { asking: { service: server } },
      prefix: 'never',
      onError: error => void reported.push(error),
      ...handlers(fail),
    });
    for (const name of TOOLS) expect(await host.callTool(name)).toMatchObject({ isError: true });
    expect(errors.map(({ rpcCode, summary }) => [rpcCode, summary])).toEqual([
      [-32603, 'The handler for sampling/createMessage failed'],
      [-32603, 'The handler for roots/list failed'],
      [-32603, 'The handler for elicitation/create failed'],
    ]);
    expect(reported.map(({ code }) => code)).toEqual(['handler/threw', 'handler/threw', 'handler/threw']);
    await host.close();
  });

  it('fails the call of a server of 2026-07-28', async () => {
    const { server, errors } = createAskingServer('2026-07-28');
    const fail = () => {
      throw rpcError(-1, 'User rejected sampling request');
    };
    const host = await createHost({ servers: { asking: { service: server } }, prefix: 'never', ...handlers(fail) });
    for (const name of TOOLS)
      await expect(host.callTool(name)).rejects.toMatchObject({
        rpcCode: -1,
        summary: 'User rejected sampling request',
      });
    expect(errors).toEqual([]);
    await host.close();
  });

  it('passes the code and the message of its own error on, without secrets', async () => {
    const { server, errors } = createAskingServer('2025-11-25');
    const fail = () => {
      throw rpcError(-1, `User rejected sampling request, token=ghp_${'a'.repeat(36)} ${'x'.repeat(1000)}`);
    };
    const host = await createHost({ servers: { asking: { service: server } }, prefix: 'never', ...handlers(fail) });
    const { content } = await host.callTool('sample');
    expect(errors).toMatchObject([{ rpcCode: -1, summary: expect.stringContaining('User rejected sampling request') }]);
    const [text] = content.map(block => (block.type === 'text' ? block.text : ''));
    expect(text).toMatch(/^The client answered sampling\/createMessage with an error: User rejected .*\(-1\)$/);
    expect(text).not.toContain('ghp_aaa');
    expect(text?.length).toBeLessThan(700);
    await host.close();
  });
});

describe('an error of the caller of a gateway', () => {
  it('reaches the server and the result of the call with its code and message', async () => {
    const { server, errors } = createAskingServer('2025-06-18');
    const host = await createHost({ servers: { asking: { service: server } }, prefix: 'never' });
    const fail = () => {
      throw rpcError(-1, 'User rejected sampling request');
    };
    const client = await connect(host.toServer(), { protocolVersion: '2025-06-18', sample: fail });
    expect(await client.callTool('sample')).toMatchObject({
      isError: true,
      content: [
        { text: 'The client answered sampling/createMessage with an error: User rejected sampling request (-1)' },
      ],
    });
    expect(errors).toMatchObject([{ code: 'peer/error', rpcCode: -1, summary: 'User rejected sampling request' }]);
    await client.close();
    await host.close();
  });
});
