import { expect, it } from 'vitest';
import { createRestartObserver } from './observe-restarts.js';

function observe(target: { readonly command: string } | { readonly url: string }) {
  const events: string[] = [];
  let time = 0;
  const notify = createRestartObserver(
    { target, label: 'server' },
    { onReconnected: () => void events.push('reconnected'), onTooMany: ({ code }) => void events.push(code) },
    () => time,
  );
  /** Runs the server for a time, and starts it again. */
  const restartAfter = (duration: number) => {
    time += duration;
    notify('reconnecting');
    notify('connected');
  };
  return { events, notify, restartAfter };
}

it('reports each new connection, and gives up after four restarts without a longer run', () => {
  const { events, restartAfter } = observe({ command: 'node' });
  for (let count = 0; count < 4; count += 1) restartAfter(2000);
  expect(events).toEqual(Array(4).fill('reconnected'));
  restartAfter(2000);
  expect(events[4]).toBe('connection/closed');
});

it('counts again after a longer run', () => {
  const { events, restartAfter } = observe({ command: 'node' });
  for (let count = 0; count < 10; count += 1) restartAfter(count % 2 === 0 ? 60_000 : 100);
  expect(events).not.toContain('connection/closed');
});

it('gives up when the process cannot be started again, and waits for a server at a URL', () => {
  const [stdio, http] = [observe({ command: 'node' }), observe({ url: 'http://127.0.0.1:1/mcp' })];
  for (const { notify } of [stdio, http]) {
    notify('reconnecting');
    for (let count = 0; count < 4; count += 1) {
      notify('failed');
      notify('reconnecting');
    }
  }
  expect([stdio.events, http.events]).toEqual([['connection/closed'], []]);
});
