import { createHost } from '@tenon/host';
import { type ClientOptions, connect, createServer, rpcError, TenonError, tool } from 'tenon';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';

const VERSIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'] as const;
const yes = z.object({ yes: z.boolean() });
const messages = [{ role: 'user' as const, content: { type: 'text' as const, text: 'What is it?' } }];

/** A server whose tools tell what came of their questions. */
function curious() {
  const notifications: string[] = [];
  const notify = async (asking: Promise<unknown>) => {
    const text = await asking.then(
      answer => JSON.stringify(answer),
      (error: TenonError) => `${error.rpcCode}: ${error.summary} ${JSON.stringify(error.data) ?? ''}`.trim(),
    );
    notifications.push(text);
    return text;
  };
  const server = createServer({
    name: 'curious',
    version: '1',
    tools: {
      form: tool({ run: (_, ctx) => notify(ctx.elicit({ message: 'Sure?', input: yes })) }),
      model: tool({ run: (_, ctx) => notify(ctx.sample({ maxTokens: 5, messages })) }),
      folders: tool({ run: (_, ctx) => notify(ctx.roots()) }),
    },
  });
  return { server, notifications };
}

const refuses = (): never => {
  throw rpcError(-1, 'User rejected sampling request', { by: 'ada' });
};
const fails = (): never => {
  throw new Error('the disk at /home/ada is full');
};
const answers = (run: () => never): ClientOptions => ({ elicit: run, sample: run, roots: run });

async function behindHost(options: ClientOptions) {
  const { server, notifications } = curious();
  const host = await createHost({ prefix: 'auto', servers: { curious: { service: server } }, onError: () => {} });
  onTestFinished(() => host.close());
  const client = await connect(host.toServer(), options);
  onTestFinished(() => client.close());
  return { client, notifications };
}

describe('a request of a server to a client behind a host', () => {
  const requests = VERSIONS.flatMap(version =>
    ['model', 'folders', ...(version >= '2025-06-18' ? ['form'] : [])].map(name => [name, version] as const),
  );

  it.each(requests)('gets the refusal of the handler for %s, in %s', async (name, protocolVersion) => {
    const { client, notifications } = await behindHost({ protocolVersion, ...answers(refuses) });
    await client.callTool(name, {}).catch(() => {});
    expect(notifications).toEqual(['-1: User rejected sampling request {"by":"ada"}']);
  });

  it.each(requests)('gets an error without internals for %s, in %s', async (name, protocolVersion) => {
    const { client, notifications } = await behindHost({ protocolVersion, ...answers(fails) });
    await client.callTool(name, {}).catch(() => {});
    expect(notifications).toEqual(['-32603: Internal error']);
  });
});

describe('a protocol error of a server', () => {
  it.each([...VERSIONS, '2026-07-28'])(
    'passes a host with its code, message and data, in %s',
    async protocolVersion => {
      const server = createServer({
        name: 'strict',
        version: '1',
        tools: {
          pay: tool({
            run: () => {
              throw rpcError(-32050, 'Payment needed', { amount: 3 });
            },
          }),
        },
      });
      const host = await createHost({ prefix: 'auto', servers: { strict: { service: server } }, onError: () => {} });
      onTestFinished(() => host.close());
      const client = await connect(host.toServer(), { protocolVersion });
      onTestFinished(() => client.close());
      const error = await client.callTool('pay', {}).catch(TenonError.from);
      expect(error).toMatchObject({ rpcCode: -32050, summary: 'Payment needed', data: { amount: 3 } });
    },
  );
});
