import { afterEach, expect, it } from 'vitest';
import { createFakeClock } from '../../fixtures/fake-clock.js';
import { openReplicas, openSharedSession, type Replica } from '../../fixtures/replicas.js';
import { eventsOf, nextMessages } from '../../fixtures/sites.js';

let replicas: Replica[] = [];
afterEach(() => Promise.all(replicas.map(replica => replica.close({ timeout: 0 }))));

// The pongs of a client get lost at a process that cannot reach the store, while the client is connected.
it('closes the stream of a client that answers no ping, and keeps its session for other processes', async () => {
  const clock = createFakeClock();
  replicas = await openReplicas(2, { keepAlive: { interval: 30_000, timeout: 5000 } }, { clock });
  const [one, two] = replicas as [Replica, Replica];
  const session = await openSharedSession(one);
  await session.post(one, { jsonrpc: '2.0', method: 'notifications/initialized' });
  const stream = await session.get(one);
  expect(stream.status).toBe(200);
  const events = eventsOf(stream);
  clock.advance(30_000);
  clock.advance(30_000);
  expect(await nextMessages(events, 1)).toMatchObject([{ method: 'ping' }]);
  clock.advance(5000);
  expect(await events.next()).toMatchObject({ done: true });
  expect((await session.request(two, 'tools/list')).status).toBe(200);
  expect((await session.get(two)).status).toBe(200);
});
