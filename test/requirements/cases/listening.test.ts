import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ChangeEvent, connect } from 'tenon';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Json } from './site.js';

const program = fileURLToPath(new URL('./mortal-server.mjs', import.meta.url));

describe('a watch over stdio', () => {
  it.each(['ended', 'failed', 'killed'])(
    'subscribes again when the server %s and was restarted [subscriptions.stdio-resubscribe]',
    async mode => {
      const folder = mkdtempSync(join(tmpdir(), 'tenon-mortal-'));
      onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
      const file = join(folder, 'heard');
      const client = await connect({ command: process.execPath, args: [program, mode, file] });
      onTestFinished(() => client.close());
      const stop = new AbortController();
      const seen: ChangeEvent[] = [];
      const watch = (async () => {
        for await (const change of client.watch('note://all', { signal: stop.signal })) seen.push(change);
      })();
      const listens = () =>
        readFileSync(file, 'utf8')
          .trimEnd()
          .split('\n')
          .map((line): Json => JSON.parse(line))
          .filter(({ method }) => method === 'subscriptions/listen');
      await expect.poll(() => seen.length, { interval: 5 }).toBe(1);
      const states: string[] = [];
      client.on('state', state => states.push(state));
      await client.notify('notifications/end');
      await expect.poll(() => listens().length).toBe(2);
      const [first, second] = listens().map(({ params }) => (params as Json).notifications);
      expect(first).toEqual({ resourceSubscriptions: ['note://all'] });
      expect(second).toEqual(first);
      // What may have changed meanwhile is told, and so is what the new process says.
      await expect.poll(() => seen.length, { interval: 5 }).toBeGreaterThan(1);
      expect(states.slice(0, 2)).toEqual(['reconnecting', 'connected']);
      stop.abort();
      await watch;
    },
  );
});
