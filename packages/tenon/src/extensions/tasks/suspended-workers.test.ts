import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { takeRuns } from '../../../../../test/support/extent.js';
import { job, start } from './fixtures/jobs.js';
import { gate, settle, siteOf, until } from './fixtures/site.js';
import { connectTaskClient } from './fixtures/task-client.js';

const LEASE = 15_000;

/** A worker that the test suspends, as SIGSTOP does: its clock stands still, and its calls of the store wait. */
function startWorker(site: ReturnType<typeof siteOf>) {
  let resumed = gate();
  resumed.open();
  let isSuspended = false;
  let writesLeft = Number.POSITIVE_INFINITY;
  const suspend = () => {
    if (!isSuspended) resumed = gate();
    isSuspended = true;
  };
  const hold =
    <A extends unknown[], R>(call: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      await resumed.opened;
      const result = await call(...args);
      await resumed.opened;
      return result;
    };
  const { values } = site.stores;
  const put: typeof values.put = (...args) => {
    const written = values.put(...args);
    if (--writesLeft === 0) suspend();
    return written;
  };
  const worker = siteOf(() => ({
    bus: site.stores.bus,
    values: { get: hold(values.get), put: hold(put), delete: hold(values.delete), list: hold(values.list) },
  }));
  const server = worker.serve(
    job(async ctx => {
      for (const name of ['one', 'two', 'three']) {
        await ctx.step(name, () => name);
        // The work between two steps takes time, in which other workers continue.
        await new Promise<void>(resolve => worker.clock.after(LEASE / 3, resolve));
      }
      return 'done';
    }),
    { leaseTtl: LEASE },
  );
  return {
    events: worker.events,
    server,
    /** Suspends the process after it has written a number of values. */
    suspendAfter(writes: number) {
      writesLeft = writes;
      if (writes === 0) suspend();
    },
    resume() {
      writesLeft = Number.POSITIVE_INFINITY;
      if (!isSuspended) return;
      isSuspended = false;
      worker.clock.advance(site.clock.now() - worker.clock.now());
      resumed.open();
    },
    /** Lets the time of the process pass, unless it is suspended. */
    tick() {
      if (!isSuspended) worker.clock.advance(site.clock.now() - worker.clock.now());
    },
  };
}

/** An event of a schedule. */
type Action =
  | { readonly kind: 'time' }
  | { readonly kind: 'suspend'; readonly worker: number; readonly writes: number }
  | { readonly kind: 'resume'; readonly worker: number };

/** One worker leases the task and is suspended before it marks the log. The first worker then continues. */
const FOUND: Action[] = [
  { kind: 'suspend', worker: 1, writes: 1 },
  { kind: 'suspend', worker: 0, writes: 0 },
  ...Array.from({ length: 5 }, () => ({ kind: 'time' as const })),
  { kind: 'resume', worker: 0 },
  { kind: 'suspend', worker: 2, writes: 3 },
  ...Array.from({ length: 3 }, () => ({ kind: 'time' as const })),
];

describe('several workers that are suspended and continue in any order', () => {
  const worker = fc.integer({ min: 0, max: 2 });
  const actions = fc.array(
    fc.oneof<fc.Arbitrary<Action>[]>(
      fc.constant({ kind: 'time' as const }),
      fc.record({ kind: fc.constant('suspend' as const), worker, writes: fc.integer({ min: 0, max: 6 }) }),
      fc.record({ kind: fc.constant('resume' as const), worker }),
    ),
    { minLength: 5, maxLength: 25 },
  );

  it('end a task once, with its result', async () => {
    await fc.assert(
      fc.asyncProperty(actions, async schedule => {
        const site = siteOf();
        const workers = [startWorker(site), startWorker(site), startWorker(site)];
        const advance = async () => {
          site.clock.advance(LEASE / 2);
          for (const worker of workers) worker.tick();
          await settle(2);
        };
        const client = await connectTaskClient(workers[0]?.server as never);
        const starting = start(client);
        for (const action of schedule) {
          if (action.kind === 'time') await advance();
          else if (action.kind === 'suspend') workers[action.worker]?.suspendAfter(action.writes);
          else workers[action.worker]?.resume();
          await settle(1);
        }
        for (const worker of workers) worker.resume();
        const id = await starting;
        await until(async () => {
          await advance();
          return (await site.record(id))?.status !== 'working';
        });
        await settle(5);
        const ends = workers
          .flatMap(({ events }) => events)
          .filter(({ type }) => type === 'completed' || type === 'failed');
        expect(ends.map(({ type }) => type)).toEqual(['completed']);
        expect(await site.record(id)).toMatchObject({ result: { content: [{ text: 'done' }] } });
      }),
      { numRuns: takeRuns(100), examples: [[FOUND]] },
    );
  });
});
