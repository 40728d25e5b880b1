import { getEventListeners } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { NOT_UTF8 } from '../../transports/fixtures/not-utf8.js';
import { serve, stream } from '../../transports/http/client/fixtures/scripted-server.js';
import type { HttpReply } from '../../transports/http/client/requester.js';
import { createNodeRequester } from '../node/http/http-requester.js';
import { createFetchRequester } from './fetch-requester.js';

const collect = async (reply: HttpReply) => {
  const chunks: Uint8Array[] = [];
  await reply.read(chunk => chunks.push(chunk));
  return Buffer.concat(chunks).toString();
};

let other: Server | ReturnType<typeof createTcpServer> | undefined;
afterEach(async () => {
  await new Promise<void>(done => (other ? other.close(() => done()) : done()));
  other = undefined;
});

/** Both requesters keep the same contract. */
describe.each([
  ['node:http', () => createNodeRequester()],
  ['fetch', () => createFetchRequester()],
])('a requester on %s', (name, make) => {
  it('sends method, headers and body', async () => {
    const { url, seen } = await serve((_, response) => void response.writeHead(207, { 'x-a': 'b' }).end('ok'));
    const reply = await make()({ method: 'POST', url: `${url}?q=1`, headers: { 'x-b': 'c' }, body: '{"é":"👋"}' });
    expect([reply.status, reply.header('x-a'), reply.header('x-none')]).toEqual([207, 'b', undefined]);
    expect(await reply.text(10)).toBe('ok');
    expect(seen[0]).toMatchObject({ method: 'POST', url: '/mcp?q=1', body: '{"é":"👋"}', headers: { 'x-b': 'c' } });
  });

  it('reads text in pieces, without a byte order mark, and an empty one', async () => {
    const { url } = await serve((_, response, index) => {
      if (index === 1) response.writeHead(204).end();
      else for (const byte of Buffer.from('\ufeffé👋')) response.write(Buffer.of(byte));
      response.end();
    });
    const get = async () => (await make()({ method: 'GET', url, headers: {} })).text(100);
    expect(await get()).toBe('é👋');
    expect(await get()).toBe('');
  });

  it.each(['announced', 'chunked'])('reads U+FFFD for invalid UTF-8 in a text of a length that is %s', async how => {
    const { url } = await serve((_, response, index) => {
      const bytes = Uint8Array.from(NOT_UTF8[index]?.[0] ?? []);
      if (how === 'announced') return void response.end(bytes);
      for (const byte of bytes) response.write(Uint8Array.of(byte));
      response.end();
    });
    for (const [, text] of NOT_UTF8) {
      expect(await (await make()({ method: 'GET', url, headers: {} })).text(100)).toBe(text);
    }
  });

  it.each(['announced', 'chunked', 'compressed'])('limits a text of a length that is %s', async how => {
    const { url, seen } = await serve((_, response) => {
      if (how === 'compressed') response.setHeader('content-encoding', 'gzip');
      if (how === 'chunked') response.write('x');
      response.end(how === 'compressed' ? gzipSync('x'.repeat(100_000)) : 'x'.repeat(100_000));
    });
    const reply = await make()({ method: 'GET', url, headers: {} });
    const limit = how === 'compressed' && name === 'node:http' ? 10 : 5_000;
    await expect(reply.text(limit)).rejects.toMatchObject({ code: 'http/too-large' });
    expect(seen.length).toBe(1);
  });

  it('reads a body as it arrives', async () => {
    const { url } = await serve((_, response, index) => {
      if (index === 0) stream(response, 'a').end('b');
      else response.writeHead(204).end();
    });
    expect(await collect(await make()({ method: 'GET', url, headers: {} }))).toBe('ab');
    expect(await collect(await make()({ method: 'GET', url, headers: {} }))).toBe('');
  });

  it('throws when the body breaks', async () => {
    const { url } = await serve((_, response) => {
      response.writeHead(200, { 'content-length': '9' });
      response.write('a', () => response.destroy());
    });
    await expect((await make()({ method: 'GET', url, headers: {} })).text(100)).rejects.toThrow();
    await expect(collect(await make()({ method: 'GET', url, headers: {} }))).rejects.toThrow();
  });

  it('rejects when the body broke before it was read', async () => {
    const { url, seen } = await serve((_, response) => {
      response.writeHead(200, { 'content-length': '9' }).write('a', () => response.destroy());
    });
    const reply = await make()({ method: 'GET', url, headers: {} });
    await seen[0]?.lost;
    await new Promise(resolve => setTimeout(resolve, 30));
    await expect(reply.text(100)).rejects.toThrow();
  });

  it('releases a body, whether it is being read or not', async () => {
    const { url, seen } = await serve((_, response) => void stream(response, 'a'));
    const first = await make()({ method: 'GET', url, headers: {} });
    first.cancel();
    first.cancel();
    await seen[0]?.lost;
    const second = await make()({ method: 'GET', url, headers: {} });
    const reading = collect(second).catch(() => 'broken');
    second.cancel();
    await seen[1]?.lost;
    await reading;
  });

  it.each(['before it begins', 'before the head', 'amid the body'])('ends when it is aborted %s', async when => {
    const { url, seen } = await serve((_, response) => {
      if (when === 'amid the body') stream(response, 'a');
    });
    const controller = new AbortController();
    if (when === 'before it begins') controller.abort();
    const sent = make()({ method: 'GET', url, headers: {}, signal: controller.signal });
    if (when === 'amid the body') {
      const body = collect(await sent);
      controller.abort();
      await expect(body).rejects.toThrow();
    } else {
      const failed = expect(sent).rejects.toThrow();
      if (when === 'before the head') await expect.poll(() => seen.length).toBe(1);
      controller.abort();
      await failed;
    }
    await seen[0]?.lost;
    expect(seen.length).toBe(when === 'before it begins' ? 0 : 1);
  });

  it('distinguishes a request that was never sent from one with an unknown outcome', async () => {
    const { url, close } = await serve((_, response) => void response.destroy());
    const send = make();
    await expect(send({ method: 'GET', url, headers: {} })).rejects.toMatchObject({ code: 'http/interrupted' });
    await close();
    const refused = { code: 'http/unreachable', message: expect.stringContaining('ECONNREFUSED') };
    await expect(send({ method: 'GET', url, headers: {} })).rejects.toMatchObject(refused);
    const nowhere = 'http://nowhere.invalid/';
    await expect(send({ method: 'GET', url: nowhere, headers: {} })).rejects.toMatchObject({
      code: 'http/unreachable',
    });
  });

  it('survives a peer that does not speak HTTP', async () => {
    const tcp = createTcpServer(socket =>
      socket
        .on('error', () => {})
        .resume()
        .end('nonsense\r\n\r\n'),
    );
    other = tcp;
    await new Promise<void>(done => tcp.listen(0, '127.0.0.1', done));
    const url = `http://127.0.0.1:${(tcp.address() as AddressInfo).port}/`;
    await expect(make()({ method: 'GET', url, headers: {} })).rejects.toMatchObject({ code: 'http/interrupted' });
  });

  if (name === 'node:http') {
    it('leaves no listener on the signal', async () => {
      const { url } = await serve((_, response) => void response.end('ok'));
      const { signal } = new AbortController();
      expect(await (await make()({ method: 'GET', url, headers: {}, signal })).text(9)).toBe('ok');
      await expect.poll(() => getEventListeners(signal, 'abort').length).toBe(0);
    });
  }

  it('follows no redirect', async () => {
    const { url, seen } = await serve((_, response) => void response.writeHead(307, { location: '/x' }).end());
    const reply = await make()({ method: 'GET', url, headers: {} });
    expect([reply.status, reply.header('location')]).toEqual([307, '/x']);
    reply.cancel();
    expect(seen.length).toBe(1);
  });

  it('reuses a connection', async () => {
    const sockets = new Set<unknown>();
    const server = createServer((request, response) => {
      sockets.add(request.socket);
      response.end('ok');
    });
    other = server;
    await new Promise<void>(done => server.listen(0, '127.0.0.1', done));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const send = make();
    for (let n = 0; n < 3; n += 1) expect(await (await send({ method: 'GET', url, headers: {} })).text(9)).toBe('ok');
    expect(sockets.size).toBeLessThanOrEqual(name === 'fetch' ? 2 : 1);
    server.closeAllConnections();
  });
});

describe('fetchRequester', () => {
  it('accepts any function with the shape of fetch, and detects the redirect that a browser hides', async () => {
    const body = null;
    const requester = createFetchRequester(async (_url, init) => {
      expect(init.redirect).toBe('manual');
      return { status: 0, type: 'opaqueredirect', headers: new Headers(), body, text: async () => '' };
    });
    expect((await requester({ method: 'GET', url: 'http://a/', headers: {} })).status).toBe(0);
  });
});
