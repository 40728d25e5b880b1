import { fakeClock } from '@tenon/testing';
import { expect, it } from 'vitest';
import { memoryStores } from '../../../tenon/src/stores/memory-stores.js';
import type { ConnectionScope } from './connection-scope.js';
import { SharedSessions } from './shared-sessions.js';

const TTL = 30_000;
const SCOPE: ConnectionScope = {
  key: 'ada',
  identity: { principal: 'ada' },
  caller: 'ada',
  input: { form: false, url: false, sample: false, sampleTools: false, roots: false },
  tasks: false,
  preferredVersion: undefined,
  session: undefined,
};
const STATE = {
  id: 's',
  protocolVersion: '2025-11-25',
  server: { info: undefined, instructions: undefined, capabilities: {}, protocolVersion: '2025-11-25' },
};

it('extends the lifetime of a session until its connection or the store is closed, and reports a closed store once', async () => {
  const clock = fakeClock();
  const stores = memoryStores({ clock });
  const errors: unknown[] = [];
  const options = { stores, scope: 'host', clock, ttl: TTL, onError: (error: unknown) => errors.push(error) };
  const sessions = new SharedSessions(options);
  const advance = async () => {
    clock.advance(TTL / 3);
    await new Promise(setImmediate);
  };
  const [one, two] = [
    sessions.open('notes', 'https://a.example', SCOPE),
    sessions.open('mail', 'https://b.example', SCOPE),
  ];
  await one?.store(STATE);
  await two?.store(STATE);
  for (let n = 0; n < 9; n++) await advance();
  expect([await one?.find(), await two?.find()]).toMatchObject([{ id: 's' }, { id: 's' }]);
  one?.close();
  for (let n = 0; n < 9; n++) await advance();
  expect([await one?.find(), clock.timers]).toEqual([undefined, 1]);
  await stores.close();
  for (let n = 0; n < 9; n++) await advance();
  expect(errors).toMatchObject([{ code: 'store/closed' }]);
  expect(clock.timers).toBe(0);
});

it('passes what one process received, and that notifications may be lost, to the others', async () => {
  const clock = fakeClock();
  const stores = memoryStores({ clock });
  const received: unknown[][] = [[], []];
  const processes = received.map(seen => {
    const sessions = new SharedSessions({ stores, scope: 'host', clock, ttl: TTL, onError: error => seen.push(error) });
    const session = sessions.open('notes', 'https://a.example', SCOPE);
    session?.subscribe({
      onReceived: (method, params) => seen.push([method, params]),
      onMissed: () => seen.push('missed'),
    });
    return session;
  });
  await new Promise(setImmediate);
  processes[0]?.publish('notifications/tools/list_changed', {});
  processes[0]?.publish('notifications/resources/updated', { uri: 'notes:a' });
  processes[0]?.publishMissed();
  const countAfterPoll = () => {
    clock.advance(1_000);
    return received[1]?.length;
  };
  await expect.poll(countAfterPoll).toBe(3);
  expect(received).toEqual([
    [],
    [['notifications/tools/list_changed', {}], ['notifications/resources/updated', { uri: 'notes:a' }], 'missed'],
  ]);
  for (const process of processes) process?.close();
  await stores.close();
});
