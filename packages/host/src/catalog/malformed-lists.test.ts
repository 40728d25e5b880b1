import { isObject } from '@tenon/base';
import { connect, createServer, createTransportPair, resource, wrapTransport } from 'tenon';
import { afterEach, describe, expect, it } from 'vitest';
import { createHost } from '../index.node.js';

const cleanups: (() => Promise<unknown> | void)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

/** Serves a resource, and answers one list with a number in place of the entries. */
function serveWithout(method: string) {
  const server = createServer({
    name: 'partial',
    version: '1.0.0',
    resources: { 'note://a': resource({ read: () => 'text' }), 'note://b/{id}': resource({ read: ({ id }) => id }) },
  });
  return async () => {
    const { client, server: peer } = createTransportPair();
    const ids = new Set<unknown>();
    const transport = wrapTransport(peer, {
      receive: receiver => ({
        onMessage(value, context) {
          if (isObject(value) && value.method === method) ids.add(value.id);
          receiver.onMessage(value, context);
        },
      }),
      send: (message, options) =>
        peer.send(
          'result' in message && ids.delete(message.id)
            ? { ...message, result: { resources: 5, resourceTemplates: 5 } }
            : message,
          options,
        ),
    });
    await server.connect(transport);
    return client;
  };
}

describe('a list that all servers send malformed', () => {
  async function open(method: string) {
    const [a, b] = [serveWithout(method), serveWithout(method)];
    const host = await createHost({ servers: { a: { service: a }, b: { service: b } }, onError: () => {} });
    cleanups.push(() => host.close());
    const client = await connect(host.toServer(), { protocolVersion: '2025-11-25' });
    cleanups.push(() => client.close());
    return client;
  }

  it.each(['resources/templates/list', 'resources/list'])('leaves the other list and reads alone: %s', async method => {
    const client = await open(method);
    const isTemplates = method === 'resources/templates/list';
    const other = isTemplates ? 'resources/list' : 'resources/templates/list';
    const { resources, resourceTemplates } = await client
      .call(other)
      .then(result => ({ resources: undefined, resourceTemplates: undefined, ...result }));
    expect(resources ?? resourceTemplates).toHaveLength(2);
    const uri = isTemplates ? 'tenon:a/note://a' : 'tenon:a/note://b/1';
    expect((await client.readResource(uri)).contents).toHaveLength(1);
  });

  it('is named with its method and its member', async () => {
    const client = await open('resources/templates/list');
    await expect(client.call('resources/templates/list')).rejects.toThrow(
      'resources/templates/list: the result is malformed: member resourceTemplates: expected',
    );
  });
});
