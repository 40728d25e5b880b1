import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NOT_UTF8 } from '../../fixtures/not-utf8.js';
import { createFakeService, type FakeService } from '../fixtures/fake-service.js';
import { alone, JSON_HEADERS, openSession, runtimes, type Site } from '../fixtures/sites.js';
import { isDeeper } from './request-body.js';

const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;

describe('isDeeper', () => {
  it('measures depth without descending further than allowed', () => {
    expect(isDeeper(JSON.parse(nested(128)), 128)).toBe(false);
    expect(isDeeper(JSON.parse(nested(129)), 128)).toBe(true);
    expect(isDeeper(JSON.parse(`${'{"a":'.repeat(200_000)}1${'}'.repeat(200_000)}`), 128)).toBe(true);
    expect(isDeeper({ a: [{ b: [] }] }, 4)).toBe(false);
    expect(isDeeper({ a: [{ b: [] }] }, 3)).toBe(true);
    expect(isDeeper('x', 0)).toBe(false);
  });
});

describe.each(runtimes)('request bodies, over $name', ({ open }) => {
  let site: Site;
  let service: FakeService;
  beforeAll(async () => {
    service = createFakeService();
    site = await open(service, { limits: { maxBodyBytes: 10_000 } });
  });
  afterAll(() => site.close());
  const post = (
    body: string | Uint8Array | ReadableStream<Uint8Array>,
    headers: Record<string, string> = JSON_HEADERS,
  ) => site.send('/mcp', { method: 'POST', headers, body });

  it.each([
    ['nothing', ''],
    ['no JSON', '{'],
    ['two values', '{} {}'],
    ['half a character outside of a string', new Uint8Array([0xc3, 0x7b, 0x7d])],
    ['two byte order marks', '\ufeff\ufeff{}'],
  ])('get -32700 without an id for %s [http.malformed-body-400]', async (_what, body) => {
    const response = await post(body);
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({ jsonrpc: '2.0', error: { code: -32700, message: expect.any(String) } });
  });

  it('get 415 when compressed', async () => {
    const response = await post(gzipSync('{}'), { ...JSON_HEADERS, 'content-encoding': 'gzip' });
    expect(response.status).toBe(415);
    expect(await response.json()).toMatchObject({
      error: { code: -32600, message: expect.stringContaining('Content-Encoding') },
    });
  });

  it.each([
    ['null', undefined],
    ['7', undefined],
    ['[]', undefined],
    ['[{"jsonrpc":"2.0","id":1,"method":"ping"}]', 1],
    ['{"jsonrpc":"1.0","id":1,"method":"ping"}', 1],
    ['{"jsonrpc":"2.0","id":null,"method":"ping"}', undefined],
    ['{"jsonrpc":"2.0","id":1.5,"method":"ping"}', undefined],
    ['{"jsonrpc":"2.0","id":2,"method":7}', 2],
    ['{"jsonrpc":"2.0","id":2,"method":"ping","params":[]}', 2],
    ['{"jsonrpc":"2.0","id":2,"result":{}}', undefined],
  ])('get -32600 for %s [base.error.id-echo]', async (body, id) => {
    const response = await post(body, alone('ping').headers as Record<string, string>);
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({
      jsonrpc: '2.0',
      ...(id === undefined ? {} : { id }),
      error: { code: -32600, message: expect.any(String) },
    });
  });

  it('get a null id when unreadable in a session of 2025-06-18', async () => {
    const session = await openSession(site, '2025-06-18');
    for (const body of ['{', '7']) {
      const headers = { ...JSON_HEADERS, 'mcp-session-id': session.id };
      expect(await (await post(body, headers)).json()).toMatchObject({ id: null });
    }
  });

  it('get 413 when too large, with or without Content-Length', async () => {
    expect((await post(`"${'x'.repeat(9998)}"`)).status).toBe(400);
    expect((await post(`"${'x'.repeat(9999)}"`)).status).toBe(413);
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        controller.enqueue(new Uint8Array(4096).fill(0x20));
      },
    });
    const response = await post(endless).catch(() => undefined);
    // A client that is still sending may see the connection end instead of the answer.
    expect([undefined, 413]).toContain(response?.status);
    expect((await site.send('/mcp', alone('tools/list'))).status).toBe(200);
  });

  it('get 400 when too deeply nested [depth]', async () => {
    for (const depth of [200, 4000]) {
      const response = await post(`{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":${nested(depth)}}}`);
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ error: { code: -32600 } });
    }
  });

  it.each([
    ['application/json', 400],
    ['application/json; charset=utf-8', 400],
    ['Application/JSON', 400],
    ['text/plain', 415],
    ['application/jsonx', 415],
    ['application/x-www-form-urlencoded', 415],
    ['', 415],
  ])('with the type %s get the status %i', async (type, status) => {
    expect((await post('{', { ...JSON_HEADERS, 'content-type': type })).status).toBe(status);
  });

  it.each([
    ['application/json, text/event-stream', 400],
    ['application/json', 400],
    ['text/event-stream', 400],
    ['*/*', 400],
    ['application/*;q=0.1', 400],
    ['text/html', 406],
    ['application/json;q=0', 406],
  ])('with Accept: %s get the status %i [http.post.accept-both]', async (accept, status) => {
    expect((await post('{', { ...JSON_HEADERS, accept })).status).toBe(status);
  });

  it('keep members with names of Object.prototype as data', async () => {
    const { headers, body } = alone('tools/list');
    const text = String(body).replace('"params":{', '"params":{"__proto__":{"polluted":true},"constructor":1,');
    const response = await post(text, headers as Record<string, string>);
    expect(response.status).toBe(200);
    expect(await response.text()).toContain('"__proto__":{"polluted":true}');
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  it.each([
    ['of a known length', (bytes: Uint8Array) => bytes],
    [
      'of an unknown length',
      (bytes: Uint8Array) =>
        new ReadableStream<Uint8Array>({
          start(controller) {
            for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
            controller.close();
          },
        }),
    ],
  ])('%s are read with U+FFFD for invalid UTF-8, without a byte order mark', async (_, toBody) => {
    const { headers, body } = alone('tools/list', { text: '#' });
    const [before = '', after = ''] = String(body).split('#');
    for (const [broken, text] of NOT_UTF8) {
      const bytes = Buffer.concat([Buffer.from(`\ufeff${before}`), Uint8Array.from(broken), Buffer.from(after)]);
      const response = await post(toBody(bytes), headers as Record<string, string>);
      expect(await response.json()).toMatchObject({ result: { echo: { text } } });
    }
  });

  it('may be split anywhere, even inside a character [base.utf8-encoding]', async () => {
    const text = 'aé€😀\u2028 \ud83d';
    const { headers, body } = alone('tools/list', { text });
    const bytes = new TextEncoder().encode(String(body));
    const send = async (cuts: number[]) => {
      const edges = [0, ...[...cuts].sort((a, b) => a - b), bytes.length];
      const chunks = edges.slice(1).map((edge, index) => bytes.slice(edges[index], edge));
      const stream = new ReadableStream<Uint8Array>({
        async pull(controller) {
          const chunk = chunks.shift();
          if (chunk === undefined) return controller.close();
          controller.enqueue(chunk);
          await new Promise(resolve => setImmediate(resolve));
        },
      });
      const response = await post(stream, headers as Record<string, string>);
      expect(await response.json()).toMatchObject({ result: { echo: { text } } });
    };
    const truncated = fc.nat(bytes.length);
    await fc.assert(fc.asyncProperty(fc.array(truncated, { maxLength: 8 }), send), { numRuns: 40 });
    const start = bytes.findIndex(byte => byte > 0x7f);
    for (let at = start; at < start + 16; at++) await send([at]);
  });

  it('get 404 or 405 at other paths and methods [http.endpoint.single-path]', async () => {
    const nowhere = await site.send('/', { method: 'POST', headers: JSON_HEADERS, body: '{}' });
    expect(nowhere.status).toBe(404);
    expect(await nowhere.text()).toContain('/mcp');
    for (const method of ['PUT', 'PATCH', 'HEAD']) {
      const response = await site.send('/mcp', { method });
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST, GET, DELETE, OPTIONS']);
    }
    expect((await site.send('/mcp?x=1', alone('tools/list'))).status).toBe(200);
  });
});
