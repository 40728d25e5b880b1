import { type HttpServer, serveHttp } from 'tenon/node';
import { describe, expect, it } from 'vitest';
import { takePart } from '../support/extent.js';
import { getText } from './collect.js';
import { createExampleServer } from './fixtures/our-example.js';
import { testOurServer } from './our-server.js';
import { bundleProgram } from './process.js';
import type { SdkConnection } from './sdk-connection.js';
import { connectSdkV1 } from './sdk-v1-client.js';

const handshakes = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'];

/** A server in this process that speaks only this protocol version, where one is named: the client takes what it is given. */
function overHttp(name: string, version: string, kind: 'url' | 'sseUrl', only: boolean): SdkConnection {
  let http: HttpServer;
  return {
    name,
    version,
    async open() {
      http = await serveHttp(createExampleServer({ pageSize: 5, ...(only ? { versions: [version] } : {}) }), {
        port: 0,
      });
      return connectSdkV1(kind === 'url' ? { url: http.url } : { sseUrl: http.sseUrl ?? '' });
    },
    stop: () => http.close({ timeout: 0 }),
  };
}

function overStdio(name: string, version: string, only: boolean): SdkConnection {
  const options = { pageSize: 5, ...(only ? { versions: [version] } : {}) };
  return {
    name,
    version,
    open: () =>
      connectSdkV1({
        args: [...bundleProgram(new URL('./fixtures/our-stdio.ts', import.meta.url)), JSON.stringify(options)],
      }),
  };
}

const newestOfV1 = '2025-11-25';

testOurServer(overStdio('The client of SDK v1 over stdio', newestOfV1, false));
testOurServer(overHttp('The client of SDK v1 over Streamable HTTP', newestOfV1, 'url', false));
testOurServer(overHttp('The client of SDK v1 over HTTP+SSE', newestOfV1, 'sseUrl', false));
for (const version of takePart(handshakes, 1, 2)) {
  if (version !== '2024-11-05')
    testOurServer(overHttp(`The client of SDK v1 over Streamable HTTP with ${version}`, version, 'url', true));
}
testOurServer(overHttp('The client of SDK v1 over HTTP+SSE with 2024-11-05', '2024-11-05', 'sseUrl', true));
testOurServer(overStdio('The client of SDK v1 over stdio with 2024-11-05', '2024-11-05', true));

describe('the client of SDK v1 over Streamable HTTP', () => {
  it('reconnects for the response of a broken stream', async () => {
    const http = await serveHttp(createExampleServer(), { port: 0, limits: { sseRetry: 20 } });
    const { client, call } = await connectSdkV1({ url: http.url });
    expect(getText(await call('hangs-up'))).toBe('after');
    await client.close();
    await http.close({ timeout: 0 });
  });

  it('ends its session, and is refused from then on', async () => {
    const http = await serveHttp(createExampleServer(), { port: 0 });
    const { client, terminate, call } = await connectSdkV1({ url: http.url });
    await terminate?.();
    // Without the id of the session the next request belongs to none.
    await expect(call('meta')).rejects.toMatchObject({ code: expect.any(Number) });
    await client.close();
    await http.close({ timeout: 0 });
  });

  it('needs no version header in its session', async () => {
    const http = await serveHttp(createExampleServer(), { port: 0 });
    const silent = (input: string | URL, init?: RequestInit) => {
      const headers = new Headers(init?.headers);
      headers.delete('mcp-protocol-version');
      return fetch(input, { ...init, headers });
    };
    const { client, call } = await connectSdkV1({ url: http.url, fetch: silent });
    expect(JSON.parse(getText(await call('meta')))).toMatchObject({ version: '2025-11-25' });
    await client.close();
    await http.close({ timeout: 0 });
  });
});
