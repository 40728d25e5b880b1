import { getEventListeners } from 'node:events';
import { TenonError } from '@tenon/base';
import { fakeClock } from '@tenon/testing';
import { describe, expect, it } from 'vitest';
import { createFailure, createSuccess } from './message.js';
import { PendingRequests } from './pending-requests.js';

const HOUR = 3_600_000;

/** @param stopped Returns the time for which the process did not run, by which its timers are late. */
function start(stopped: () => number = () => 0) {
  const clock = fakeClock(HOUR);
  const calls = new PendingRequests(
    { ...clock, elapsed: () => clock.elapsed() + stopped() },
    { peer: 'p', transport: { peer: 't' } },
  );
  const abandoned: unknown[] = [];
  const outcomes: unknown[] = [];
  const wait = (more: object = {}) => {
    const id = calls.allocateId();
    const facts = { onAbandoned: (lost: unknown) => abandoned.push(lost), ...more };
    calls.waitForResponse(id, 'm', facts).then(
      result => outcomes.push([id, result]),
      error => outcomes.push([id, error.code]),
    );
    return id;
  };
  return { clock, calls, wait, abandoned, outcomes };
}

const soon = () => new Promise(resolve => setImmediate(resolve));

describe('PendingRequests', () => {
  it('never uses an id twice [base.request.id-unique-per-session base.request.id-unique-in-flight]', () => {
    const { calls } = start();
    const ids = Array.from({ length: 1000 }, () => calls.allocateId());
    expect(new Set(ids).size).toBe(1000);
  });

  it('settles a request by its own response only, and once', async () => {
    const { calls, wait, outcomes } = start();
    const [one, two] = [wait(), wait()];
    expect(calls.completeRequest(createSuccess(String(one), {}))).toBe(false);
    expect(calls.completeRequest(createSuccess(two, { n: 2 }))).toBe(true);
    expect(calls.completeRequest(createSuccess(two, { n: 3 }))).toBe(false);
    expect(calls.completeRequest(createFailure(one, { code: -5, message: 'no', data: 1 }))).toBe(true);
    await soon();
    expect(outcomes).toEqual([
      [two, { n: 2 }],
      [one, 'peer/error'],
    ]);
    expect(calls.size).toBe(0);
  });

  it('rejects requests after 60 s without a message, by one timer for all', async () => {
    const { clock, wait, abandoned, outcomes } = start();
    wait();
    clock.advance(1000);
    wait();
    expect(clock.timers).toBe(1);
    clock.advance(59_000);
    expect(abandoned).toEqual([1]);
    clock.advance(1000);
    await soon();
    expect(outcomes).toEqual([
      [1, 'call/timeout'],
      [2, 'call/timeout'],
    ]);
    expect(clock.timers).toBe(0);
  });

  it.each([-HOUR, HOUR])('waits for 60 s when the time of day is set by %i ms', async difference => {
    const { clock, wait, abandoned } = start();
    wait();
    clock.advance(1000);
    clock.setTime(clock.now() + difference);
    const second = wait();
    clock.advance(58_999);
    expect(abandoned).toEqual([]);
    clock.advance(1);
    expect(abandoned).toEqual([1]);
    clock.advance(1000);
    expect(abandoned).toEqual([1, second]);
  });

  it('gives the peer a second for overdue responses, when a request is sent before the late timer', async () => {
    let stopped = 0;
    const { clock, calls, wait, abandoned, outcomes } = start(() => stopped);
    const [answered, late] = [wait({ idleTimeout: 10 }), wait({ idleTimeout: 10 })];
    stopped = 5000;
    wait();
    expect(calls.completeRequest(createSuccess(answered, {}))).toBe(true);
    clock.advance(999);
    expect(abandoned).toEqual([]);
    clock.advance(1);
    await soon();
    expect([abandoned, outcomes]).toEqual([
      [late],
      [
        [answered, {}],
        [late, 'call/timeout'],
      ],
    ]);
  });

  it('rejects the other requests too when a callback of a timeout fails them', async () => {
    const { clock, calls, wait, outcomes } = start();
    wait({ onAbandoned: () => calls.failAll(new TenonError('peer/closed', 'the peer has gone')) });
    wait();
    expect(() => clock.advance(60_000)).not.toThrow();
    await soon();
    expect(outcomes).toContainEqual([1, 'call/timeout']);
    expect(outcomes).toContainEqual([2, 'peer/closed']);
  });

  it('extends the time of a request with progress, but not beyond the total [lifecycle.timeouts.progress-resets lifecycle.timeouts.maximum]', async () => {
    const { clock, calls, wait, abandoned } = start();
    const id = wait({ idleTimeout: 100, totalTimeout: 250 });
    for (const ms of [90, 90, 60]) {
      clock.advance(ms);
      calls.resetIdleTimeout(id);
      expect(abandoned).toEqual([]);
    }
    clock.advance(10);
    expect(abandoned).toEqual([id]);
    calls.resetIdleTimeout(id);
    calls.resetIdleTimeout('unknown');
  });

  it('names the exceeded limit in the error', async () => {
    const { clock, calls } = start();
    const idle = calls.waitForResponse(1, 'm', { idleTimeout: 5 }).catch(error => error);
    const total = calls.waitForResponse(2, 'm', { totalTimeout: 5 }).catch(error => error);
    clock.advance(5);
    expect((await idle).hint).toContain('idleTimeout');
    expect((await total).hint).toContain('totalTimeout');
    expect((await total).message).toContain('timed out after 5 ms');
  });

  it('waits without a limit for infinite timeouts, and without a timer', () => {
    const { clock, wait } = start();
    wait({ idleTimeout: Number.POSITIVE_INFINITY });
    expect(clock.timers).toBe(0);
  });

  it('stops the timer with the last request', () => {
    const { clock, calls, wait } = start();
    const ids = [wait(), wait()];
    for (const id of ids) calls.completeRequest(createSuccess(id, {}));
    expect(clock.timers).toBe(0);
  });

  it('rejects a request with its signal, and leaves no listener on it', async () => {
    const { calls, wait, abandoned, outcomes } = start();
    const controller = new AbortController();
    const { signal } = controller;
    const answered = wait({ signal });
    calls.completeRequest(createSuccess(answered, {}));
    const failed = wait({ signal });
    calls.fail(failed, new TenonError('a/b', 'no'));
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
    wait({ signal });
    controller.abort('why');
    wait({ signal });
    await soon();
    expect(abandoned).toEqual([3]);
    expect(outcomes.slice(2)).toEqual([
      [3, 'call/aborted'],
      [4, 'call/aborted'],
    ]);
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
    expect(calls.size).toBe(0);
  });

  it('rejects all requests together', async () => {
    const { clock, calls, wait, outcomes } = start();
    wait();
    wait();
    calls.failAll(new TenonError('a/b', 'no'));
    await soon();
    expect(outcomes).toEqual([
      [1, 'a/b'],
      [2, 'a/b'],
    ]);
    expect(clock.timers).toBe(0);
  });
});

it.each(['', 'p'])(
  'names the peer and the method only in errors of a transport with a name, such as %j',
  async name => {
    const calls = new PendingRequests(fakeClock(), { peer: 'server', transport: { peer: name } });
    const error = new TenonError('call/ended', 'the server ended the subscription', { peer: name });
    const call = calls.waitForResponse(1, 'subscriptions/listen', {}).catch(thrown => thrown);
    calls.fail(1, error);
    if (name === '') expect(await call).toBe(error);
    else expect(await call).toMatchObject({ ...error, peer: 'server', method: 'subscriptions/listen' });
  },
);
