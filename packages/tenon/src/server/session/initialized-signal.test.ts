import type { JsonObject } from '@tenon/base';
import { fakeClock, protocolVersions } from '@tenon/testing';
import { describe, expect, it } from 'vitest';
import { loadRuntime } from '../../execution/lazy-run.js';
import type { JsonRpcMessage } from '../../jsonrpc/message.js';
import { createTransportPair } from '../../transports/memory.js';
import { tool } from '../definitions/tool.js';
import { createServer } from '../server.js';

await loadRuntime();

const soon = () => new Promise(resolve => setImmediate(resolve));
const v = { jsonrpc: '2.0' as const };
const versions = protocolVersions.filter(each => each !== '2026-07-28');

/** A server whose tool asks for roots, and a client that has initialized it, but not said so. */
async function openHalf(protocolVersion = '2025-11-25') {
  const clock = fakeClock();
  const pair = createTransportPair();
  const received: JsonObject[] = [];
  const server = createServer({
    name: 's',
    version: '1',
    clock,
    tools: { where: tool({ run: async (_, ctx) => JSON.stringify(await ctx.roots()) }) },
  });
  await server.connect(pair.server);
  await pair.client.open({
    onMessage: value => received.push(value as JsonObject),
    onParseError() {},
    onResponseLost() {},
    onClose() {},
  });
  const send = async (message: object) => {
    await pair.client.send({ ...v, ...message } as JsonRpcMessage);
    await soon();
  };
  const params = { protocolVersion, capabilities: { roots: {} }, clientInfo: { name: 'c', version: '1' } };
  await send({ id: 0, method: 'initialize', params });
  await send({ id: 1, method: 'tools/call', params: { name: 'where', arguments: {} } });
  return { clock, received, send, close: () => pair.client.close() };
}

describe('requests of the server before notifications/initialized', () => {
  it.each(versions)('wait for it on %s [lifecycle.server-waits-for-initialized]', async version => {
    const { received, send } = await openHalf(version);
    expect(received.map(({ id, method }) => [id, method])).toEqual([[0, undefined]]);
    await send({ method: 'notifications/initialized' });
    expect(received.at(-1)).toMatchObject({ method: 'roots/list' });
    await send({ id: received.at(-1)?.id, result: { roots: [] } });
    expect(received.at(-1)).toMatchObject({ id: 1, result: { content: [{ type: 'text', text: '[]' }] } });
  });

  it('fail after 10 s, and the tool returns the error', async () => {
    const { clock, received } = await openHalf();
    clock.advance(9_999);
    await soon();
    expect(received).toHaveLength(1);
    clock.advance(1);
    await soon();
    expect(received).toMatchObject([{ id: 0 }, { id: 1, result: { isError: true } }]);
  });

  it('leave no timer when the connection ends', async () => {
    const { clock, close } = await openHalf();
    await close();
    await soon();
    expect(clock.timers).toBe(0);
  });
});
