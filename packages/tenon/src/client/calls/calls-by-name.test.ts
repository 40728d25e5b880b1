import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { toolResult } from '../../handler/tool-result.js';
import { dialects } from '../../protocol/versions/index.js';
import { prompt } from '../../server/definitions/prompt.js';
import { resource } from '../../server/definitions/resource.js';
import { tool } from '../../server/definitions/tool.js';
import { createServer } from '../../server/server.js';
import type { Client, ServerTypes } from '../client.js';
import { connectTo } from '../connect.js';
import { createInProcessEndpoint } from '../connection/endpoint.js';
import type { ClientOptions } from '../options.js';

const server = createServer({
  name: 'notes',
  version: '1',
  tools: {
    declares: tool({ output: z.object({ n: z.number() }), run: () => ({ n: 1 }) }),
    volunteers: tool({ run: () => toolResult({ content: 'one', structuredContent: { n: 1 } }) }),
    fails: tool({ run: (_, ctx) => ctx.fail('no') }),
  },
  prompts: {
    count: prompt({ input: z.object({ to: z.string() }), complete: { to: ['10', '20'] }, run: ({ to }) => `to ${to}` }),
  },
  resources: {
    'note://a': resource({ read: () => 'A' }),
    'note://by/{title}': resource({ read: ({ title }) => title }),
  },
});

async function withClient(
  use: (client: Client<typeof server>) => Promise<void>,
  options: ClientOptions = {},
): Promise<void> {
  const client = await connectTo<typeof server & ServerTypes>(createInProcessEndpoint(server), options);
  await use(client).finally(() => client.close());
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

describe.each(dialects.map(({ protocolVersion }) => protocolVersion))('a client on %s', version => {
  it('lists, calls, gets, reads and completes by name', () =>
    withClient(
      async client => {
        const { tools: _, prompts: __, ...byName } = client;
        expect((await all(byName.listTools())).map(({ name }) => name)).toEqual(['declares', 'volunteers', 'fails']);
        expect((await all(byName.listPrompts())).map(({ name }) => name)).toEqual(['count']);
        expect((await all(byName.listResources())).map(({ uri }) => uri)).toEqual(['note://a']);
        const templates = await all(byName.listResourceTemplates());
        expect(templates.map(({ uriTemplate }) => uriTemplate)).toEqual(['note://by/{title}']);
        expect(await byName.callTool('fails')).toMatchObject({ isError: true, content: [{ text: 'no' }] });
        expect(await byName.getPrompt('count', { to: 3, left: undefined })).toMatchObject({
          messages: [{ content: { text: 'to 3' } }],
        });
        expect((await byName.readResource('note://by/b')).contents).toMatchObject([{ text: 'b' }]);
        const ref = { type: 'ref/prompt', name: 'count' } as const;
        expect((await byName.complete({ ref, argument: { name: 'to', value: '1' } })).values).toContain('10');
      },
      { protocolVersion: version },
    ));

  it('resolves a call on `tools` to the structured content of the tool', () =>
    withClient(
      async client => {
        expect(await client.tools.declares()).toEqual({ n: 1 });
      },
      { protocolVersion: version },
    ));
});
