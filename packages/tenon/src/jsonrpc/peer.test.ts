import { rpcError, TenonError } from '@tenon/base';
import { describe, expect, it } from 'vitest';
import { createNotification, createRequest, startPeer, waitForImmediate } from './fixtures/lone-peer.js';
import type { JsonRpcRequest } from './message.js';

describe('a peer that receives requests', () => {
  it('responds with the same id, and distinguishes "1" from 1 [base.response.same-id base.error.id-echo]', async () => {
    const { messages, say } = await startPeer({ onRequest: ({ id }) => ({ was: typeof id }) });
    await say(createRequest('1'), createRequest(1));
    expect(messages).toEqual([
      { jsonrpc: '2.0', id: '1', result: { was: 'string' } },
      { jsonrpc: '2.0', id: 1, result: { was: 'number' } },
    ]);
  });

  it('checks a message unless it is the one that its transport has checked', async () => {
    const { peer, messages } = await startPeer();
    const checkedRequest = createRequest(1) as JsonRpcRequest;
    peer.onMessage(checkedRequest, { checkedRequest });
    peer.onMessage({ ...checkedRequest, id: 2, method: 5 }, { checkedRequest });
    await waitForImmediate();
    expect(messages).toEqual([
      { jsonrpc: '2.0', id: 1, result: {} },
      {
        jsonrpc: '2.0',
        id: 2,
        error: { code: -32600, message: 'Invalid request: "method" must be a string' },
      },
    ]);
  });

  it('sends only errors that are meant for the peer, and reports the others [base.error.internal-error]', async () => {
    const { messages, say, errors } = await startPeer({
      onRequest: ({ method }) => {
        throw method === 'meant' ? rpcError(-32602, 'no', 1) : new Error(`secret ${import.meta.url}`);
      },
    });
    await say(createRequest(1, 'meant'), createRequest(2, 'other'));
    expect(messages).toEqual([
      { jsonrpc: '2.0', id: 1, error: { code: -32602, message: 'no', data: 1 } },
      { jsonrpc: '2.0', id: 2, error: { code: -32603, message: 'Internal error' } },
    ]);
    expect(errors).toMatchObject([{ code: 'handler/threw', method: 'other' }]);
  });

  it.each([
    ['undefined', undefined],
    ['text', 'x'],
    ['an array', []],
  ])('responds with an error when the handler returns %s', async (_, returned) => {
    const { messages, say, errors } = await startPeer({ onRequest: () => returned as never });
    await say(createRequest(1));
    expect(messages).toEqual([{ jsonrpc: '2.0', id: 1, error: { code: -32603, message: 'Internal error' } }]);
    expect(errors).toMatchObject([{ code: 'handler/result' }]);
  });

  it('responds with an error to a result that cannot be serialized', async () => {
    const { peer, messages, say, errors } = await startPeer({ onRequest: () => ({ n: 5n }) });
    const send = peer.transport.send.bind(peer.transport);
    peer.transport.send = message => send(JSON.parse(JSON.stringify(message)));
    await say(createRequest(1));
    expect(messages).toEqual([{ jsonrpc: '2.0', id: 1, error: { code: -32603, message: 'Internal error' } }]);
    expect(errors).toMatchObject([{ code: 'connection/send' }]);
  });

  it.each([
    ['connection/closed', []],
    ['connection/send', ['connection/send', 'connection/send']],
  ])('reports what it cannot send, unless the connection is closed: %s', async (code, reported) => {
    const { peer, say, errors } = await startPeer();
    peer.end();
    peer.transport.send = async () => {
      throw new TenonError(code, 'not sent');
    };
    await say(createRequest(1));
    await peer.notify('notifications/message');
    expect(errors.map(error => error.code)).toEqual(reported);
  });

  it('reports a response that the closed connection cannot send, before its own end', async () => {
    const { peer, say, errors } = await startPeer();
    peer.transport.send = async () => {
      throw new TenonError('connection/closed', 'not sent');
    };
    await say(createRequest(1));
    expect(errors).toMatchObject([{ code: 'connection/closed' }]);
  });

  it('reports no response that its own closing interrupts', async () => {
    const { peer, say, errors } = await startPeer();
    let interrupt = (_: TenonError) => {};
    peer.transport.send = () => new Promise((_, reject) => (interrupt = reject));
    peer.transport.close = async () => {
      interrupt(new TenonError('connection/closed', 'not sent'));
      await waitForImmediate();
    };
    await say(createRequest(1));
    await peer.close();
    expect(errors).toEqual([]);
  });

  it('refuses an id that is in use, and continues', async () => {
    let go = () => {};
    const { messages, say } = await startPeer({
      onRequest: () =>
        new Promise(resolve => {
          go = () => resolve({ done: 1 });
        }),
    });
    await say(createRequest(1), createRequest(1));
    expect(messages).toMatchObject([{ id: 1, error: { code: -32600 } }]);
    go();
    await waitForImmediate();
    expect(messages[1]).toMatchObject({ id: 1, result: { done: 1 } });
    await say(createRequest(1));
    go();
    await waitForImmediate();
    expect(messages[2]).toMatchObject({ id: 1, result: { done: 1 } });
  });

  it('sends no response to a cancelled request, however late its handler ends [cancellation.race-safe cancellation.no-response-after]', async () => {
    const ends: (() => void)[] = [];
    const { peer, messages, say } = await startPeer({
      onRequest: () => new Promise(resolve => ends.push(() => resolve({}))),
    });
    await say(createRequest(1), createRequest(2));
    expect(peer.inFlight).toBe(2);
    expect(peer.cancel(1, 'enough')).toBe(true);
    expect(peer.cancel(1)).toBe(false);
    expect(peer.cancel('1')).toBe(false);
    expect(peer.inFlight).toBe(1);
    // The id is free again, and the end of the cancelled work does not answer for the new.
    await say(createRequest(1));
    ends[0]?.();
    await waitForImmediate();
    expect(messages).toEqual([]);
    ends[2]?.();
    ends[1]?.();
    await waitForImmediate();
    expect(messages).toMatchObject([{ id: 1 }, { id: 2 }]);
    expect(peer.cancel(2)).toBe(false);
  });

  it('reports no error of a handler that throws the reason of its cancelled signal', async () => {
    const { peer, say, errors } = await startPeer({
      onRequest: (_, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason));
        }),
    });
    await say(createRequest(1));
    peer.cancel(1);
    await waitForImmediate();
    expect(errors).toEqual([]);
  });

  it('sends one response at most when a request is cancelled at that moment [cancellation.race-safe]', async () => {
    for (let turns = 0; turns < 6; turns++) {
      const { peer, messages, say } = await startPeer({ onRequest: async () => ({}) });
      void say(createRequest(1));
      for (let turn = 0; turn < turns; turn++) await Promise.resolve();
      const cancelled = peer.cancel(1);
      await waitForImmediate();
      expect(messages.length).toBe(cancelled ? 0 : 1);
      expect(peer.inFlight).toBe(0);
    }
  });

  it('handles a thousand requests at once and refuses more, cancelled ones that still run included', async () => {
    const { peer, messages, say, runs } = await startPeer({
      onRequest: (_, running) => {
        runs.push(running);
        return new Promise(() => {});
      },
    });
    await say(...Array.from({ length: 1000 }, (_, id) => createRequest(id)));
    for (let id = 0; id < 500; id++) peer.cancel(id);
    await say(createRequest('one more'));
    expect(messages).toMatchObject([{ id: 'one more', error: { code: 429 } }]);
    expect(runs).toHaveLength(1000);
  });

  it('handles any number of requests, one after the other', async () => {
    const { messages, say } = await startPeer();
    for (let n = 0; n < 3; n++) await say(...Array.from({ length: 500 }, (_, id) => createRequest(id)));
    expect(messages).toHaveLength(1500);
    expect(messages.filter(answer => 'error' in (answer as object))).toEqual([]);
  });

  it('aborts running handlers when the transport closes, and reports the end once', async () => {
    const { peer, say, notifications, runs, remote } = await startPeer({
      onRequest: (_, running) => {
        runs.push(running);
        return new Promise(() => {});
      },
    });
    const waiting = peer.call('m', {}).catch(error => error.code);
    await say(createRequest(1));
    await remote.close();
    expect(await waiting).toBe('connection/closed');
    expect(runs[0]?.signal.aborted).toBe(true);
    expect(notifications).toEqual([['closed', undefined]]);
    expect([peer.inFlight, peer.pendingCount]).toEqual([0, 0]);
  });
});

describe('a peer that receives notifications', () => {
  it('sends no response to a notification, not even a malformed one [base.notification.no-response]', async () => {
    const { messages, say, notifications, errors } = await startPeer({
      onNotification: message => {
        notifications.push(message);
        throw new Error('listener');
      },
    });
    await say(createNotification('a'), createNotification('b'));
    expect(messages).toEqual([]);
    expect(notifications).toHaveLength(2);
    expect(errors).toMatchObject([{ code: 'handler/threw' }, { code: 'handler/threw' }]);
  });

  it('responds to a malformed message, with its id if it has one [base.error.invalid-request base.error.id-absent-when-unreadable]', async () => {
    const { messages, say, errors } = await startPeer();
    await say({ id: 3, method: 'm' }, 'x', [], [createRequest(1)]);
    expect(messages).toMatchObject([
      { id: 3, error: { code: -32600 } },
      { id: null, error: { code: -32600 } },
      { id: null, error: { code: -32600 } },
      { id: 1, error: { code: -32600 } },
    ]);
    expect(errors.length).toBeGreaterThanOrEqual(2);
  });

  it('responds to each request of a batch that it refuses, and accepts the responses in it', async () => {
    const { messages, say, peer } = await startPeer();
    const answer = peer.call('m', undefined);
    await say([createRequest(1), createNotification('n'), { jsonrpc: '2.0', id: 1, result: {} }, createRequest(2)]);
    expect(messages.slice(1)).toMatchObject([
      { id: 1, error: { code: -32600 } },
      { id: 2, error: { code: -32600 } },
    ]);
    expect(await answer).toEqual({});
  });

  it('accepts the messages of an array one by one where arrays are split', async () => {
    const { messages, say, peer, notifications } = await startPeer({
      getBatchMode: () => 'split',
      onNotification: each => notifications.push(each),
    });
    const answer = peer.call('m', undefined);
    await say([createNotification('n'), { jsonrpc: '2.0', id: 1, result: {} }, createRequest(2)]);
    expect(await answer).toEqual({});
    expect(notifications).toHaveLength(1);
    expect(messages.slice(1)).toMatchObject([{ id: 2 }]);
  });

  it('omits the id, or sends no response, as the protocol version requires [base.error.id-absent-when-unreadable]', async () => {
    const without = await startPeer({ getUnreadableId: () => undefined });
    await without.say(5);
    expect(without.messages).toHaveLength(1);
    expect(without.messages[0]).not.toHaveProperty('id');
    const silent = await startPeer({ getUnreadableId: () => false });
    await silent.say(5);
    silent.peer.onParseError(new TenonError('a/b', 'x'));
    expect(silent.messages).toEqual([]);
  });

  it('reports text that is not JSON [base.error.parse-error]', async () => {
    const { peer, messages, errors } = await startPeer();
    peer.onParseError(new TenonError('a/b', 'secret words'));
    await waitForImmediate();
    expect(messages).toEqual([{ jsonrpc: '2.0', id: null, error: { code: -32700, message: 'Parse error' } }]);
    expect(errors).toMatchObject([{ code: 'a/b' }]);
  });

  it('names the limit of a request that is too large to its sender', async () => {
    const { peer, messages } = await startPeer();
    peer.onParseError(new TenonError('a/b', 'secret words', { received: 'more', expected: 'at most 9 bytes' }), 4);
    await waitForImmediate();
    const error = { code: -32700, message: 'Parse error: expected at most 9 bytes' };
    expect(messages).toEqual([{ jsonrpc: '2.0', id: 4, error }]);
  });

  it('survives an error listener that throws', async () => {
    const { messages, say } = await startPeer({
      onError: () => {
        throw new Error('listener');
      },
    });
    await say('x', { jsonrpc: '2.0', id: 9, result: {} }, createRequest(1));
    expect(messages).toMatchObject([{ id: null }, { id: 1, result: {} }]);
  });
});
