import type { ClientOptions } from '@modelcontextprotocol/client';
import { type HttpServer, serveHttp } from 'tenon/node';
import { describe, expect, it } from 'vitest';
import { textOf } from './collect.js';
import { createOurs } from './fixtures/our-example.js';
import { visits } from './our-server.js';
import { program } from './process.js';
import { visitByV2 } from './sdk-v2-visitor.js';
import type { Visit } from './visit.js';

const newest = '2026-07-28';

/** Ways in which a client of SDK v2 negotiates, and what it agrees on with a server that speaks everything. */
const manners: Record<string, { readonly options: ClientOptions; readonly revision: string }> = {
  default: { options: {}, revision: '2025-11-25' },
  auto: { options: { versionNegotiation: { mode: 'auto' } }, revision: newest },
  [`pinned to ${newest}`]: { options: { versionNegotiation: { mode: { pin: newest } } }, revision: newest },
  ...Object.fromEntries(
    ['2025-06-18', '2025-03-26', '2024-11-05'].map(revision => [
      `with ${revision} only`,
      { options: { supportedProtocolVersions: [revision] }, revision },
    ]),
  ),
};

function overHttp(manner: string, kind: 'url' | 'sseUrl'): Visit {
  const { options, revision } = manners[manner] as (typeof manners)[string];
  let http: HttpServer;
  return {
    name: `The client of SDK v2 over ${kind === 'url' ? 'Streamable HTTP' : 'HTTP+SSE'}, ${manner}`,
    revision,
    async open() {
      http = await serveHttp(createOurs({ pageSize: 5 }), { port: 0 });
      return visitByV2(kind === 'url' ? { url: http.url } : { sseUrl: http.sseUrl ?? '' }, options);
    },
    stop: () => http.close({ deadline: 0 }),
  };
}

function overStdio(manner: string): Visit {
  const { options, revision } = manners[manner] as (typeof manners)[string];
  const args = [...program(new URL('./fixtures/our-stdio.ts', import.meta.url)), JSON.stringify({ pageSize: 5 })];
  return { name: `The client of SDK v2 over stdio, ${manner}`, revision, open: () => visitByV2({ args }, options) };
}

for (const manner of Object.keys(manners)) {
  visits(overStdio(manner));
  if (manners[manner]?.revision !== '2024-11-05') visits(overHttp(manner, 'url'));
}
visits(overHttp('default', 'sseUrl'));
visits(overHttp('auto', 'sseUrl'));
visits(overHttp('with 2024-11-05 only', 'sseUrl'));

describe('The client of SDK v2 over Streamable HTTP', () => {
  it('comes back for the answer to a stream that broke off', async () => {
    const http = await serveHttp(createOurs(), { port: 0, bounds: { retry: 20 } });
    const { client, call } = await visitByV2({ url: http.url });
    expect(textOf(await call('hangs-up'))).toBe('after');
    await client.close();
    await http.close({ deadline: 0 });
  });

  it('ends its session, and is refused from then on', async () => {
    const http = await serveHttp(createOurs(), { port: 0 });
    const { client, terminate, call } = await visitByV2({ url: http.url });
    await terminate?.();
    await expect(call('meta')).rejects.toThrow();
    await client.close();
    await http.close({ deadline: 0 });
  });

  it.each([
    ['auto', ['2025-06-18'], '2025-06-18'],
    ['default', ['2025-11-25'], '2025-11-25'],
    ['auto', [newest], newest],
  ])('agrees (%s) with a server that speaks %j', async (manner, revisions, revision) => {
    const http = await serveHttp(createOurs({ revisions }), { port: 0 });
    const { client, call } = await visitByV2({ url: http.url }, manners[manner]?.options);
    expect(JSON.parse(textOf(await call('meta')))).toMatchObject({ revision });
    await client.close();
    await http.close({ deadline: 0 });
  });

  it('is turned away with a reason where there is no revision in common', async () => {
    const http = await serveHttp(createOurs({ revisions: [newest] }), { port: 0 });
    await expect(visitByV2({ url: http.url })).rejects.toThrow(/version|revision/i);
    await http.close({ deadline: 0 });
    const older = await serveHttp(createOurs({ revisions: ['2025-11-25'] }), { port: 0 });
    await expect(visitByV2({ url: older.url }, manners[`pinned to ${newest}`]?.options)).rejects.toThrow(
      'Unsupported protocol version',
    );
    await older.close({ deadline: 0 });
  });
});
