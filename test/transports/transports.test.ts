import {
  duplicate,
  echoServer,
  type FaultSchedule,
  fakeClock,
  replaceWith,
  type TestPeer,
  type TransportFixture,
  transportCases,
  type UnsupportedFeatures,
  withFaults,
} from '@tenon/testing';
import { createTransportPair } from 'tenon';
import { serveHttp } from 'tenon/node';
import { beforeAll, describe, expect, it } from 'vitest';
import { createNodeRequester } from '../../packages/tenon/src/runtimes/node/http/http-requester.js';
import { spawnServer } from '../../packages/tenon/src/runtimes/node/processes/spawn-server.js';
import { createHttpTransport } from '../../packages/tenon/src/transports/http/client/http-transport.js';
import { createHttpSseTransport } from '../../packages/tenon/src/transports/http-sse/client.js';
import { createStdioTransport } from '../../packages/tenon/src/transports/stdio/client.js';
import { bundle } from '../support/bundle.js';

function suite(
  name: string,
  open: () => TransportFixture | Promise<TransportFixture>,
  lacks?: UnsupportedFeatures,
): void {
  describe(`the channel ${name} [base.custom-transport.preserves-protocol base.custom-transport-preserves base.utf8-encoding]`, () => {
    for (const { name: title, run } of transportCases(open, lacks)) it(title, run);
  });
}

suite('in memory', async () => {
  const pair = createTransportPair();
  await echoServer.connect(pair.server);
  return { transport: pair.client };
});

suite('in memory, through a wrapper that does nothing', async () => {
  const pair = createTransportPair();
  await echoServer.connect(pair.server);
  return { transport: withFaults(pair.client, { send: () => undefined }) };
});

describe('over stdio', () => {
  let program = '';
  beforeAll(async () => {
    program = bundle('test/transports/echo-program.ts');
  });
  suite('to a child process', () => ({
    transport: createStdioTransport({ command: process.execPath, args: [program] }, spawnServer),
  }));
});

const opening = async (listener: TestPeer) => {
  await listener.call('initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 't', version: '1' },
  });
};

suite(
  'over Streamable HTTP, in a session',
  async () => {
    const server = await serveHttp(echoServer, { port: 0 });
    const transport = createHttpTransport(server.url, { requester: createNodeRequester() });
    return { transport, handshake: opening, release: () => server.close() };
  },
  { closeDetection: true },
);

suite('over HTTP+SSE', async () => {
  const server = await serveHttp(echoServer, { port: 0 });
  const transport = createHttpSseTransport(server.sseUrl as string, { requester: createNodeRequester() });
  return { transport, handshake: opening, release: () => server.close() };
});

describe('the contract of transports', () => {
  const failing = async (spoil: Parameters<typeof withFaults>[1]) => {
    const clock = fakeClock();
    const cases = transportCases(async () => {
      const pair = createTransportPair();
      await echoServer.connect(pair.server);
      return { transport: withFaults(pair.client, { clock, ...spoil }) };
    });
    const failed: string[] = [];
    for (const { name, run } of cases.filter(each => /order|concurrent|any text/.test(each.name))) {
      await run().catch(() => failed.push(name));
    }
    return failed;
  };

  it('detects a transport that repeats', async () => {
    expect(await failing({ receive: () => duplicate })).toHaveLength(2);
  });

  it('detects a transport that changes text', async () => {
    const receive: FaultSchedule = value =>
      JSON.stringify(value).includes('😀') ? replaceWith({ ...(value as object), result: {} }) : undefined;
    expect(await failing({ receive })).toEqual(['delivers any text: control characters, separators, lone surrogates']);
  });
});
