import { fakeClock } from '@tenon/testing';
import { describe, expect, it } from 'vitest';
import { ChangeFeed } from './change-feed.js';
import { InputInbox } from './input-inbox.js';

describe('the inbox of input requests', () => {
  it('withdraws a request at the time that it promises, also without a signal [con.ask]', async () => {
    const clock = fakeClock(1000);
    const inbox = new InputInbox(new ChangeFeed(), () => {}, clock);
    const request = { server: 'files', call: 1, kind: 'roots', message: 'folders?' } as const;
    const response = inbox.ask({ ...request, timeout: 500 });
    clock.advance(499);
    expect(inbox.isWaiting(1)).toBe(true);
    clock.advance(1);
    expect(inbox.isWaiting(1)).toBe(false);
    expect(await response).toEqual({ action: 'cancel' });
  });

  it('keeps no timer after the response, and counts the first of two responses [con.ask]', async () => {
    const clock = fakeClock();
    const inbox = new InputInbox(new ChangeFeed(), () => {}, clock);
    const response = inbox.ask({ server: 'notes', kind: 'form', message: 'name?', timeout: 500 });
    inbox.respond(1, { action: 'accept', content: { name: 'Ann' } });
    expect(() => inbox.respond(1, { action: 'decline' })).toThrow(
      expect.objectContaining({ code: 'console/answered' }),
    );
    expect(await response).toEqual({ action: 'accept', content: { name: 'Ann' } });
    expect(clock.timers).toBe(0);
  });
});
