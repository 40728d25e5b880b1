import { afterEach, expect, it } from 'vitest';
import { memoryStores, type Stores } from '../../../../index.js';
import { createFakeClock } from '../../fixtures/fake-clock.js';
import { openReplicas, openSharedSession, type Replica } from '../../fixtures/replicas.js';

let replicas: Replica[] = [];
afterEach(() => Promise.all(replicas.map(replica => replica.close({ timeout: 0 }))));

/** Stores whose writes wait while `hold` is pending. */
function createHeldStores() {
  const inner = memoryStores();
  const held = { hold: undefined as Promise<void> | undefined, waiting: 0 };
  const stores: Stores = {
    ...inner,
    durable: true,
    close: async () => {},
    values: {
      ...inner.values,
      async put(key, value, options) {
        if (key.startsWith('session/') && held.hold !== undefined) {
          held.waiting += 1;
          await held.hold;
        }
        return inner.values.put(key, value, options);
      },
    },
  };
  return { held, stores };
}

it('sends the response to a client whose session is stored while the server searches idle sessions', async () => {
  const clock = createFakeClock();
  const { held, stores } = createHeldStores();
  replicas = await openReplicas(1, {}, { clock }, () => () => stores);
  const [site] = replicas as [Replica];
  // The search for idle sessions begins with the first session.
  await openSharedSession(site);
  let release = (): void => {};
  held.hold = new Promise(resolve => {
    release = resolve;
  });
  const opening = openSharedSession(site);
  await expect.poll(() => held.waiting).toBe(1);
  clock.advance(60_000);
  release();
  const session = await opening;
  expect((await session.request(site, 'tools/list')).status).toBe(200);
});
