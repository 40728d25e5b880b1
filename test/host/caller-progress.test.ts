import { createHost } from '@tenon/host';
import { type ClientOptions, connect } from 'tenon';
import { serveHttp } from 'tenon/node';
import { expect, it, onTestFinished } from 'vitest';
import { isObject, type JsonObject } from '../../packages/base/src/json/json-object.js';
import { createTransportPair } from '../../packages/tenon/src/transports/memory.js';

const VERSIONS = ['2025-03-26', '2025-06-18', '2025-11-25'];
const REQUESTED = 'asked by the server';
const QUESTION = { messages: [{ role: 'user', content: { type: 'text', text: 'What is it?' } }], maxTokens: 5 };
const ANSWER = { role: 'assistant' as const, model: 'm', content: { type: 'text' as const, text: 'It is.' } };

/** A server that asks its caller's model in each call, and keeps the progress that it gets for that. */
function createAskingServer(version: string) {
  const progress: unknown[] = [];
  const { client, server } = createTransportPair();
  const answer = (id: unknown, result: object) => void server.send({ jsonrpc: '2.0', id, result } as never);
  let callId: unknown;
  const results: { readonly [method: string]: object } = {
    initialize: {
      protocolVersion: version,
      capabilities: { tools: {} },
      serverInfo: { name: 'asking', version: '1' },
    },
    'tools/list': { tools: [{ name: 'ask', inputSchema: { type: 'object' } }] },
  };
  const receive = ({ id, method, params }: JsonObject) => {
    if (method === 'notifications/progress') progress.push(params);
    if (method === 'tools/call') {
      callId = id;
      const request = { ...QUESTION, _meta: { progressToken: 'p' } };
      void server.send({ jsonrpc: '2.0', id: REQUESTED, method: 'sampling/createMessage', params: request });
    } else if (id === REQUESTED) answer(callId, { content: [] });
    else if (id !== undefined) answer(id, results[String(method)] ?? {});
  };
  const service = async () => {
    await server.open({
      onMessage: value => isObject(value) && receive(value),
      onParseError() {},
      onResponseLost() {},
      onClose() {},
    });
    return client;
  };
  const withdraw = () => {
    const params = { requestId: REQUESTED, reason: 'no longer needed' };
    void server.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params });
    answer(callId, { content: [] });
  };
  return { service, progress, withdraw };
}

async function connectThroughGateway(version: string, sample: NonNullable<ClientOptions['sample']>) {
  const { service, ...server } = createAskingServer(version);
  const host = await createHost({ prefix: 'auto', servers: { asking: { service } }, onError: () => {} });
  onTestFinished(() => host.close());
  const http = await serveHttp(host.toServer(), { port: 0 });
  onTestFinished(() => http.close({ timeout: 0 }));
  const client = await connect(http.url, { protocolVersion: version, sample });
  onTestFinished(() => client.close());
  return { ...server, client };
}

it.each(VERSIONS)('passes progress of a caller on an input request to the server, in %s', async version => {
  const { client, progress } = await connectThroughGateway(version, async (_, request) => {
    request.progress(1, 2, 'thinking');
    request.progress(2, 2);
    await expect.poll(() => progress).toHaveLength(2);
    return ANSWER;
  });
  await client.callTool('ask', {});
  expect(progress).toEqual([
    { progressToken: 'p', progress: 1, total: 2, message: 'thinking' },
    { progressToken: 'p', progress: 2, total: 2 },
  ]);
});

it.each(VERSIONS)('passes the cancellation of an input request to the caller, in %s', async version => {
  let reason: unknown;
  const { client, withdraw } = await connectThroughGateway(version, async (_, { signal }) => {
    await new Promise<void>(resolve => {
      signal.addEventListener('abort', () => {
        reason = signal.reason;
        resolve();
      });
      withdraw();
    });
    return ANSWER;
  });
  await client.callTool('ask', {});
  await expect.poll(() => reason).toMatchObject({ message: 'no longer needed' });
});
