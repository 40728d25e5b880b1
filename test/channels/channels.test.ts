import { createPair } from 'tenon';
import { serveHttp } from 'tenon/node';
import {
  channelCases,
  duplicate,
  type Ear,
  fakeClock,
  faulty,
  garbage,
  type Lacks,
  type Plan,
  type Road,
  reflector,
} from 'tenon/testing';
import { beforeAll, describe, expect, it } from 'vitest';
import { spawnServer } from '../../packages/tenon/src/runtimes/node/child-process.js';
import { nodeRequester } from '../../packages/tenon/src/runtimes/node/http-client.js';
import { openHttp } from '../../packages/tenon/src/transports/http/client.js';
import { openHttpSse } from '../../packages/tenon/src/transports/http-sse/client.js';
import { openStdio } from '../../packages/tenon/src/transports/stdio/client.js';
import { bundle } from '../support/bundle.js';

function suite(name: string, open: () => Road | Promise<Road>, lacks?: Lacks): void {
  describe(`the channel ${name} [base.custom-transport.preserves-protocol base.custom-transport-preserves base.utf8-encoding]`, () => {
    for (const { name: title, run } of channelCases(open, lacks)) it(title, run);
  });
}

suite('in memory', async () => {
  const pair = createPair();
  await reflector.connect(pair.server);
  return { channel: pair.client };
});

suite('in memory, through a wrapper that does nothing', async () => {
  const pair = createPair();
  await reflector.connect(pair.server);
  return { channel: faulty(pair.client, { send: () => undefined }) };
});

describe('over stdio', () => {
  let program = '';
  beforeAll(async () => {
    program = bundle('test/channels/reflecting.ts');
  });
  suite('to a child process', () => ({
    channel: openStdio({ command: process.execPath, args: [program] }, spawnServer),
  }));
});

const opening = async (ear: Ear) => {
  await ear.call('initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 't', version: '1' },
  });
};

suite(
  'over Streamable HTTP, in a session',
  async () => {
    const server = await serveHttp(reflector, { port: 0 });
    const channel = openHttp(server.url, { requester: nodeRequester() });
    return { channel, begin: opening, release: () => server.close() };
  },
  { hangUps: true },
);

suite('over HTTP+SSE', async () => {
  const server = await serveHttp(reflector, { port: 0 });
  const channel = openHttpSse(server.sseUrl as string, { requester: nodeRequester() });
  return { channel, begin: opening, release: () => server.close() };
});

describe('the cases', () => {
  const failing = async (spoil: Parameters<typeof faulty>[1]) => {
    const clock = fakeClock();
    const cases = channelCases(async () => {
      const pair = createPair();
      await reflector.connect(pair.server);
      return { channel: faulty(pair.client, { clock, ...spoil }) };
    });
    const failed: string[] = [];
    for (const { name, run } of cases.filter(each => /order|at once|any text/.test(each.name))) {
      await run().catch(() => failed.push(name));
    }
    return failed;
  };

  it('find a channel that repeats', async () => {
    expect(await failing({ receive: () => duplicate })).toHaveLength(2);
  });

  it('find a channel that changes its text', async () => {
    const receive: Plan = value =>
      JSON.stringify(value).includes('😀') ? garbage({ ...(value as object), result: {} }) : undefined;
    expect(await failing({ receive })).toEqual(['carries any text: control characters, separators, lone surrogates']);
  });
});
