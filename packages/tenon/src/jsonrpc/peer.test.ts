import { describe, expect, it } from 'vitest';
import { fakeClock } from '../testing/clock.js';
import { createPair } from '../transports/memory.js';
import { rpcError, TenonError } from './error.js';
import type { Hands } from './hands.js';
import type { JsonObject, Request } from './message.js';
import { Peer } from './peer.js';
import type { Running } from './running.js';

const soon = () => new Promise(resolve => setImmediate(resolve));

/** A peer whose other end is a bare channel: what it says is read as it is. */
async function start(more: Partial<Hands> = {}) {
  const pair = createPair();
  const clock = fakeClock();
  const problems: TenonError[] = [];
  const heard: unknown[] = [];
  const said: unknown[] = [];
  const runs: Running[] = [];
  const hands: Hands = {
    request: (_, running) => {
      runs.push(running);
      return {};
    },
    notification: message => heard.push(message),
    problem: error => problems.push(error),
    closed: error => heard.push(['closed', error]),
    batches: () => false,
    unreadableId: () => null,
    ...more,
  };
  const peer = new Peer(pair.server, hands, clock);
  await peer.open();
  await pair.client.open({ message: value => said.push(value), unreadable() {}, lost() {}, closed() {} });
  const say = async (...values: unknown[]) => {
    for (const value of values) await pair.client.send(value as Request);
    await soon();
  };
  return { peer, clock, problems, heard, said, runs, say, far: pair.client };
}

const ask = (id: unknown, method = 'm', params?: JsonObject) => ({
  jsonrpc: '2.0',
  id,
  method,
  ...(params ? { params } : {}),
});
const tell = (method: string) => ({ jsonrpc: '2.0', method });

describe('a peer that is asked', () => {
  it('answers with the same id, "1" and 1 being two [base.response.same-id base.error.id-echo]', async () => {
    const { said, say } = await start({ request: ({ id }) => ({ was: typeof id }) });
    await say(ask('1'), ask(1));
    expect(said).toEqual([
      { jsonrpc: '2.0', id: '1', result: { was: 'string' } },
      { jsonrpc: '2.0', id: 1, result: { was: 'number' } },
    ]);
  });

  it('says of what was thrown only what is meant for the peer, and reports the rest [base.error.internal-error]', async () => {
    const { said, say, problems } = await start({
      request: ({ method }) => {
        throw method === 'meant' ? rpcError(-32602, 'no', 1) : new Error(`secret ${import.meta.url}`);
      },
    });
    await say(ask(1, 'meant'), ask(2, 'other'));
    expect(said).toEqual([
      { jsonrpc: '2.0', id: 1, error: { code: -32602, message: 'no', data: 1 } },
      { jsonrpc: '2.0', id: 2, error: { code: -32603, message: 'Internal error' } },
    ]);
    expect(problems).toMatchObject([{ code: 'handler/threw', method: 'other' }]);
  });

  it.each([
    ['undefined', undefined],
    ['text', 'x'],
    ['an array', []],
  ])('answers with an error when the handler returns %s', async (_, returned) => {
    const { said, say, problems } = await start({ request: () => returned as never });
    await say(ask(1));
    expect(said).toEqual([{ jsonrpc: '2.0', id: 1, error: { code: -32603, message: 'Internal error' } }]);
    expect(problems).toMatchObject([{ code: 'handler/result' }]);
  });

  it('answers with an error what can not be written', async () => {
    const { peer, said, say, problems } = await start({ request: () => ({ n: 5n }) });
    const send = peer.channel.send.bind(peer.channel);
    peer.channel.send = message => send(JSON.parse(JSON.stringify(message)));
    await say(ask(1));
    expect(said).toEqual([{ jsonrpc: '2.0', id: 1, error: { code: -32603, message: 'Internal error' } }]);
    expect(problems).toMatchObject([{ code: 'connection/send' }]);
  });

  it('refuses an id that is in use, and works on', async () => {
    let go = () => {};
    const { said, say } = await start({
      request: () =>
        new Promise(resolve => {
          go = () => resolve({ done: 1 });
        }),
    });
    await say(ask(1), ask(1));
    expect(said).toMatchObject([{ id: 1, error: { code: -32600 } }]);
    go();
    await soon();
    expect(said[1]).toMatchObject({ id: 1, result: { done: 1 } });
    await say(ask(1));
    go();
    await soon();
    expect(said[2]).toMatchObject({ id: 1, result: { done: 1 } });
  });

  it('does not answer what was cancelled, however late or never it ends [cancellation.race-safe cancellation.no-response-after]', async () => {
    const ends: (() => void)[] = [];
    const { peer, said, say } = await start({ request: () => new Promise(resolve => ends.push(() => resolve({}))) });
    await say(ask(1), ask(2));
    expect(peer.inFlight).toBe(2);
    expect(peer.cancel(1, 'enough')).toBe(true);
    expect(peer.cancel(1)).toBe(false);
    expect(peer.cancel('1')).toBe(false);
    expect(peer.inFlight).toBe(1);
    // The id is free again, and the end of the cancelled work does not answer for the new.
    await say(ask(1));
    ends[0]?.();
    await soon();
    expect(said).toEqual([]);
    ends[2]?.();
    ends[1]?.();
    await soon();
    expect(said).toMatchObject([{ id: 1 }, { id: 2 }]);
    expect(peer.cancel(2)).toBe(false);
  });

  it('cancels at the very moment of the answer without a second one [cancellation.race-safe]', async () => {
    for (let turns = 0; turns < 6; turns++) {
      const { peer, said, say } = await start({ request: async () => ({}) });
      void say(ask(1));
      for (let turn = 0; turn < turns; turn++) await Promise.resolve();
      const cancelled = peer.cancel(1);
      await soon();
      expect(said.length).toBe(cancelled ? 0 : 1);
      expect(peer.inFlight).toBe(0);
    }
  });

  it('works on a thousand requests at once and refuses more, cancelled ones that go on included', async () => {
    const { peer, said, say, runs } = await start({
      request: (_, running) => {
        runs.push(running);
        return new Promise(() => {});
      },
    });
    await say(...Array.from({ length: 1000 }, (_, id) => ask(id)));
    for (let id = 0; id < 500; id++) peer.cancel(id);
    await say(ask('one more'));
    expect(said).toMatchObject([{ id: 'one more', error: { code: 429 } }]);
    expect(runs).toHaveLength(1000);
  });

  it('works on any number of requests, one after the other', async () => {
    const { said, say } = await start();
    for (let n = 0; n < 3; n++) await say(...Array.from({ length: 500 }, (_, id) => ask(id)));
    expect(said).toHaveLength(1500);
    expect(said.filter(answer => 'error' in (answer as object))).toEqual([]);
  });

  it('aborts what runs when the road ends, and tells so once', async () => {
    const { peer, say, heard, runs, far } = await start({
      request: (_, running) => {
        runs.push(running);
        return new Promise(() => {});
      },
    });
    const waiting = peer.call('m', {}).catch(error => error.code);
    await say(ask(1));
    await far.close();
    expect(await waiting).toBe('connection/closed');
    expect(runs[0]?.signal.aborted).toBe(true);
    expect(heard).toEqual([['closed', undefined]]);
    expect([peer.inFlight, peer.waiting]).toEqual([0, 0]);
  });
});

describe('a peer that is told something', () => {
  it('answers no notification, not even a broken one [base.notification.no-response]', async () => {
    const { said, say, heard, problems } = await start({
      notification: message => {
        heard.push(message);
        throw new Error('listener');
      },
    });
    await say(tell('a'), tell('b'));
    expect(said).toEqual([]);
    expect(heard).toHaveLength(2);
    expect(problems).toMatchObject([{ code: 'handler/threw' }, { code: 'handler/threw' }]);
  });

  it('answers what is no message, with its id where it has one [base.error.invalid-request base.error.id-absent-when-unreadable]', async () => {
    const { said, say, problems } = await start();
    await say({ id: 3, method: 'm' }, 'x', [], [ask(1)]);
    expect(said).toMatchObject([
      { id: 3, error: { code: -32600 } },
      { id: null, error: { code: -32600 } },
      { id: null, error: { code: -32600 } },
      { id: null, error: { code: -32600 } },
    ]);
    expect(problems.length).toBeGreaterThanOrEqual(2);
  });

  it('leaves the id out, or says nothing, where the revision wants that [base.error.id-absent-when-unreadable]', async () => {
    const without = await start({ unreadableId: () => undefined });
    await without.say(5);
    expect(without.said).toHaveLength(1);
    expect(without.said[0]).not.toHaveProperty('id');
    const silent = await start({ unreadableId: () => false });
    await silent.say(5);
    silent.peer.unreadable(new TenonError('a/b', 'x'));
    expect(silent.said).toEqual([]);
  });

  it('reports what is not JSON [base.error.parse-error]', async () => {
    const { peer, said, problems } = await start();
    peer.unreadable(new TenonError('a/b', 'secret words'));
    await soon();
    expect(said).toEqual([{ jsonrpc: '2.0', id: null, error: { code: -32700, message: 'Parse error' } }]);
    expect(problems).toMatchObject([{ code: 'a/b' }]);
  });

  it('survives whoever is told of problems', async () => {
    const { said, say } = await start({
      problem: () => {
        throw new Error('listener');
      },
    });
    await say('x', { jsonrpc: '2.0', id: 9, result: {} }, ask(1));
    expect(said).toMatchObject([{ id: null }, { id: 1, result: {} }]);
  });
});

describe('a peer that asks', () => {
  it('gets its answers in any order, and reports those that nobody waits for', async () => {
    const { peer, said, say, problems } = await start();
    const calls = [peer.call('a', {}), peer.call('b', undefined), peer.call('c', id => ({ id }))];
    await soon();
    expect(said).toMatchObject([
      { id: 1, method: 'a', params: {} },
      { id: 2, method: 'b' },
      { id: 3, params: { id: 3 } },
    ]);
    const answer = (id: number, n: number) => ({ jsonrpc: '2.0', id, result: { n } });
    await say(answer(3, 3), answer(1, 1), answer(2, 2), answer(2, 4));
    expect(await Promise.all(calls)).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
    expect(problems).toMatchObject([{ code: 'peer/unasked' }]);
  });

  it.each([
    [
      'both result and error [base.response.result-xor-error]',
      { jsonrpc: '2.0', result: {}, error: { code: 1, message: '' } },
    ],
    ['neither [base.response.result-xor-error]', { jsonrpc: '2.0' }],
    ['a result that is no object [base.response.result-object]', { jsonrpc: '2.0', result: [] }],
    ['no version [base.jsonrpc-2.0]', { result: {} }],
    ['an error without a code [base.error.code-and-message]', { jsonrpc: '2.0', error: {} }],
  ])('is told at once of an answer with %s, and answers nothing to it', async (_, answer) => {
    const { peer, said, say } = await start();
    const call = peer.call('a', {}).catch(error => error.code);
    await say({ id: 1, ...answer });
    expect(await call).toBe('peer/malformed');
    expect(said).toHaveLength(1);
    expect(peer.waiting).toBe(0);
  });

  it('reports an error without an id [base.error.id-absent-when-unreadable]', async () => {
    const { say, problems, said } = await start();
    await say(
      { jsonrpc: '2.0', error: { code: -32700, message: 'what?' } },
      { jsonrpc: '2.0', id: null, error: { code: -32700, message: 'what?' } },
    );
    expect(problems).toMatchObject([{ code: 'peer/unreadable' }, { code: 'peer/unreadable' }]);
    expect(said).toEqual([]);
  });

  it('sends nothing for a call that was given up before it began [cancellation.only-in-progress]', async () => {
    const { peer, said } = await start();
    await expect(peer.call('a', {}, { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'call/aborted' });
    await soon();
    expect(said).toEqual([]);
  });

  it('tells once that it gave up, and ignores the late answer [cancellation.sender-ignores-late-response]', async () => {
    const { peer, say, clock, problems } = await start();
    const abandoned: unknown[] = [];
    const call = peer
      .call('a', {}, { idleTimeout: 10, onAbandoned: id => abandoned.push(id) })
      .catch(error => error.code);
    clock.advance(10);
    expect(await call).toBe('call/timeout');
    await say({ jsonrpc: '2.0', id: 1, result: {} });
    expect(abandoned).toEqual([1]);
    expect(problems).toMatchObject([{ code: 'peer/unasked' }]);
  });

  it('is told when its request can not be made or sent', async () => {
    const { peer, far } = await start();
    const unmade = peer.call('a', () => {
      throw new Error('no');
    });
    await expect(unmade).rejects.toMatchObject({ code: 'connection/send' });
    await far.close();
    await soon();
    await expect(peer.call('a', {})).rejects.toMatchObject({ code: 'connection/closed' });
    await peer.notify('a');
    expect(peer.waiting).toBe(0);
  });
});
