import { fakeClock } from '@tenon/testing';
import { describe, expect, it, vi } from 'vitest';
import { createPageConfirmation } from './page-confirmation.js';
import { createDeadline, createPageRedirect, getSignInKey, type OpenPage, PendingSignIns } from './pending-sign-ins.js';

const page = (state: string): OpenPage => ({
  url: new URL('https://as.example/'),
  state,
  path: '/callback',
  confirmation: createPageConfirmation(),
  resolve: () => {},
});
const caller = (principal: string) => ({ principal });
function createOutcome() {
  let resolve = () => {};
  const promise = new Promise<undefined>(settle => {
    resolve = () => settle(undefined);
  });
  return { promise, resolve };
}

const soon = () => new Promise(resolve => setImmediate(resolve));

describe('PendingSignIns', () => {
  it('limits their number', async () => {
    const waiting = new PendingSignIns('https://me.example', 2);
    const { promise, resolve } = createOutcome();
    waiting.add('notes', caller('ann'), page('a'), promise);
    expect(() => waiting.checkRoom()).not.toThrow();
    waiting.add('notes', caller('bob'), page('b'), promise);
    expect(() => waiting.checkRoom()).toThrow(expect.objectContaining({ code: 'auth/too-many-sign-ins' }));
    resolve();
    await soon();
    expect(() => waiting.checkRoom()).not.toThrow();
  });

  it('finds a sign-in by caller, id and state until it ends', async () => {
    const waiting = new PendingSignIns('https://me.example', 2);
    const { promise, resolve } = createOutcome();
    const added = waiting.add('notes', caller('ann'), page('a'), promise);
    const find = () => [
      waiting.get(getSignInKey('notes', caller('ann'))),
      waiting.find(added.elicitationId),
      waiting.findByState('a'),
    ];
    expect(find()).toEqual([added, added, added]);
    expect(waiting.get(getSignInKey('notes', caller('bob')))).toBeUndefined();
    expect(waiting.find(undefined)).toBeUndefined();
    expect(waiting.findByState('b')).toBeUndefined();
    resolve();
    await soon();
    expect(find()).toEqual([undefined, undefined, undefined]);
  });

  it('keeps the newer sign-in of a caller when the older one ends', async () => {
    const waiting = new PendingSignIns('https://me.example', 2);
    const { promise, resolve } = createOutcome();
    waiting.add('notes', caller('ann'), page('a'), promise);
    const newer = waiting.add('notes', caller('ann'), page('b'), new Promise(() => {}));
    resolve();
    await soon();
    expect(waiting.get(newer.key)).toBe(newer);
  });
});

describe('the deadline of a sign-in', () => {
  it('aborts at its time, unless it ends before', () => {
    const clock = fakeClock();
    const [first, second] = [createDeadline(clock, 100), createDeadline(clock, 100)];
    second.end();
    clock.advance(99);
    expect(first.signal.aborted).toBe(false);
    clock.advance(1);
    expect(first.signal.reason).toMatchObject({ code: 'auth/timeout' });
    expect(second.signal.aborted).toBe(false);
  });

  it('aborts with the reason with which it ends', () => {
    const clock = fakeClock();
    const deadline = createDeadline(clock, 100);
    const reason = new Error('closed');
    deadline.end(reason);
    expect(deadline.signal.reason).toBe(reason);
    expect(clock.timers).toBe(0);
  });
});

describe('a redirect by the page of a caller', () => {
  it('opens no page when it is aborted before, and rejects when it is aborted later', async () => {
    const onPage = vi.fn();
    const flow = await createPageRedirect('https://me.example/callback', onPage).begin(
      undefined as never,
      undefined as never,
    );
    const url = new URL('https://as.example/?state=s');
    await expect(flow.authorize(url, AbortSignal.abort('early'))).rejects.toBe('early');
    expect(onPage).not.toHaveBeenCalled();
    const going = new AbortController();
    const visit = flow.authorize(url, going.signal);
    expect(onPage).toHaveBeenCalledWith(expect.objectContaining({ state: 's' }));
    going.abort('late');
    await expect(visit).rejects.toBe('late');
  });
});
