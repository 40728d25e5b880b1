import { isObject, type JsonObject } from '@tenon/base';
import { type ClientOptions, connect, createServer, createTransportPair, resource, tool, wrapTransport } from 'tenon';
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

/** Opens a client of a host whose server has one tool, and whose results have other members. */
async function openWithResults(change: (result: JsonObject) => JsonObject, options: ClientOptions = {}) {
  const server = createServer({ name: 'odd', version: '1.0.0', tools: { run: tool({ run: () => 'done' }) } });
  const service = async () => {
    const { client, server: peer } = createTransportPair();
    const send: typeof peer.send = (message, sendOptions) =>
      peer.send(
        'result' in message ? { ...message, result: { ...message.result, ...change(message.result) } } : message,
        sendOptions,
      );
    await server.connect(wrapTransport(peer, { send }));
    return client;
  };
  const host = await createHost({ servers: { a: { service } }, onError: () => {} });
  cleanups.push(() => host.close());
  const client = await connect(host.toServer(), options);
  cleanups.push(() => client.close());
  return client;
}

describe('an entry that strict clients refuse', () => {
  /** Opens a client of a host whose server lists its tool with these members. */
  const open = (members: JsonObject) =>
    openWithResults(result => ('tools' in result ? { tools: [{ name: 'run', inputSchema: {}, ...members }] } : {}));

  const property = { properties: { a: { type: 'string' } } };

  it.each([
    [{}, { type: 'object' }],
    [
      { type: ['object', 'null'], ...property, required: ['a'] },
      { type: 'object', ...property, required: ['a'] },
    ],
    [
      { type: 'object', properties: 'x', required: 'x', title: 't' },
      { type: 'object', title: 't' },
    ],
    [
      { ...property, required: [5] },
      { type: 'object', ...property },
    ],
  ])('is listed with the schema of an object, and can be called: %j', async (inputSchema, listed) => {
    const client = await open({ inputSchema });
    expect((await client.call('tools/list')).tools.map(each => each.inputSchema)).toEqual([listed]);
    expect(await client.callTool('a__run', { a: 'b' })).toMatchObject({ content: [{ text: 'done' }] });
  });

  const icon = { src: 'https://a.example/a.png' };

  it.each<[JsonObject, JsonObject]>([
    [{ annotations: { readOnlyHint: 'yes' } }, { annotations: {} }],
    [{ annotations: { title: 5, readOnlyHint: true } }, { annotations: { readOnlyHint: true } }],
    [{ icons: 'x' }, {}],
    [{ icons: [{}, icon] }, { icons: [icon] }],
    [{ icons: [{ ...icon, sizes: '48x48' }] }, { icons: [icon] }],
    [{ execution: 1 }, {}],
  ])('is listed without the malformed member of %j', async (member, listed) => {
    const description = 'd';
    const { tools } = await (await open({ description, ...member })).call('tools/list');
    expect(tools).toEqual([{ name: 'a__run', description, inputSchema: { type: 'object' }, ...listed }]);
  });

  it('keeps well-formed members', async () => {
    const members = {
      annotations: { title: 't', readOnlyHint: true },
      icons: [{ src: 'https://a.example/a.png', mimeType: 'image/png', sizes: ['48x48'], theme: 'dark' }],
    };
    expect((await (await open(members)).call('tools/list')).tools).toMatchObject([members]);
  });
});

describe('a result that strict clients refuse', () => {
  it.each(['2025-11-25', '2026-07-28'] as const)(
    'reaches the caller in the form of the specification, on %s',
    async protocolVersion => {
      const image = { type: 'image', data: 'data:image/png;base64,AAAA', mimeType: 'image/png' };
      const content = [{ ...image, annotations: { priority: 5 } }];
      const client = await openWithResults(result => ('content' in result ? { content } : {}), { protocolVersion });
      expect((await client.callTool('a__run', {})).content).toEqual([{ ...image, data: 'AAAA', annotations: {} }]);
    },
  );
});
