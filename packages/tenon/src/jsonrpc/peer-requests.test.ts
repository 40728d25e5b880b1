import { TenonError } from '@tenon/base';
import { describe, expect, it } from 'vitest';
import { startPeer, waitForImmediate } from './fixtures/lone-peer.js';

describe('a peer that sends requests', () => {
  it('gets its responses in any order, and reports responses without a request', async () => {
    const { peer, messages, say, errors } = await startPeer();
    const calls = [peer.call('a', {}), peer.call('b', undefined), peer.call('c', id => ({ id }))];
    await waitForImmediate();
    expect(messages).toMatchObject([
      { id: 1, method: 'a', params: {} },
      { id: 2, method: 'b' },
      { id: 3, params: { id: 3 } },
    ]);
    const answer = (id: number, n: number) => ({ jsonrpc: '2.0', id, result: { n } });
    await say(answer(3, 3), answer(1, 1), answer(2, 2), answer(2, 4));
    expect(await Promise.all(calls)).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
    expect(errors).toMatchObject([{ code: 'peer/unknown-response' }]);
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
  ])('rejects at once on a response with %s, and does not respond to it', async (_, answer) => {
    const { peer, messages, say } = await startPeer();
    const call = peer.call('a', {}).catch(error => error.code);
    await say({ id: 1, ...answer });
    expect(await call).toBe('peer/malformed');
    expect(messages).toHaveLength(1);
    expect(peer.pendingCount).toBe(0);
  });

  it('accepts the text of a numeric id in responses, and reports it once', async () => {
    const { peer, say, errors } = await startPeer();
    const calls = [peer.call('a', {}), peer.call('b', {}), peer.call('c', {}).catch(error => error.rpcCode)];
    await waitForImmediate();
    await say(
      { jsonrpc: '2.0', id: '2', result: { n: 2 } },
      { jsonrpc: '2.0', id: '1', result: { n: 1 } },
      { jsonrpc: '2.0', id: '3', error: { code: 7, message: 'no' } },
    );
    expect(await Promise.all(calls)).toEqual([{ n: 1 }, { n: 2 }, 7]);
    expect(errors).toMatchObject([{ code: 'peer/deviation', method: 'b', data: { deviation: 'string-id' } }]);
    expect(peer.pendingCount).toBe(0);
  });

  it.each(['01', '1.0', '+1', ' 1', '1e0', '0x1', '-1', ''])('rejects %j as the id of request 1', async id => {
    const { peer, say, errors } = await startPeer();
    const call = peer.call('a', {});
    await waitForImmediate();
    await say({ jsonrpc: '2.0', id, result: {} });
    expect(errors).toMatchObject([{ code: 'peer/unknown-response' }]);
    await say({ jsonrpc: '2.0', id: 1, result: {} });
    await call;
  });

  it('ignores the text of a numeric id in cancellations and progress', async () => {
    const { peer, say, runs, errors } = await startPeer();
    await say({ jsonrpc: '2.0', id: 1, method: 'x' });
    expect(peer.cancel('1')).toBe(false);
    const call = peer.call('a', {});
    await waitForImmediate();
    expect([peer.resetIdleTimeout('1'), peer.resetIdleTimeout(1)]).toEqual([false, true]);
    await say({ jsonrpc: '2.0', id: 1, result: {} });
    await call;
    expect([runs.length, errors]).toEqual([1, []]);
  });

  it('fails the request at once with `strict`', async () => {
    const { peer, say } = await startPeer({ strict: true });
    const call = peer.call('a', {}).catch(error => error.code);
    await waitForImmediate();
    await say({ jsonrpc: '2.0', id: '1', result: {} });
    expect(await call).toBe('peer/unknown-response');
  });

  it('matches a lost or malformed response with the text of its id', async () => {
    const { peer, say, remote } = await startPeer();
    const calls = [1, 2].map(() => peer.call('a', {}).catch(error => error.code));
    await waitForImmediate();
    await say({ jsonrpc: '2.0', id: '1', result: [] });
    peer.onResponseLost('2', TenonError.from(new Error('lost'), 'test/lost'));
    expect(await Promise.all(calls)).toEqual(['peer/malformed', 'test/lost']);
    await remote.close();
  });

  it('reports an error without an id [base.error.id-absent-when-unreadable]', async () => {
    const { say, errors, messages } = await startPeer();
    await say(
      { jsonrpc: '2.0', error: { code: -32700, message: 'what?' } },
      { jsonrpc: '2.0', id: null, error: { code: -32700, message: 'what?' } },
    );
    expect(errors).toMatchObject([{ code: 'peer/unreadable' }, { code: 'peer/unreadable' }]);
    expect(messages).toEqual([]);
  });

  it('extends a request only after it was sent and before the response', async () => {
    const { peer, say } = await startPeer();
    expect(peer.resetIdleTimeout(1)).toBe(false);
    const call = peer.call('a', {});
    await waitForImmediate();
    expect(peer.resetIdleTimeout(1)).toBe(true);
    await say({ jsonrpc: '2.0', id: 1, result: {} });
    await call;
    expect(peer.resetIdleTimeout(1)).toBe(false);
  });

  it('sends nothing for a call that was cancelled before it began [cancellation.only-in-progress]', async () => {
    const { peer, messages } = await startPeer();
    await expect(peer.call('a', {}, { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'call/aborted' });
    await waitForImmediate();
    expect(messages).toEqual([]);
  });

  it('cancels once, and ignores the late response [cancellation.sender-ignores-late-response]', async () => {
    const { peer, say, clock, errors } = await startPeer();
    const abandoned: unknown[] = [];
    const call = peer
      .call('a', {}, { idleTimeout: 10, onAbandoned: id => abandoned.push(id) })
      .catch(error => error.code);
    clock.advance(10);
    expect(await call).toBe('call/timeout');
    await say({ jsonrpc: '2.0', id: 1, result: {} });
    expect(abandoned).toEqual([1]);
    expect(errors).toEqual([]);
    await say({ jsonrpc: '2.0', id: 1, result: {} });
    expect(errors).toMatchObject([{ code: 'peer/unknown-response' }]);
  });

  it('ignores the late responses to the last 100 requests that were cancelled, and reports earlier ones', async () => {
    const { peer, say, errors } = await startPeer();
    const stop = new AbortController();
    const calls = Array.from({ length: 101 }, () => peer.call('a', {}, { signal: stop.signal }).catch(() => {}));
    await waitForImmediate();
    stop.abort();
    await Promise.all(calls);
    await say(
      ...calls.map((_, index) => ({ jsonrpc: '2.0', id: index + 1, error: { code: 0, message: 'cancelled' } })),
    );
    expect(errors).toMatchObject([
      { code: 'peer/unknown-response', summary: 'received a response to the unknown request 1' },
    ]);
  });

  it('rejects when its request cannot be created or sent', async () => {
    const { peer, remote } = await startPeer();
    const unmade = peer.call('a', () => {
      throw new Error('no');
    });
    await expect(unmade).rejects.toMatchObject({ code: 'connection/send' });
    await remote.close();
    await waitForImmediate();
    await expect(peer.call('a', {})).rejects.toMatchObject({ code: 'connection/closed' });
    await peer.notify('a');
    expect(peer.pendingCount).toBe(0);
  });
});
