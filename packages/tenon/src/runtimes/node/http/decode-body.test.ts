import type { ServerResponse } from 'node:http';
import {
  brotliCompressSync,
  createBrotliCompress,
  createDeflate,
  createGzip,
  deflateRawSync,
  deflateSync,
  gzipSync,
} from 'node:zlib';
import { createGuardedFetch, createUrlGuard } from '@tenon/base';
import { describe, expect, it } from 'vitest';
import {
  answer,
  ask,
  data,
  type Script,
  serve,
  takeNotes,
} from '../../../transports/http/client/fixtures/scripted-server.js';
import { createHttpTransport } from '../../../transports/http/client/http-transport.js';
import { createHttpSseTransport } from '../../../transports/http-sse/client.js';
import { fetchWithAddressCheck } from '../auth/address-checked-fetch.js';
import { createNodeRequester } from './http-requester.js';

type Encode = (text: string) => Buffer;

const CODINGS: [coding: string, encode: Encode][] = [
  ['gzip', gzipSync],
  ['x-gzip', gzipSync],
  ['GZIP', gzipSync],
  ['br', brotliCompressSync],
  ['deflate', deflateSync],
  ['deflate', deflateRawSync],
  ['br, gzip', text => gzipSync(brotliCompressSync(text))],
  ['identity, gzip', gzipSync],
  ['identity', Buffer.from],
  ['gzip', Buffer.from],
  ['br', Buffer.from],
  ['utf-8', Buffer.from],
];

const coded = (response: ServerResponse, coding: string, body: Buffer, type = 'application/json') =>
  void response.writeHead(200, { 'content-type': type, 'content-encoding': coding }).end(body);

async function connect(script: Script, options: { maxMessageSize?: number } = {}) {
  const server = await serve(script);
  const notes = takeNotes();
  const transport = createHttpTransport(server.url, { requester: createNodeRequester(), ...options });
  await transport.open(notes);
  return { server, notes, transport };
}

const guardedFetch = () =>
  createGuardedFetch({ fetch: fetchWithAddressCheck, guard: createUrlGuard('http://127.0.0.1') });

describe('a body with a content coding', () => {
  it.each(CODINGS)('decodes a response with Content-Encoding %s', async (coding, encode) => {
    const { server, notes, transport } = await connect((_, response) =>
      coded(response, coding, encode(JSON.stringify(answer()))),
    );
    await transport.send(ask());
    expect(notes.messages).toEqual([answer()]);
    expect(server.seen[0]?.headers['accept-encoding']).toBe('gzip, deflate, br');
  });

  it.each(CODINGS)(
    'decodes the response of an authorization server with Content-Encoding %s',
    async (coding, encode) => {
      const { url, seen } = await serve((_, response) => coded(response, coding, encode('{"issuer":"é"}')));
      expect(await (await guardedFetch()(url)).json()).toEqual({ issuer: 'é' });
      expect(seen[0]?.headers['accept-encoding']).toBe('gzip, deflate, br');
    },
  );

  it.each([
    ['gzip', () => createGzip()],
    ['deflate', () => createDeflate()],
    ['br', () => createBrotliCompress()],
  ])('delivers each event of a stream with Content-Encoding %s when it is sent', async (coding, createEncoder) => {
    const { notes, transport } = await connect((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': coding });
      const encoder = createEncoder();
      encoder.pipe(response);
      encoder.write(data({ jsonrpc: '2.0', method: 'notifications/message', params: { data: 1 } }));
      // The response follows only when the first event has arrived.
      encoder.flush();
      void notes.until(({ messages }) => messages.length === 1).then(() => encoder.end(data(answer())));
    });
    await transport.send(ask());
    await notes.until(({ messages }) => messages.length === 2);
    expect(notes.messages[1]).toEqual(answer());
  });

  it.each(CODINGS.slice(0, 8))('decodes JSON texts of all kinds with Content-Encoding %s', async (coding, encode) => {
    for (const text of ['"a"', '42', 'true', 'null', ' {"a":1}\n', '[]', '[{"a":1}]\r\n', '\ufeff{}']) {
      const { url } = await serve((_, response) => coded(response, coding, encode(text)));
      expect(await (await guardedFetch()(url)).text()).toBe(text.replace('\ufeff', ''));
    }
  });

  it('decodes the stream of an HTTP+SSE server', async () => {
    const events = `event: endpoint\ndata: /post\n\n${data(answer())}`;
    const { url } = await serve((_, response) => coded(response, 'gzip', gzipSync(events), 'text/event-stream'));
    const notes = takeNotes();
    await createHttpSseTransport(url, { requester: createNodeRequester() }).open(notes);
    await notes.until(({ messages }) => messages.length === 1);
  });

  it.each([202, 204])('reads no body from an empty response with status %i', async status => {
    const { transport } = await connect((_, response) => {
      response.writeHead(status, { 'content-encoding': 'gzip' }).end();
    });
    await transport.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  });

  it('decodes the body of an error response', async () => {
    const { transport } = await connect((_, response) => {
      const error = { code: -32_000, message: 'Busy' };
      const body = gzipSync(JSON.stringify({ jsonrpc: '2.0', id: 1, error }));
      response.writeHead(503, { 'content-encoding': 'gzip' }).end(body);
    });
    await expect(transport.send(ask())).rejects.toMatchObject({ code: 'peer/error', rpcCode: -32_000 });
  });

  it.each(CODINGS.slice(0, 6))(
    'limits the decoded bytes of a body with Content-Encoding %s',
    async (coding, encode) => {
      const bomb = encode(JSON.stringify(answer(1, { text: ' '.repeat(1_000_000) })));
      const { notes, transport } = await connect((_, response) => coded(response, coding, bomb), {
        maxMessageSize: 10_000,
      });
      await transport.send(ask());
      expect(bomb.length).toBeLessThan(5_000);
      expect(notes.lost).toMatchObject([
        { id: 1, error: { code: 'peer/unreadable', received: 'a response of more than 10000 bytes' } },
      ]);
      const { url } = await serve((_, response) => coded(response, coding, bomb));
      await expect(guardedFetch()(url)).rejects.toMatchObject({ code: 'auth/too-large' });
    },
  );

  it('skips an event that is too long when it is decoded', async () => {
    const events = data({ text: ' '.repeat(1_000_000) }) + data(answer());
    const { notes, transport } = await connect(
      (_, response) => coded(response, 'gzip', gzipSync(events), 'text/event-stream'),
      { maxMessageSize: 10_000 },
    );
    await transport.send(ask());
    await notes.until(({ messages }) => messages.length === 1);
    expect(notes.bad).toMatchObject([{ received: 'an event of more than 10000 characters' }]);
  });

  it.each([
    ['zstd', Buffer.of(0x28, 0xb5, 0x2f, 0xfd, 1, 2), 'application/json', 'zstd'],
    [
      'gzip',
      Buffer.concat([gzipSync('{}').subarray(0, 10), Buffer.of(255, 255, 255)]),
      'application/json',
      'gzip: damaged data',
    ],
    ...[gzipSync, deflateSync, deflateRawSync, brotliCompressSync].flatMap((encode, index) => {
      const coding = ['gzip', 'deflate', 'deflate', 'br'][index] ?? '';
      const body = encode(JSON.stringify(answer(1, { text: 'some text'.repeat(20) })));
      return [2, Math.floor(body.length * 0.6)].map((length): [string, Buffer, string, string] => [
        coding,
        body.subarray(0, length),
        'application/json',
        `${coding}: damaged or other data`,
      ]);
    }),
    ['gzip, gzip, gzip, gzip', gzipSync('{}'), 'application/json', '4 codings'],
    ['zstd', Buffer.of(0x28, 0xb5, 0x2f, 0xfd, 1, 2), 'text/event-stream', 'zstd'],
  ])('names a coding that cannot be decoded: %s', async (coding, body, type, received) => {
    const { notes, transport } = await connect((_, response) => coded(response, coding, body, type));
    await transport.send(ask());
    await notes.until(({ lost }) => lost.length === 1);
    expect(notes.lost).toMatchObject([
      {
        id: 1,
        error: {
          code: 'peer/unreadable',
          peer: expect.stringContaining('/mcp'),
          expected: 'one of the content codings gzip, deflate, br',
          received: expect.stringContaining(received),
        },
      },
    ]);
  });

  it.each(['application/json', 'text/event-stream'])(
    'reports a broken connection during a compressed %s',
    async type => {
      const { notes, transport } = await connect((_, response) => {
        const body = gzipSync(type === 'application/json' ? JSON.stringify(answer()) : data(answer()));
        response.writeHead(200, { 'content-type': type, 'content-encoding': 'gzip', 'content-length': body.length });
        response.write(body.subarray(0, 12), () => response.destroy());
      });
      const failed = await transport.send(ask()).catch((error: unknown) => error);
      if (type === 'application/json') return expect(failed).toMatchObject({ code: 'http/interrupted' });
      await notes.until(({ lost }) => lost.length === 1);
      expect(notes.lost).toMatchObject([{ error: { code: 'call/outcome-unknown' } }]);
    },
  );

  it('ends a request that is aborted before its body begins', async () => {
    const { notes, transport, server } = await connect((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' }).flushHeaders();
    });
    await transport.send(ask());
    await transport.close();
    await server.seen[0]?.lost;
    expect(notes.ends).toEqual([undefined]);
  });

  it('sends the Accept-Encoding of the user', async () => {
    const { url, seen } = await serve((_, response) => void response.end());
    await createNodeRequester()({ method: 'GET', url, headers: { 'accept-encoding': 'identity' } });
    expect(seen[0]?.headers['accept-encoding']).toBe('identity');
  });
});
