import { isObject, type JsonObject } from '@tenon/base';
import { fakeClock } from '@tenon/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { takeRuns } from '../../../../test/support/extent.js';
import { createTransportPair } from '../transports/memory.js';
import { classifyMessage, type JsonRpcMessage } from './message.js';
import { Peer } from './peer.js';
import type { PeerHandler } from './peer-handler.js';

const soon = () => new Promise(resolve => setImmediate(resolve));
const id = fc.oneof(fc.integer({ min: 0, max: 5 }), fc.constantFrom('a', '1', ''));
const v = { jsonrpc: '2.0' as const };

const message: fc.Arbitrary<unknown> = fc.oneof(
  fc.record({ jsonrpc: fc.constant('2.0'), id, method: fc.constantFrom('now', 'later', 'never', 'throws', 'wrong') }),
  fc.record({ jsonrpc: fc.constant('2.0'), method: fc.constantFrom('note', 'throws') }),
  fc.record({ jsonrpc: fc.constant('2.0'), id, result: fc.constant({}) }),
  fc.record({ jsonrpc: fc.constant('2.0'), id, error: fc.constant({ code: 1, message: 'no' }) }),
  fc.record(
    { jsonrpc: fc.constant('2.0'), id, result: fc.jsonValue(), error: fc.jsonValue() },
    { requiredKeys: ['jsonrpc'] },
  ),
  fc.jsonValue(),
);

const step = fc.oneof(
  { weight: 4, arbitrary: message.map(value => ({ do: 'say' as const, value })) },
  { weight: 1, arbitrary: fc.array(message, { maxLength: 6 }).map(value => ({ do: 'say' as const, value })) },
  { weight: 1, arbitrary: id.map(value => ({ do: 'cancel' as const, value })) },
  { weight: 1, arbitrary: fc.constant({ do: 'call' as const, value: 0 }) },
  { weight: 1, arbitrary: fc.constant({ do: 'wait' as const, value: 0 }) },
);

function handsOf(batches: boolean, later: (() => void)[]): PeerHandler {
  return {
    onRequest: ({ method }): JsonObject | Promise<JsonObject> => {
      if (method === 'throws') throw new Error('x');
      if (method === 'later') return new Promise(resolve => later.push(() => resolve({})));
      return method === 'never' ? new Promise<JsonObject>(() => {}) : ({} as JsonObject);
    },
    onNotification({ method }) {
      if (method === 'throws') throw new Error('x');
    },
    onError() {},
    onClose() {},
    getBatchMode: () => batches,
    getUnreadableId: () => null,
  };
}

/** The ids that were asked for, and those that were answered, with how often. */
function count(values: readonly unknown[], kinds: readonly string[]): Map<unknown, number> {
  const counts = new Map<unknown, number>();
  for (const value of values.flat()) {
    if (!isObject(value) || !kinds.includes(classifyMessage(value)) || value.id === null) continue;
    counts.set(value.id, (counts.get(value.id) ?? 0) + 1);
  }
  return counts;
}

describe('a peer with any sequence of messages', () => {
  it('responds to each request at most once, and leaves nothing behind [base.batch.receive base.batch.response-array]', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), fc.boolean(), async (steps, batches) => {
        const pair = createTransportPair();
        const clock = fakeClock();
        const later: (() => void)[] = [];
        const messages: unknown[] = [];
        const sent: unknown[] = [];
        const calls: Promise<unknown>[] = [];
        const peer = new Peer(pair.server, handsOf(batches, later), clock);
        await peer.open();
        await pair.client.open({
          onMessage: value => messages.push(value),
          onParseError() {},
          onResponseLost() {},
          onClose() {},
        });
        for (const { do: what, value } of steps) {
          if (what === 'say') {
            sent.push(value);
            await pair.client.send(value as JsonRpcMessage);
          }
          if (what === 'cancel') peer.cancel(value);
          if (what === 'call') calls.push(peer.call('m', {}).catch(() => {}));
          if (what === 'wait') await soon();
        }
        for (const go of later) go();
        await soon();
        const requests = count(sent, ['request']);
        const answered = count(messages, ['success', 'failure']);
        for (const [each, times] of answered)
          expect(times).toBeLessThanOrEqual((requests.get(each) ?? 0) + malformed(sent, each));
        // Another message is served as ever, and the end leaves nothing.
        await pair.client.send({ ...v, id: 'last', method: 'now' });
        await soon();
        expect(messages).toContainEqual({ ...v, id: 'last', result: {} });
        await pair.client.close();
        await Promise.all(calls);
        expect([peer.inFlight, peer.pendingCount, clock.timers]).toEqual([0, 0, 0]);
      }),
      { numRuns: takeRuns(400) },
    );
  });

  it('responds to or cancels every request of another peer exactly once', async () => {
    const act = fc.record({
      from: fc.integer({ min: 0, max: 1 }),
      method: fc.constantFrom('now', 'later', 'throws'),
      abort: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(act, { maxLength: 30 }), async acts => {
        const pair = createTransportPair();
        const clock = fakeClock();
        const later: (() => void)[] = [];
        const peers = [pair.client, pair.server].map(channel => new Peer(channel, handsOf(false, later), clock));
        for (const peer of peers) await peer.open();
        const outcomes = acts.map(({ from, method, abort }) => {
          const [local, remote] = [peers[from] as Peer, peers[1 - from] as Peer];
          const controller = new AbortController();
          const settled: string[] = [];
          const done = local
            .call(method, {}, { signal: controller.signal, onAbandoned: each => void remote.cancel(each) })
            .then(
              () => settled.push('result'),
              error => settled.push(error.code),
            );
          if (abort) controller.abort();
          return { done, settled, method, abort };
        });
        await soon();
        for (const go of later) go();
        await Promise.all(outcomes.map(({ done }) => done));
        await soon();
        for (const { settled, method, abort } of outcomes) {
          expect(settled).toEqual([abort ? 'call/aborted' : method === 'throws' ? 'peer/error' : 'result']);
        }
        for (const peer of peers) expect([peer.inFlight, peer.pendingCount]).toEqual([0, 0]);
        expect(clock.timers).toBe(0);
      }),
      { numRuns: takeRuns(200) },
    );
  });
});

/** How many broken messages name this id: each is answered as well. */
function malformed(sent: readonly unknown[], each: unknown): number {
  return sent.flat().filter(value => isObject(value) && value.id === each && classifyMessage(value) === 'malformed')
    .length;
}
