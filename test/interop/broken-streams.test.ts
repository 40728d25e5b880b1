import { connect } from 'tenon';
import { serveHttp } from 'tenon/node';
import { describe, expect, it, vi } from 'vitest';
import { textOf } from './collect.js';
import { createOurs } from './fixtures/our-example.js';
import { v1Stateful } from './fixtures/sdk-v1-http.js';
import { v2Handler } from './fixtures/sdk-v2-http.js';
import { layWire } from './fixtures/wire.js';
import { visitByV1 } from './sdk-v1-visitor.js';
import { visitByV2 } from './sdk-v2-visitor.js';
import type { OfficialServer } from './server-types.js';
import { soon } from './soon.js';

const portOf = (origin: string) => Number(new URL(origin).port);

describe.each([
  ['SDK v1', visitByV1],
  ['SDK v2', visitByV2],
] as const)('The client of %s, on a wire that is cut', (_, visit) => {
  it('comes back to our server, and gets what it missed', async () => {
    const server = createOurs();
    const http = await serveHttp(server, { port: 0, bounds: { retry: 20 } });
    const wire = await layWire(http.port);
    const { client, call, heard } = await visit({ url: `${wire.origin}/mcp` });
    const updates = (uri: string) =>
      heard.filter(
        ({ method, params }) => method === 'notifications/resources/updated' && (params as { uri: string }).uri === uri,
      ).length;
    for (const uri of ['note://all', 'note://by/a']) await client.subscribeResource({ uri });
    await soon(async () => {
      await call('touch', { uri: 'note://all' });
      expect(updates('note://all')).toBeGreaterThan(0);
    });
    wire.cut();
    server.changed('note://by/a');
    await soon(() => expect(updates('note://by/a')).toBe(1));
    expect(textOf(await call('word'))).toContain('tenon');
    await client.close();
    await wire.close();
    await http.close({ deadline: 0 });
  });

  it('comes back for the answer to a call', async () => {
    const http = await serveHttp(createOurs(), { port: 0, bounds: { retry: 20 } });
    const wire = await layWire(http.port);
    const { client, call } = await visit({ url: `${wire.origin}/mcp` });
    const cut = vi.fn(() => wire.cut());
    expect(textOf(await call('paced', {}, { onprogress: ({ progress }) => void (progress === 1 && cut()) }))).toBe(
      'done',
    );
    expect(cut).toHaveBeenCalledOnce();
    await client.close();
    await wire.close();
    await http.close({ deadline: 0 });
  });
});

describe('Our client, on a wire that is cut', () => {
  it('comes back to a server of SDK v1 for the answer to a call, with what was reported meanwhile', async () => {
    const { origin, close } = await v1Stateful();
    const wire = await layWire(portOf(origin));
    const client = await connect(`${wire.origin}/mcp`);
    const seen: number[] = [];
    const result = client.callTool(
      'paced',
      {},
      {
        onProgress({ progress }) {
          seen.push(progress);
          if (progress === 1) wire.cut();
        },
      },
    );
    expect(textOf(await result)).toBe('done');
    expect(seen).toEqual([1, 2, 3]);
    await client.close();
    await wire.close();
    await close();
  });

  it('says that it does not know what became of a call where nothing can be resumed, and listens on', async () => {
    const { origin, close } = await v2Handler();
    const wire = await layWire(portOf(origin));
    const client = await connect<OfficialServer>(`${wire.origin}/mcp`);
    const stop = new AbortController();
    const heard: unknown[] = [];
    const watching = (async () => {
      for await (const change of client.watch({ tools: true }, { signal: stop.signal })) heard.push(change);
    })();
    const call = client.callTool('paced', {}, { onProgress: ({ progress }) => void (progress === 1 && wire.cut()) });
    await expect(call).rejects.toMatchObject({ code: 'call/outcome-unknown' });
    // What is watched is reported as changed once the stream is there again, because it may have been meanwhile.
    await soon(() => expect(heard).toContainEqual({ list: 'tools' }));
    expect(await client.tools.add({ a: 1, b: 2 })).toEqual({ sum: 3 });
    stop.abort();
    await watching;
    await client.close();
    await wire.close();
    await close();
  });
});
