import { connect } from 'tenon';
import { serveHttp } from 'tenon/node';
import { describe, expect, it, vi } from 'vitest';
import { getText } from './collect.js';
import { createExampleServer } from './fixtures/our-example.js';
import { startV1Stateful } from './fixtures/sdk-v1-http.js';
import { startV2Handler } from './fixtures/sdk-v2-http.js';
import { startRecordingWire } from './fixtures/wire.js';
import { retryUntilPasses } from './retry.js';
import { connectSdkV1 } from './sdk-v1-client.js';
import { connectSdkV2 } from './sdk-v2-client.js';
import type { OfficialServer } from './server-types.js';

const portOf = (origin: string) => Number(new URL(origin).port);

describe.each([
  ['SDK v1', connectSdkV1],
  ['SDK v2', connectSdkV2],
] as const)('the client of %s, on a connection that breaks', (_, visit) => {
  it('reconnects to our server, and gets missed messages', async () => {
    const server = createExampleServer();
    const http = await serveHttp(server, { port: 0, limits: { sseRetry: 20 } });
    const wire = await startRecordingWire(http.port);
    const { client, call, notifications } = await visit({ url: `${wire.origin}/mcp` });
    const updates = (uri: string) =>
      notifications.filter(
        ({ method, params }) => method === 'notifications/resources/updated' && (params as { uri: string }).uri === uri,
      ).length;
    for (const uri of ['note://all', 'note://by/a']) await client.subscribeResource({ uri });
    await retryUntilPasses(async () => {
      await call('touch', { uri: 'note://all' });
      expect(updates('note://all')).toBeGreaterThan(0);
    });
    wire.disconnect();
    server.notifyResourceUpdated('note://by/a');
    await retryUntilPasses(() => expect(updates('note://by/a')).toBe(1));
    expect(getText(await call('word'))).toContain('tenon');
    await client.close();
    await wire.close();
    await http.close({ timeout: 0 });
  });

  it('reconnects for the response to a call', async () => {
    const http = await serveHttp(createExampleServer(), { port: 0, limits: { sseRetry: 20 } });
    const wire = await startRecordingWire(http.port);
    const { client, call } = await visit({ url: `${wire.origin}/mcp` });
    const disconnect = vi.fn(() => wire.disconnect());
    expect(
      getText(await call('paced', {}, { onprogress: ({ progress }) => void (progress === 1 && disconnect()) })),
    ).toBe('done');
    expect(disconnect).toHaveBeenCalledOnce();
    await client.close();
    await wire.close();
    await http.close({ timeout: 0 });
  });
});

describe('our client, on a connection that breaks', () => {
  it('reconnects to a server of SDK v1 for the response to a call, with missed notifications', async () => {
    const { origin, close } = await startV1Stateful();
    const wire = await startRecordingWire(portOf(origin));
    const client = await connect(`${wire.origin}/mcp`);
    const seen: number[] = [];
    const result = client.callTool(
      'paced',
      {},
      {
        onProgress({ progress }) {
          seen.push(progress);
          if (progress === 1) wire.disconnect();
        },
      },
    );
    expect(getText(await result)).toBe('done');
    expect(seen).toEqual([1, 2, 3]);
    await client.close();
    await wire.close();
    await close();
  });

  it('rejects with an unknown outcome where no stream can be resumed, and listens again', async () => {
    const { origin, close } = await startV2Handler();
    const wire = await startRecordingWire(portOf(origin));
    const client = await connect<OfficialServer>(`${wire.origin}/mcp`);
    const stop = new AbortController();
    const received: unknown[] = [];
    const watching = (async () => {
      for await (const change of client.watch({ tools: true }, { signal: stop.signal })) received.push(change);
    })();
    const call = client.callTool(
      'paced',
      {},
      { onProgress: ({ progress }) => void (progress === 1 && wire.disconnect()) },
    );
    await expect(call).rejects.toMatchObject({ code: 'call/outcome-unknown' });
    // What is watched is reported as changed once the stream is there again, because it may have been meanwhile.
    await retryUntilPasses(() => expect(received).toContainEqual({ list: 'tools' }));
    expect(await client.tools.add({ a: 1, b: 2 })).toEqual({ sum: 3 });
    stop.abort();
    await watching;
    await client.close();
    await wire.close();
    await close();
  });
});
