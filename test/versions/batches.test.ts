import { afterEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../packages/base/src/json/json-object.js';
import { createServer, tool } from '../../packages/tenon/src/index.node.js';
import { serveHttp } from '../../packages/tenon/src/runtimes/node/http/http-server.js';
import { createTransportPair } from '../../packages/tenon/src/transports/memory.js';
import { serveLines } from '../../packages/tenon/src/transports/stdio/server.js';
import { createStdioPeer } from './stdio-peer.js';

const server = (acceptBatches: 'by-version' | 'always' = 'by-version') =>
  createServer({
    name: 'batches',
    version: '1',
    acceptBatches,
    onError: () => {},
    tools: {
      plain: tool({ run: () => 'plain' }),
      log: tool({
        run: async (_, ctx) => {
          ctx.log('error', 'logged');
          await Promise.resolve();
          return 'log';
        },
      }),
      progress: tool({
        run: async (_, ctx) => {
          ctx.progress(1, 2);
          return 'progress';
        },
      }),
      ask: tool({
        run: async (_, ctx) => (await ctx.sample({ messages: [], maxTokens: 1 })).model,
      }),
      fail: tool({
        run: () => {
          throw new Error('no');
        },
      }),
    },
  });

/** A peer that writes what it is told, and collects every message that comes. */
interface RawPeer {
  readonly received: JsonObject[];
  send(value: unknown): void;
}

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const respondToInputRequests = (peer: RawPeer, message: JsonObject): void => {
  if (message.method !== 'sampling/createMessage') return;
  const result = { role: 'assistant', content: { type: 'text', text: 'hi' }, model: 'm' };
  peer.send({ jsonrpc: '2.0', id: message.id, result });
};

const take = (peer: RawPeer, value: unknown): void => {
  for (const message of (Array.isArray(value) ? value : [value]) as JsonObject[]) {
    peer.received.push(message);
    respondToInputRequests(peer, message);
  }
};

async function overMemory(service: ReturnType<typeof server>): Promise<RawPeer> {
  const pair = createTransportPair();
  const peer: RawPeer = { received: [], send: value => void pair.client.send(value as never) };
  await service.connect(pair.server);
  const ignore = () => {};
  await pair.client.open({
    onMessage: value => take(peer, value),
    onParseError: ignore,
    onResponseLost: ignore,
    onClose: ignore,
  });
  closing.push(() => pair.client.close());
  return peer;
}

async function overStdio(service: ReturnType<typeof server>): Promise<RawPeer> {
  const { source, sink, write } = createStdioPeer(value => take(peer, value));
  const peer: RawPeer = { received: [], send: value => write(JSON.stringify(value)) };
  const serving = await serveLines(service, source, sink, { drainTimeout: 0 });
  closing.push(() => serving.close());
  return peer;
}

async function overHttp(service: ReturnType<typeof server>): Promise<RawPeer> {
  const http = await serveHttp(service, { port: 0 });
  closing.push(() => http.close({ timeout: 0 }));
  let session: string | undefined;
  let last: Promise<unknown> = Promise.resolve();
  const post = async (value: unknown): Promise<void> => {
    const response = await fetch(http.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...(session === undefined ? {} : { 'mcp-session-id': session }),
      },
      body: JSON.stringify(value),
    });
    session ??= response.headers.get('mcp-session-id') ?? undefined;
    if (!response.headers.get('content-type')?.includes('event-stream')) {
      const text = await response.text();
      return text === '' ? undefined : take(peer, JSON.parse(text));
    }
    let text = '';
    for await (const chunk of response.body ?? []) {
      text += new TextDecoder().decode(chunk as Uint8Array);
      for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
        const data = /^data: (.*)$/m.exec(text.slice(0, end))?.[1];
        if (data) take(peer, JSON.parse(data));
        text = text.slice(end + 2);
      }
    }
  };
  const peer: RawPeer = {
    received: [],
    send: value => {
      // The session is known after the first answer; an response to an input request must not wait for the stream that asked.
      const isOpening = session === undefined;
      const sent = isOpening ? last.then(() => post(value)) : post(value);
      if (isOpening) last = sent;
    },
  };
  return peer;
}

async function open(peer: RawPeer, protocolVersion: string): Promise<void> {
  const params = { protocolVersion, capabilities: { sampling: {} }, clientInfo: { name: 'raw', version: '1' } };
  peer.send({ jsonrpc: '2.0', id: 'open', method: 'initialize', params });
  await expect.poll(() => peer.received.length).toBe(1);
  peer.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  peer.received.length = 0;
}

const call = (id: number, name: string) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: {}, _meta: { progressToken: id } },
});

const idsOf = (peer: RawPeer) =>
  peer.received.filter(message => !('method' in message)).map(({ id }) => id as number | null);

describe.each([
  ['memory', overMemory],
  ['stdio', overStdio],
  ['Streamable HTTP', overHttp],
] as const)('batches over %s', (_, connectOver) => {
  it.each(['log', 'progress', 'ask', 'fail', 'plain'])(
    'get a response for every request of a batch with a call of %s',
    async name => {
      const peer = await connectOver(server());
      await open(peer, '2025-03-26');
      peer.send([
        { jsonrpc: '2.0', id: 1, method: 'ping' },
        { jsonrpc: '2.0', id: 2, method: 'tools/list' },
        call(3, name),
        call(4, 'plain'),
        call(5, 'unknown'),
      ]);
      await expect.poll(() => idsOf(peer).sort()).toEqual([1, 2, 3, 4, 5]);
    },
  );

  it('are refused on 2025-06-18 with a response for each readable id', async () => {
    const peer = await connectOver(server());
    await open(peer, '2025-06-18');
    peer.send([call(1, 'plain'), { jsonrpc: '2.0', id: 2, method: 7 }, call(3, 'plain')]);
    await expect.poll(() => idsOf(peer).sort()).toEqual([1, 2, 3]);
    expect(peer.received).toMatchObject([1, 2, 3].map(() => ({ error: { code: -32600 } })));
  });

  it('are accepted on 2025-11-25 when acceptBatches is always', async () => {
    const peer = await connectOver(server('always'));
    await open(peer, '2025-11-25');
    peer.send([call(1, 'plain'), call(2, 'log')]);
    await expect.poll(() => idsOf(peer).sort()).toEqual([1, 2]);
    for (const message of peer.received) if (!('method' in message)) expect(message).toHaveProperty('result');
  });
});
