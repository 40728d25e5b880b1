import { afterEach, expect, it } from 'vitest';
import { createFakeClock } from '../../fixtures/fake-clock.js';
import { openReplicas, openSharedSession, type Replica } from '../../fixtures/replicas.js';
import { eventsOf, nextMessages } from '../../fixtures/sites.js';

let replicas: Replica[] = [];
afterEach(async () => {
  for (const { stores } of replicas) stores.fault = undefined;
  await Promise.all(replicas.map(replica => replica.close({ timeout: 0 })));
});

const UPDATED = { method: 'notifications/resources/updated', params: { uri: 'note://a' } };

it('notifies of missed changes if the process that observed the session has ended, also while its lease is active [so.sub-fanout]', async () => {
  const clock = createFakeClock();
  replicas = await openReplicas(2, { resources: { 'note://a': { read: () => 'a' } } }, { clock });
  const [one, two] = replicas as [Replica, Replica];
  const session = await openSharedSession(one);
  await session.post(one, { jsonrpc: '2.0', method: 'notifications/initialized' });
  await session.request(one, 'resources/subscribe', { uri: 'note://a' });
  // It cannot renew its lease any more.
  one.stores.fault = new Error('no connection');
  const events = eventsOf(await session.get(two));
  for (let step = 0; step < 55; step += 1) {
    await new Promise(resolve => setImmediate(resolve));
    clock.advance(100);
  }
  expect(await nextMessages(events, 2)).toContainEqual(expect.objectContaining(UPDATED));
});
