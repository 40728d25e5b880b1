import { createServer, prompt, resource, tool } from 'tenon';
import { mount, promptsAsTools, resourcesAsTools, transformTool } from 'tenon/compose';
import { serveHttp } from 'tenon/node';
import { afterAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { getText } from './collect.js';
import { connectSdkV1 } from './sdk-v1-client.js';
import { connectSdkV2 } from './sdk-v2-client.js';

const handshakes = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'];
const connections = [
  ...handshakes.map(version => ({ sdk: 'v1', version, connectSdk: connectSdkV1 })),
  ...handshakes.map(version => ({ sdk: 'v2', version, connectSdk: connectSdkV2 })),
  {
    sdk: 'v2',
    version: '2026-07-28',
    connectSdk: (to: { url: string }) => connectSdkV2(to, { versionNegotiation: { mode: { pin: '2026-07-28' } } }),
  },
];

const notes = createServer({
  name: 'notes',
  version: '1.0.0',
  tools: {
    add: tool({
      input: z.object({ title: z.string(), user: z.string() }),
      output: z.object({ uri: z.string() }),
      run: ({ title, user }) => ({ uri: `note://${user}-${title}` }),
    }),
    confirm: tool({
      run: async (_, { elicit }) => {
        const input = z.object({ sure: z.boolean() });
        return (await elicit({ message: 'Sure?', input })).action;
      },
    }),
  },
  resources: {
    'note://{title}': resource({ list: () => [{ title: 'oak' }], read: ({ title }) => `Text of ${title}` }),
  },
  prompts: { sum: prompt({ input: z.object({ title: z.string() }), run: ({ title }) => `Sum up ${title}` }) },
});

const add = tool({
  input: z.object({ left: z.number(), right: z.number() }),
  run: ({ left, right }) => left + right,
});

const createComposed = (version: string) =>
  createServer({
    name: 'composed',
    version: '1.0.0',
    protocolVersions: [version],
    tools: { increment: transformTool(add, { defaults: { right: 1 }, hide: ['right'] }) },
    mounts: [mount('notes', notes), resourcesAsTools(), promptsAsTools()],
  });

describe.each(connections)('the client of SDK $sdk on $version', ({ version, connectSdk }) => {
  const opening = (async () => {
    const http = await serveHttp(createComposed(version), { port: 0 });
    const to = version === '2024-11-05' ? { sseUrl: http.sseUrl ?? '' } : { url: http.url };
    return { http, connected: await connectSdk(to as { url: string }) };
  })();
  afterAll(async () => {
    const { http, connected } = await opening;
    await connected.client.close();
    await http.close({ timeout: 0 });
  });

  it('lists and calls mounted, changed and generated tools', async () => {
    const { connected } = await opening;
    const { tools } = await connected.client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      'increment',
      'notes_add',
      'notes_confirm',
      'resources_list',
      'resources_read',
      'prompts_list',
      'prompts_get',
    ]);
    expect(getText(await connected.call('increment', { left: 4 }))).toBe('5');
    expect(getText(await connected.call('notes_add', { title: 'oak', user: 'ann' }))).toContain('note://ann-oak');
    expect(getText(await connected.call('resources_list', {}))).toContain('note://notes/oak');
    expect(getText(await connected.call('resources_read', { uri: 'note://notes/ash' }))).toBe('Text of ash');
    expect(getText(await connected.call('prompts_get', { name: 'notes_sum', arguments: { title: 'oak' } }))).toContain(
      'Sum up oak',
    );
    if (version >= '2025-06-18') expect(getText(await connected.call('notes_confirm', {}))).toBe('accept');
  });

  it('reads mounted resources and prompts', async () => {
    const { connected } = await opening;
    const { contents } = await connected.client.readResource({ uri: 'note://notes/oak' });
    expect(contents).toMatchObject([{ uri: 'note://notes/oak', text: 'Text of oak' }]);
    const { messages } = await connected.client.getPrompt({ name: 'notes_sum', arguments: { title: 'oak' } });
    expect(messages).toMatchObject([{ content: { text: 'Sum up oak' } }]);
  });
});
