import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createGuardedFetch, createUrlGuard } from '@tenon/base';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fetchWithAddressCheck } from './address-checked-fetch.js';

let server: Server;
let port: number;
let requestCount = 0;

beforeAll(async () => {
  server = createServer((request, response) => {
    requestCount += 1;
    let body = '';
    request.on('data', chunk => (body += chunk));
    request.on('end', () =>
      response.writeHead(201, { 'x-echo': request.headers['x-in'] ?? '' }).end(request.method + body),
    );
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});
afterAll(() => server.close());

const init = () => ({ method: 'GET', headers: {}, signal: new AbortController().signal, redirect: 'manual' as const });

describe('fetchWithAddressCheck', () => {
  it('responds like fetch', async () => {
    const guard = createUrlGuard('http://127.0.0.1');
    const fetch = createGuardedFetch({ fetch: fetchWithAddressCheck, guard });
    const reply = await fetch(`http://localhost:${port}/`, { method: 'POST', headers: { 'x-in': 'a' }, body: 'b' });
    expect([reply.status, reply.headers.get('x-echo'), await reply.text()]).toEqual([201, 'a', 'POSTb']);
  });

  it.each(['DELETE', 'OPTIONS', 'PATCH'])(
    'sends the length of the body of %s, which is no second request',
    async method => {
      const before = requestCount;
      const guard = createUrlGuard('http://127.0.0.1');
      const fetch = createGuardedFetch({ fetch: fetchWithAddressCheck, guard });
      const body = 'GET /é HTTP/1.1\r\nhost: x\r\n\r\n';
      for (const sent of [body, new TextEncoder().encode(body).buffer]) {
        const reply = await fetch(`http://127.0.0.1:${port}/`, { method, body: sent });
        expect([reply.status, await reply.text()]).toEqual([201, method + body]);
      }
      expect(requestCount).toBe(before + 2);
    },
  );

  it('refuses a name that resolves to a forbidden address [security.ssrf.private-ranges-blocked]', async () => {
    const before = requestCount;
    const guard = createUrlGuard('https://mcp.example.com');
    const wait = fetchWithAddressCheck(`http://localhost:${port}/`, init(), guard);
    await expect(wait).rejects.toMatchObject({ code: 'auth/unsafe-url' });
    expect(requestCount).toBe(before);
  });

  it('ends with its signal', async () => {
    const guard = createUrlGuard('http://127.0.0.1');
    await expect(
      fetchWithAddressCheck(`http://127.0.0.1:${port}/`, { ...init(), signal: AbortSignal.abort() }, guard),
    ).rejects.toThrow();
  });
});
