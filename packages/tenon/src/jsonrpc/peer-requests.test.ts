import { describe, expect, it } from 'vitest';
import { startPeer, waitForImmediate } from './fixtures/lone-peer.js';

describe('a peer that sends requests', () => {
  it('gets its answers in any order, and reports those that nobody waits for', async () => {
    const { peer, said, say, problems } = await startPeer();
    const calls = [peer.call('a', {}), peer.call('b', undefined), peer.call('c', id => ({ id }))];
    await waitForImmediate();
    expect(said).toMatchObject([
      { id: 1, method: 'a', params: {} },
      { id: 2, method: 'b' },
      { id: 3, params: { id: 3 } },
    ]);
    const answer = (id: number, n: number) => ({ jsonrpc: '2.0', id, result: { n } });
    await say(answer(3, 3), answer(1, 1), answer(2, 2), answer(2, 4));
    expect(await Promise.all(calls)).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
    expect(problems).toMatchObject([{ code: 'peer/unknown-response' }]);
  });

  it.each([
    [
      'both result and error [base.response.result-xor-error]',
      { jsonrpc: '2.0', result: {}, error: { code: 1, message: '' } },
    ],
    ['neither [base.response.result-xor-error]', { jsonrpc: '2.0' }],
    ['a result that is not an object [base.response.result-object]', { jsonrpc: '2.0', result: [] }],
    ['no version [base.jsonrpc-2.0]', { result: {} }],
    ['an error without a code [base.error.code-and-message]', { jsonrpc: '2.0', error: {} }],
  ])('is told at once of an answer with %s, and answers nothing to it', async (_, answer) => {
    const { peer, said, say } = await startPeer();
    const call = peer.call('a', {}).catch(error => error.code);
    await say({ id: 1, ...answer });
    expect(await call).toBe('peer/malformed');
    expect(said).toHaveLength(1);
    expect(peer.pendingCount).toBe(0);
  });

  it('reports an error without an id [base.error.id-absent-when-unreadable]', async () => {
    const { say, problems, said } = await startPeer();
    await say(
      { jsonrpc: '2.0', error: { code: -32700, message: 'what?' } },
      { jsonrpc: '2.0', id: null, error: { code: -32700, message: 'what?' } },
    );
    expect(problems).toMatchObject([{ code: 'peer/unreadable' }, { code: 'peer/unreadable' }]);
    expect(said).toEqual([]);
  });

  it('knows no request to extend before it has sent one, and after the response', async () => {
    const { peer, say } = await startPeer();
    expect(peer.resetIdleTimeout(1)).toBe(false);
    const call = peer.call('a', {});
    await waitForImmediate();
    expect(peer.resetIdleTimeout(1)).toBe(true);
    await say({ jsonrpc: '2.0', id: 1, result: {} });
    await call;
    expect(peer.resetIdleTimeout(1)).toBe(false);
  });

  it('sends nothing for a call that was given up before it began [cancellation.only-in-progress]', async () => {
    const { peer, said } = await startPeer();
    await expect(peer.call('a', {}, { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'call/aborted' });
    await waitForImmediate();
    expect(said).toEqual([]);
  });

  it('tells once that it gave up, and ignores the late answer [cancellation.sender-ignores-late-response]', async () => {
    const { peer, say, clock, problems } = await startPeer();
    const abandoned: unknown[] = [];
    const call = peer
      .call('a', {}, { idleTimeout: 10, onAbandoned: id => abandoned.push(id) })
      .catch(error => error.code);
    clock.advance(10);
    expect(await call).toBe('call/timeout');
    await say({ jsonrpc: '2.0', id: 1, result: {} });
    expect(abandoned).toEqual([1]);
    expect(problems).toMatchObject([{ code: 'peer/unknown-response' }]);
  });

  it('is told when its request cannot be made or sent', async () => {
    const { peer, far } = await startPeer();
    const unmade = peer.call('a', () => {
      throw new Error('no');
    });
    await expect(unmade).rejects.toMatchObject({ code: 'connection/send' });
    await far.close();
    await waitForImmediate();
    await expect(peer.call('a', {})).rejects.toMatchObject({ code: 'connection/closed' });
    await peer.notify('a');
    expect(peer.pendingCount).toBe(0);
  });
});
