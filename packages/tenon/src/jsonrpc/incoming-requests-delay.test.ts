import { fakeClock } from '@tenon/testing';
import { describe, expect, it } from 'vitest';
import { createRequest, startPeer, waitForImmediate } from './fixtures/lone-peer.js';
import { IncomingRequests } from './incoming-requests.js';
import { createSuccess, type JsonRpcResponse } from './message.js';

describe('a response after progress', () => {
  it('waits until the gap of the channel has passed since the last report; other responses do not wait', () => {
    const clock = fakeClock();
    const jobs = new IncomingRequests();
    const answered: unknown[] = [];
    const start = (id: number, work: () => JsonRpcResponse) =>
      jobs.start(
        id,
        work,
        response => answered.push(response?.id),
        () => {},
      );
    start(1, () => {
      jobs.delayAnswer(1, { progressDelay: 30 }, clock);
      return createSuccess(1, {});
    });
    start(2, () => createSuccess(2, {}));
    start(3, () => {
      jobs.delayAnswer(3, {}, clock);
      return createSuccess(3, {});
    });
    expect(answered).toEqual([2, 3]);
    expect(jobs.size).toBe(1);
    clock.advance(29);
    expect(answered).toEqual([2, 3]);
    clock.advance(1);
    expect(answered).toEqual([2, 3, 1]);
    expect([jobs.size, clock.timers]).toEqual([0, 0]);
  });

  it('waits after progress alone, and not after another notification', async () => {
    const { peer, messages, clock, say } = await startPeer(
      {
        onRequest: ({ id, method }) => {
          void peer.notify(`notifications/${method}`, {}, { relatedTo: id });
          return {};
        },
      },
      { progressDelay: 30 },
    );
    await say(createRequest(1, 'progress'), createRequest(2, 'message'));
    expect(messages).toMatchObject([
      { method: 'notifications/progress' },
      { method: 'notifications/message' },
      { id: 2 },
    ]);
    clock.advance(30);
    await waitForImmediate();
    expect(messages).toMatchObject([{}, {}, { id: 2 }, { id: 1 }]);
  });
});
