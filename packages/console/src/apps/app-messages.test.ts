import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { AppMessagesBody } from '../api.js';
import { AppMessages } from './app-messages.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const notify = (method: string, params: object = {}) => ({
  direction: 'to-app' as const,
  message: { jsonrpc: '2.0', method, params },
});

function createQueue(send: (body: AppMessagesBody) => Promise<unknown> = async () => {}) {
  const sent: AppMessagesBody['messages'][] = [];
  let full = 0;
  const queue = new AppMessages({
    send: body => {
      sent.push(body.messages);
      return send(body);
    },
    onFull: () => {
      full += 1;
    },
    now: () => 7,
  });
  return { queue, sent, countFull: () => full };
}

describe('AppMessages', () => {
  it('sends the messages of a moment together, as they crossed', async () => {
    const { queue, sent } = createQueue();
    queue.add(notify('a'));
    queue.add({ direction: 'from-app', message: { kind: 'request', id: 1, method: 'b', params: {} } });
    queue.add({ direction: 'from-app', message: { error: 'not-json-rpc' } });
    await vi.advanceTimersByTimeAsync(49);
    expect(sent).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(sent).toEqual([
      [
        { from: 'server', time: 7, message: { jsonrpc: '2.0', method: 'a', params: {} } },
        { from: 'client', time: 7, message: { jsonrpc: '2.0', id: 1, method: 'b', params: {} } },
      ],
    ]);
  });

  it('sends one request at a time, in order, and goes on after a failure', async () => {
    const ends: (() => void)[] = [];
    const { queue, sent } = createQueue(
      () => new Promise((_, reject) => ends.push(() => reject(new Error('no command')))),
    );
    queue.add(notify('a'));
    const first = queue.flush();
    queue.add(notify('b'));
    const second = queue.flush();
    await vi.advanceTimersByTimeAsync(100);
    expect(sent).toHaveLength(1);
    ends[0]?.();
    await first;
    await vi.advanceTimersByTimeAsync(0);
    expect(sent).toHaveLength(2);
    ends[1]?.();
    await second;
  });

  it('takes no more messages when too many or too long ones wait, and reports it once', async () => {
    const long = createQueue(() => new Promise(() => {}));
    for (let at = 0; at < 20; at += 1) long.queue.add(notify('a', { text: 'x'.repeat(1_000_000) }));
    expect(long.countFull()).toBe(1);
    const many = createQueue(() => new Promise(() => {}));
    for (let at = 0; at < 6_000; at += 1) many.queue.add(notify('a'));
    expect(many.countFull()).toBe(1);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(many.sent).toEqual([]);
  });
});
