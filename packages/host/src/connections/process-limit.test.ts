import { fakeClock } from '@tenon/testing';
import { describe, expect, it } from 'vitest';
import { turns } from './fixtures/stand-in.js';
import { ProcessLimit, type ProcessOwner } from './process-limit.js';

function ownerOf(server: string) {
  const stopped: string[] = [];
  const owner: ProcessOwner & { isBusy: boolean } = {
    server,
    isBusy: false,
    stop: async () => void stopped.push(server),
  };
  return { owner, stopped };
}

describe('the limit of processes', () => {
  it('stops the process that was unused for the longest time', async () => {
    const limit = new ProcessLimit(2, fakeClock());
    const [one, two, three] = [ownerOf('one'), ownerOf('two'), ownerOf('three')];
    await limit.acquire(one.owner);
    await limit.acquire(two.owner);
    limit.markUsed(one.owner);
    await limit.acquire(three.owner);
    expect([one.stopped, two.stopped, three.stopped]).toEqual([[], ['two'], []]);
  });

  it('waits 5 seconds while all are in use, then refuses with 429 and a retry delay', async () => {
    const clock = fakeClock();
    const limit = new ProcessLimit(1, clock);
    const [one, two] = [ownerOf('one'), ownerOf('two')];
    one.owner.isBusy = true;
    await limit.acquire(one.owner);
    const refused = expect(limit.acquire(two.owner)).rejects.toMatchObject({
      rpcCode: 429,
      message: expect.stringContaining('all 1 processes are in use'),
      data: { retryAfterMs: 1000 },
    });
    expect(limit.waitingCount).toBe(1);
    for (let waited = 0; waited < 5000; waited += 50) {
      clock.advance(50);
      await turns();
    }
    await refused;
    expect(limit.waitingCount).toBe(0);
    const waiting = limit.acquire(two.owner);
    one.owner.isBusy = false;
    clock.advance(50);
    await waiting;
    expect(one.stopped).toEqual(['one']);
  });
});
