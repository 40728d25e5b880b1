import { describe, expect, it } from 'vitest';
import { MessageOwner, runAsCall } from './message-owner.js';
import { WireLog } from './wire-log.js';

describe('the call of a message', () => {
  it('is that of the request for which a handler runs, also after pings and refused requests', async () => {
    const owner = new MessageOwner(new WireLog(() => {}), 1, () => []);
    const receive = (id: number, method: string, params: object = {}) =>
      owner.find('server', { jsonrpc: '2.0', id, method, params: { ...params } }, undefined);
    await runAsCall(7, async () => {
      owner.find(
        'client',
        { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { _meta: { progressToken: 'a' } } },
        0,
      );
    });
    for (let id = 10; id < 1010; id += 1) {
      receive(id, 'ping');
      owner.find('client', { jsonrpc: '2.0', id, result: {} }, undefined);
    }
    receive(2000, 'elicitation/create');
    owner.find('client', { jsonrpc: '2.0', id: 2000, error: { code: -32602, message: 'refused' } }, undefined);
    receive(2001, 'elicitation/create', { progressToken: 'a' });
    expect(owner.takeRequest('elicitation/create')).toBe(7);
    expect(owner.openRequests).toBe(0);
  });

  it('is forgotten for the progress of all but the last 10,000 calls', async () => {
    const owner = new MessageOwner(new WireLog(() => {}), 1, () => []);
    for (let call = 0; call <= 10_000; call += 1)
      await runAsCall(call, async () => {
        const params = { _meta: { progressToken: call } };
        owner.find('client', { jsonrpc: '2.0', id: call, method: 'tools/call', params }, undefined);
      });
    const find = (progressToken: number) =>
      owner.find('server', { jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken } }, undefined);
    expect([0, 1, 10_000].map(find)).toEqual([undefined, 1, 10_000]);
  });
});
