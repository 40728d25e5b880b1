import type { JsonObject } from '@tenon/base';
import { protocolVersions } from '@tenon/testing';
import { describe, expect, it } from 'vitest';
import type { Id, JsonRpcMessage } from '../../jsonrpc/message.js';
import { createTransportPair } from '../../transports/memory.js';
import { connectTo } from '../connect.js';
import { createTransportEndpoint } from '../connection/endpoint.js';

const v = { jsonrpc: '2.0' as const };

/** A server by hand that answers `initialize` and `ping`, and `tools/call` by the messages of `script`. */
function connectToScript(protocolVersion: string, script: (id: Id) => object[]) {
  const received: JsonObject[] = [];
  const pair = createTransportPair();
  const send = (message: object) => void pair.server.send({ ...v, ...message } as JsonRpcMessage);
  void pair.server.open({
    onMessage(value) {
      const request = value as JsonObject;
      received.push(request);
      const { id, method } = request;
      if (id === undefined) return;
      if (method === 'initialize')
        send({
          id,
          result: {
            protocolVersion,
            capabilities: { tools: {} },
            serverInfo: { name: 's', version: '1' },
          },
        });
      else if (method === 'ping') send({ id, result: {} });
      else for (const message of script(id as Id)) send(message);
    },
    onParseError() {},
    onResponseLost() {},
    onClose() {},
  });
  return { received, connecting: connectTo(createTransportEndpoint(pair.client), { protocolVersion }) };
}

const progress = (progressToken: Id, value: number) => ({
  method: 'notifications/progress',
  params: { progressToken, progress: value },
});

const versions = protocolVersions.filter(each => each !== '2026-07-28');

describe('progress notifications', () => {
  it.each(versions)(
    'ignores progress that follows the response at once, on %s [progress.stops-after-completion]',
    async version => {
      const { connecting } = connectToScript(version, id => [
        progress(id, 1),
        { id, result: { content: [] } },
        progress(id, 2),
      ]);
      const client = await connecting;
      const notifications: number[] = [];
      await client.callTool('x', {}, { onProgress: ({ progress }) => void notifications.push(progress) });
      await new Promise(resolve => setImmediate(resolve));
      expect(notifications).toEqual([1]);
      await client.close();
    },
  );

  it.each(versions)('requests no progress on %s for initialize and ping', async version => {
    const { received, connecting } = connectToScript(version, id => [{ id, result: { tools: [] } }]);
    const client = await connecting;
    await client.ping();
    await client.call('tools/list');
    const tokens = received.map(({ method, params }) => [
      method,
      ((params as JsonObject | undefined)?._meta as JsonObject | undefined)?.progressToken !== undefined,
    ]);
    expect(tokens).toEqual([
      ['initialize', false],
      ['notifications/initialized', false],
      ['ping', false],
      ['tools/list', true],
    ]);
    await client.close();
  });
});
