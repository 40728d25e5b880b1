import type { JsonObject } from '@tenon/base';
import { describe, expect, it } from 'vitest';
import { createRetryInputs, createStateStore, runRound, waitBriefly, wrapHandler } from './fixtures/playing.js';
import type { RunHandler } from './handler-run.js';
import { createRetryStrategy } from './lazy-run.js';

describe('a handler without input requests', () => {
  const asking = createRetryStrategy({}, () => {
    throw new Error('loaded');
  });

  it('runs synchronously when possible, and creates no journal', async () => {
    expect(asking(wrapHandler(() => ({ done: 1 })))).toEqual({ done: 1 });
    expect(await asking(wrapHandler(async () => ({ done: 2 })))).toEqual({ done: 2 });
    await expect(asking(wrapHandler(async () => Promise.reject(new Error('its own'))))).rejects.toThrow('its own');
    await expect(asking(wrapHandler(async run => run.request('roots/list', {})))).rejects.toThrow('loaded');
  });

  it('stores the reached marks in the requestState of a later input request', async () => {
    const isFirst: unknown[] = [];
    const asker = wrapHandler(async run => {
      isFirst.push(await run.mark('here'));
      return { roots: await run.request('roots/list', {}) };
    });
    const states = createStateStore();
    const firstResult = await runRound(asker, { states, canSuspend: false });
    const inputs = createRetryInputs(firstResult, () => ({ roots: [] }));
    expect(await runRound(asker, { states, canSuspend: false, inputs })).toEqual({ roots: { roots: [] } });
    expect(isFirst).toEqual([true, false]);
  });

  it('creates no journal for a mark that it reaches', async () => {
    expect(asking(wrapHandler(run => ({ isFirst: run.mark('here') })))).toEqual({ isFirst: true });
  });

  it('may run steps after its response', async () => {
    const process = createStateStore();
    const late: Promise<unknown>[] = [];
    const asker = (end: () => JsonObject | Promise<JsonObject>): RunHandler =>
      wrapHandler(run => {
        void waitBriefly().then(() => {
          void run.request('roots/list', {});
          late.push(run.step('late', () => 'did'));
        });
        return end();
      });
    expect(
      await runRound(
        asker(() => ({ sync: true })),
        { states: process },
      ),
    ).toEqual({ sync: true });
    expect(
      await runRound(
        asker(async () => ({ sync: false })),
        { states: process },
      ),
    ).toEqual({ sync: false });
    await expect(
      runRound(
        asker(() => Promise.reject(new Error('no'))),
        { states: process },
      ),
    ).rejects.toThrow('no');
    await waitBriefly();
    await waitBriefly();
    expect(await Promise.all(late)).toEqual(['did', 'did', 'did']);
    expect(process.suspended.size).toBe(0);
  });
});
