import { createHost } from '@tenon/host';
import { type Client, type ConnectTarget, connect } from 'tenon';
import { serveHttp } from 'tenon/node';
import { beforeAll, describe, expect, it } from 'vitest';
import { installRuntimes } from '../../scripts/runtimes.mjs';
import { installTools } from '../../scripts/tools.mjs';
import { createAnswers } from '../interop/answers.js';
import type { Names } from './features.js';
import { findCounts } from './find-counts.js';
import { serverPeers } from './server-peers.js';

beforeAll(async () => {
  await installRuntimes();
  await installTools();
}, 600_000);

const plain: Names = { tool: name => name, prompt: name => name };
const prefixed: Names = { tool: name => `peer__${name}`, prompt: name => `peer__${name}` };

describe.each(serverPeers)('$name', ({ name, features, start }) => {
  const closers: (() => Promise<unknown>)[] = [];
  let direct: Client;
  let bridged: Client;
  beforeAll(async () => {
    const { server, stop } = await start();
    direct = await connect(server as ConnectTarget, createAnswers());
    const host = await createHost({ servers: { peer: server }, prefix: 'always' });
    const gateway = await serveHttp(host.toServer(), { port: 0 });
    bridged = await connect({ url: gateway.url }, createAnswers());
    closers.push(
      () => direct.close(),
      () => bridged.close(),
      () => gateway.close({ timeout: 0 }),
      () => host.close(),
      stop,
    );
    return async () => {
      for (const close of closers) await close();
    };
  }, 60_000);

  it('supports as many features as the page states', () => {
    const count = `${features.length} of ${features.length}`;
    expect(findCounts('Servers', name)).toEqual([count, count]);
  });

  it.each(features)('supports $name, directly', async ({ run, expected }) =>
    expect(await run(direct, plain)).toEqual(expected),
  );

  it.each(features)('supports $name, through the gateway', async ({ run, expected }) =>
    expect(await run(bridged, prefixed)).toEqual(expected),
  );
});
