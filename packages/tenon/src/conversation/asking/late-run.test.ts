import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../jsonrpc/message.js';
import type { Asker } from './asking.js';
import { byRetry } from './by-retry.js';
import { soon, states, take, within } from './fixtures/playing.js';

describe('a handler that does not ask', () => {
  const facts = { boundTo: () => '', inputs: {}, caller: 'me', holds: true, check: () => {} };
  const asking = byRetry({
    ...facts,
    states: () => {
      throw new Error('loaded');
    },
  });

  it('is answered at once where it is there at once, and nothing is made for it', async () => {
    expect(asking(within(() => ({ done: 1 })))).toEqual({ done: 1 });
    expect(await asking(within(async () => ({ done: 2 })))).toEqual({ done: 2 });
    await expect(asking(within(async () => Promise.reject(new Error('its own'))))).rejects.toThrow('its own');
    await expect(asking(within(async run => run.ask('roots/list', {})))).rejects.toThrow('loaded');
  });

  it('may do so when it was answered: that harms nobody', async () => {
    const process = states();
    const late: Promise<unknown>[] = [];
    const asker = (end: () => JsonObject | Promise<JsonObject>): Asker =>
      within(run => {
        void soon().then(() => {
          void run.ask('roots/list', {});
          late.push(run.step('late', () => 'did'));
        });
        return end();
      });
    expect(
      await take(
        asker(() => ({ sync: true })),
        { states: process },
      ),
    ).toEqual({ sync: true });
    expect(
      await take(
        asker(async () => ({ sync: false })),
        { states: process },
      ),
    ).toEqual({ sync: false });
    await expect(
      take(
        asker(() => Promise.reject(new Error('no'))),
        { states: process },
      ),
    ).rejects.toThrow('no');
    await soon();
    await soon();
    expect(await Promise.all(late)).toEqual(['did', 'did', 'did']);
    expect(process.held.size).toBe(0);
  });
});
