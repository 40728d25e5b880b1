import { describe, expect, it } from 'vitest';
import { connectTo } from '../../client/connect.js';
import { createInProcessEndpoint } from '../../client/connection/endpoint.js';
import { resource } from '../definitions/resource.js';
import { createServer } from '../server.js';

const values = ['C++', 'a b', 'a:b@c', "it's(1)!*", 'a&b=c;d,e$f', '50%', 'é', 'a/b', '..'];

async function start(allowUnsafe: boolean) {
  const errors: string[] = [];
  const server = createServer({
    name: 'a',
    version: '1',
    onError: error => void errors.push(`${error.code} ${error.summary}`),
    resources: {
      'item://x/{id}': resource({ allowUnsafe, list: () => values.map(id => ({ id })), read: ({ id }) => id }),
    },
  });
  const client = await connectTo(createInProcessEndpoint(server));
  const uris: string[] = [];
  for await (const { uri } of client.listResources()) uris.push(uri);
  const read = (uri: string) =>
    client.readResource(uri).then(
      ({ contents: [first] }) => (first && 'text' in first ? first.text : undefined),
      error => error.rpcCode,
    );
  return { client, errors, uris, read };
}

describe('a listed resource', () => {
  it('resolves by its encoded URI, and by one with unencoded characters', async () => {
    const { client, uris, read } = await start(false);
    expect(await Promise.all(uris.map(read))).toEqual([...values.slice(0, -2), -32602, -32602]);
    const raw = values.slice(0, 5);
    expect(await Promise.all(raw.map(value => read(`item://x/${value}`)))).toEqual(raw);
    await client.close();
  });

  it('causes one report for its template when it cannot be read', async () => {
    const { client, errors } = await start(false);
    for await (const _ of client.listResources());
    expect(errors).toEqual([
      'resource/unreadable the list of "item://x/{id}" has the resource "item://x/a%2Fb", which cannot be read',
    ]);
    await client.close();
  });

  it('resolves with any value when the template allows unsafe ones', async () => {
    const { client, errors, uris, read } = await start(true);
    expect(await Promise.all(uris.map(read))).toEqual(values);
    expect(errors).toEqual([]);
    await client.close();
  });
});
