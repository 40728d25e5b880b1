import { createHost, type ServerState } from '@tenon/host';
import { fakeClock } from '@tenon/testing';
import { connect, createServer, tool } from 'tenon';
import { type HttpServer, serveHttp } from 'tenon/node';
import { expect, it, onTestFinished } from 'vitest';

const server = createServer({ name: 'far', version: '1', tools: { greet: tool({ run: () => 'hello' }) } });
const serve = (port: number): Promise<HttpServer> => serveHttp(server, { port });

/** A host of a server at a URL that can be stopped and started again. */
async function openHost() {
  const clock = fakeClock();
  const states: [ServerState['state'], string | undefined][] = [];
  let remote = await serve(0);
  const { url } = remote;
  const host = await createHost({
    clock,
    servers: { far: { url } },
    onServerState: ({ state, reason }) => states.push([state, reason]),
    onError: () => {},
  });
  onTestFinished(async () => {
    await host.close();
    await remote.close({ timeout: 0 });
  });
  const stop = () => remote.close({ timeout: 0 });
  const start = async () => {
    remote = await serve(Number(new URL(url).port));
  };
  return { host, clock, states, stop, start };
}

it('changes the state of a server at a URL when a call fails, and again when one succeeds', async () => {
  const { host, states, stop, start } = await openHost();
  await host.callTool('far__greet');
  await stop();
  await expect(host.callTool('far__greet')).rejects.toThrow();
  expect(host.getServers()).toMatchObject([{ state: 'failed', reason: expect.any(String) }]);
  await start();
  await host.callTool('far__greet');
  expect(host.getServers()).toMatchObject([{ state: 'connected', reason: undefined }]);
  expect(states.map(([state]) => state)).toEqual(['connecting', 'connected', 'failed', 'connected']);
});

it('detects without a call that a connected server is down, when its state is read', async () => {
  const { host, clock, states, stop, start } = await openHost();
  expect(await host.connectServer('far')).toMatchObject({ state: 'connected' });
  await stop();
  expect(await host.connectServer('far')).toMatchObject({ state: 'connected' });
  clock.advance(10_000);
  expect(await host.connectServer('far')).toMatchObject({ state: 'failed' });
  await start();
  clock.advance(10_000);
  expect(await host.connectServer('far')).toMatchObject({ state: 'connected' });
  expect(states.map(([state]) => state)).toEqual(['connecting', 'connected', 'failed', 'connected']);
});

it('reports that a server is down, also if only one of its connections has detected it', async () => {
  const { host, stop } = await openHost();
  const clients = await Promise.all(
    ['ada', 'bob'].map(principal =>
      connect(host.toServer(), { caller: { principal, scopes: [] }, protocolVersion: '2025-11-25', roots: [] }),
    ),
  );
  onTestFinished(async () => {
    await Promise.all(clients.map(client => client.close()));
  });
  for (const client of clients) await client.callTool('far__greet');
  await stop();
  await expect(clients[1]?.callTool('far__greet')).rejects.toThrow();
  expect(host.getServers()).toMatchObject([{ state: 'failed' }]);
});

it('detects without a call that the stream of changes does not reach a server, and when the server is back', async () => {
  const { host, clock, states, stop, start } = await openHost();
  const client = await connect(host.toServer(), { protocolVersion: '2026-07-28', roots: [] });
  onTestFinished(() => client.close());
  const stopWatch = new AbortController();
  onTestFinished(() => stopWatch.abort());
  client.watch({ tools: true }, { signal: stopWatch.signal });
  await client.callTool('far__greet');
  const readState = () => {
    clock.advance(1000);
    return host.getServers()[0]?.state;
  };
  await stop();
  await expect.poll(readState).toBe('failed');
  await start();
  await expect.poll(readState).toBe('connected');
  expect(states.map(([state]) => state)).toEqual(['connecting', 'connected', 'failed', 'connected']);
});
