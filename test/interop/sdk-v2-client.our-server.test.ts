import type { ClientOptions } from '@modelcontextprotocol/client';
import { type HttpServer, serveHttp } from 'tenon/node';
import { describe, expect, it } from 'vitest';
import { takePart } from '../support/extent.js';
import { getText } from './collect.js';
import { createExampleServer } from './fixtures/our-example.js';
import { testOurServer } from './our-server.js';
import { bundleProgram } from './process.js';
import type { SdkConnection } from './sdk-connection.js';
import { connectSdkV2 } from './sdk-v2-client.js';

const newest = '2026-07-28';

/** Ways in which a client of SDK v2 negotiates, and what it agrees on with a server that speaks everything. */
const modes: Record<string, { readonly options: ClientOptions; readonly version: string }> = {
  default: { options: {}, version: '2025-11-25' },
  auto: { options: { versionNegotiation: { mode: 'auto' } }, version: newest },
  [`pinned to ${newest}`]: { options: { versionNegotiation: { mode: { pin: newest } } }, version: newest },
  ...Object.fromEntries(
    ['2025-06-18', '2025-03-26', '2024-11-05'].map(version => [
      `with ${version} only`,
      { options: { supportedProtocolVersions: [version] }, version },
    ]),
  ),
};

function overHttp(mode: string, kind: 'url' | 'sseUrl'): SdkConnection {
  const { options, version } = modes[mode] as (typeof modes)[string];
  let http: HttpServer;
  return {
    name: `The client of SDK v2 over ${kind === 'url' ? 'Streamable HTTP' : 'HTTP+SSE'}, ${mode}`,
    version,
    async open() {
      http = await serveHttp(createExampleServer({ pageSize: 5 }), { port: 0 });
      return connectSdkV2(kind === 'url' ? { url: http.url } : { sseUrl: http.sseUrl ?? '' }, options);
    },
    stop: () => http.close({ timeout: 0 }),
  };
}

function overStdio(mode: string): SdkConnection {
  const { options, version } = modes[mode] as (typeof modes)[string];
  const args = [...bundleProgram(new URL('./fixtures/our-stdio.ts', import.meta.url)), JSON.stringify({ pageSize: 5 })];
  return { name: `The client of SDK v2 over stdio, ${mode}`, version, open: () => connectSdkV2({ args }, options) };
}

const overStreamableHttp = Object.keys(modes).filter(mode => modes[mode]?.version !== '2024-11-05');
for (const mode of takePart(Object.keys(modes), 1, 2)) testOurServer(overStdio(mode));
for (const mode of takePart(overStreamableHttp, 0, 2)) testOurServer(overHttp(mode, 'url'));
for (const mode of takePart(['with 2024-11-05 only', 'default', 'auto'], 0, 3)) testOurServer(overHttp(mode, 'sseUrl'));

describe('the client of SDK v2 over Streamable HTTP', () => {
  it('reconnects for the response of a broken stream', async () => {
    const http = await serveHttp(createExampleServer(), { port: 0, limits: { sseRetry: 20 } });
    const { client, call } = await connectSdkV2({ url: http.url });
    expect(getText(await call('hangs-up'))).toBe('after');
    await client.close();
    await http.close({ timeout: 0 });
  });

  it('ends its session, and is refused from then on', async () => {
    const http = await serveHttp(createExampleServer(), { port: 0 });
    const { client, terminate, call } = await connectSdkV2({ url: http.url });
    await terminate?.();
    await expect(call('meta')).rejects.toThrow();
    await client.close();
    await http.close({ timeout: 0 });
  });

  it.each([
    ['auto', ['2025-06-18'], '2025-06-18'],
    ['default', ['2025-11-25'], '2025-11-25'],
    ['auto', [newest], newest],
  ])('agrees (%s) with a server that supports %j', async (mode, versions, version) => {
    const http = await serveHttp(createExampleServer({ versions }), { port: 0 });
    const { client, call } = await connectSdkV2({ url: http.url }, modes[mode]?.options);
    expect(JSON.parse(getText(await call('meta')))).toMatchObject({ version });
    await client.close();
    await http.close({ timeout: 0 });
  });

  it('gets an error with the reason without a common protocol version', async () => {
    const http = await serveHttp(createExampleServer({ versions: [newest] }), { port: 0 });
    await expect(connectSdkV2({ url: http.url })).rejects.toThrow(/version|version/i);
    await http.close({ timeout: 0 });
    const older = await serveHttp(createExampleServer({ versions: ['2025-11-25'] }), { port: 0 });
    await expect(connectSdkV2({ url: older.url }, modes[`pinned to ${newest}`]?.options)).rejects.toThrow(
      'Unsupported protocol version',
    );
    await older.close({ timeout: 0 });
  });
});
