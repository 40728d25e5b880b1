import type { TenonError } from '@tenon/base';
import { connect, createServer } from 'tenon';
import { createHandler } from 'tenon/http';
import { describe, expect, it } from 'vitest';

const json = { 'content-type': 'application/json' };

/** A client of a server whose responses to calls of tools are replaced, and the errors that the client reports. */
async function start(protocolVersion: string, respond: (id: unknown) => Response) {
  const handler = createHandler(createServer({ name: 'shop', version: '1' }));
  let isReplaced = false;
  const fetch = async (url: string | URL, init?: RequestInit) => {
    const { method, id } = typeof init?.body === 'string' ? JSON.parse(init.body) : {};
    return isReplaced && method !== undefined ? respond(id) : handler(new Request(url, init));
  };
  const client = await connect({ url: 'http://localhost/mcp', fetch }, { protocolVersion });
  const reported: TenonError[] = [];
  client.on('error', error => reported.push(error));
  isReplaced = true;
  return { client, reported, handler };
}

const failure = (id: unknown, status: number) => {
  const error = { code: -32602, message: 'Unknown item', data: { item: 'x' } };
  return new Response(JSON.stringify({ jsonrpc: '2.0', id, error }), { status, headers: json });
};

describe.each(['2025-03-26', '2025-11-25', '2026-07-28'])('an error of a request over HTTP on %s', version => {
  it.each([
    ['a status', () => new Response('', { status: 503 }), 'http/status'],
    ['a status for the user', () => new Response('', { status: 401 }), 'http/status'],
    [
      'a redirect',
      () => new Response(null, { status: 307, headers: { location: 'https://other/' } }),
      'http/redirected',
    ],
    ['a body that is no JSON', () => new Response('{', { headers: json }), 'peer/unreadable'],
    ['no response', () => new Response(null, { status: 202 }), 'peer/no-answer'],
    ['an error with status 400', (id: unknown) => failure(id, 400), 'peer/error'],
    ['an error with status 404', (id: unknown) => failure(id, version === '2026-07-28' ? 404 : 422), 'peer/error'],
    ['an error with status 200', (id: unknown) => failure(id, 200), 'peer/error'],
  ])('names the server, the version and the method: %s', async (_, respond, code) => {
    const { client, handler } = await start(version, respond);
    const error: unknown = await client.call('items/buy', {}).catch((thrown: unknown) => thrown);
    const peer = `shop (${version}, http://localhost/mcp)`;
    expect(error).toMatchObject({ code, peer, method: 'items/buy' });
    if (code === 'peer/error') {
      const message = `${peer}, items/buy: Unknown item`;
      expect(error).toMatchObject({ message, rpcCode: -32602, data: { item: 'x' } });
    }
    void client.close();
    await handler.close({ timeout: 0 });
  });
});

it('names the server and the method in the error of a notification that is refused', async () => {
  const { client, reported, handler } = await start('2025-11-25', () => new Response('', { status: 500 }));
  await client.notify('notifications/roots/list_changed').catch(() => {});
  await new Promise(resolve => setImmediate(resolve));
  expect(reported).toMatchObject([
    {
      code: 'http/status',
      peer: 'shop (2025-11-25, http://localhost/mcp)',
      method: 'notifications/roots/list_changed',
    },
  ]);
  void client.close();
  await handler.close({ timeout: 0 });
});
