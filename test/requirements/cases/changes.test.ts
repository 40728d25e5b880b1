import { connectPair, protocolVersions } from '@tenon/testing';
import { type ChangeEvent, createServer, prompt, resource, tool } from 'tenon';
import { describe, expect, it } from 'vitest';
import type { Json } from './site.js';

describe.each(protocolVersions)('changes on %s', protocolVersion => {
  async function watched(what: Json) {
    const server = createServer({
      name: 's',
      version: '1',
      tools: { t: tool({ run: () => 'x' }) },
      prompts: { p: prompt({ run: () => 'x' }) },
      resources: { 'x://a': resource({ read: () => 'x' }), 'x://b': resource({ read: () => 'x' }) },
    });
    const notices: Json[] = [];
    const client = await connectPair(server, {
      protocolVersion,
      onMessage(from, message) {
        const { method, params } = message as unknown as { method?: string; params?: Json };
        if (from === 'server' && method !== undefined) notices.push({ method, uri: params?.uri });
      },
    });
    const seen: ChangeEvent[] = [];
    const stop = new AbortController();
    const watch = (async () => {
      for await (const change of client.watch(what as never, { signal: stop.signal })) seen.push(change);
    })();
    await new Promise(resolve => setTimeout(resolve, 20));
    const close = async () => {
      stop.abort();
      await watch;
      await client.close();
    };
    return { server, client, seen, notices, close };
  }

  it('are notified for each list [tools.list-changed.notify, prompts.list-changed.notify, resources.list-changed.notify, tools.list-changed-notification, prompts.list-changed-notification, resources.list-changed-notification]', async () => {
    const { server, seen, close } = await watched({ tools: true, prompts: true, resources: true });
    server.tools.set('late', tool({ run: () => 'x' }));
    await expect.poll(() => seen, { interval: 5 }).toEqual([{ list: 'tools' }]);
    server.prompts.delete('p');
    await expect.poll(() => seen.slice(1), { interval: 5 }).toEqual([{ list: 'prompts' }]);
    server.resources.set('x://c', resource({ read: () => 'x' }));
    await expect.poll(() => seen.slice(2), { interval: 5 }).toEqual([{ list: 'resources' }]);
    await close();
  });

  it('are notified to the subscribers of a resource [resources.updated.subscribers-only]', async () => {
    const { server, client, seen, notices, close } = await watched({ uris: ['x://a'] });
    server.notifyResourceUpdated('x://b');
    server.notifyResourceUpdated('x://a');
    await expect.poll(() => seen, { interval: 5 }).toEqual([{ uri: 'x://a' }]);
    await client.ping();
    expect(notices.filter(({ method }) => method === 'notifications/resources/updated').map(({ uri }) => uri)).toEqual([
      'x://a',
    ]);
    await close();
  });
});
