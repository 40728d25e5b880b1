import { type JsonObject, rpcError, type Stores, TenonError } from '@tenon/base';
import { fakeClock } from '@tenon/testing';
import { expect, it } from 'vitest';
import { memoryStores } from '../../../tenon/src/stores/memory-stores.js';
import { InputRequestForwarding, type InputRequestTaker } from './input-request-forwarding.js';

const PARAMS = { message: 'Name?' };

/** Two processes with one store, whose bus loses the messages of `lost` kinds, and which may be unreachable. */
function openProcesses(lost: readonly string[] = []) {
  const clock = fakeClock();
  const memory = memoryStores({ clock });
  const outage = { isActive: false };
  const checkOutage = async () => {
    if (outage.isActive) throw new TenonError('store/unavailable', 'the store does not respond');
  };
  const stores: Stores = {
    ...memory,
    values: {
      ...memory.values,
      get: key => checkOutage().then(() => memory.values.get(key)),
      put: (...args) => checkOutage().then(() => memory.values.put(...args)),
    },
    bus: {
      subscribe: memory.bus.subscribe,
      publish: async (topic, message) =>
        lost.includes(String(message.kind)) ? undefined : memory.bus.publish(topic, message),
    },
  };
  const errors: TenonError[] = [];
  const open = () => new InputRequestForwarding({ stores, scope: 'host', clock, onError: error => errors.push(error) });
  /** Waits for a promise while the time advances by seconds. */
  const advanceUntil = async <T>(promise: Promise<T>): Promise<T> => {
    let isSettled = false;
    const settled = promise.finally(() => {
      isSettled = true;
    });
    settled.catch(() => {});
    for (let n = 0; !isSettled && n < 1000; n++) {
      for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate);
      if (!isSettled) clock.advance(1000);
    }
    return settled;
  };
  return { clock, stores, errors, outage, one: open(), two: open(), advanceUntil };
}

const createTaker = (ask: InputRequestTaker['ask']): InputRequestTaker => ({ canAsk: true, ask });
const { signal } = new AbortController();

it.each([[[]], [['response']]])(
  'returns the response of the process with an active call, if the bus loses %j',
  async lost => {
    const { one, two, advanceUntil, stores } = openProcesses(lost);
    one.addTaker('s', { canAsk: false, ask: () => Promise.reject(new Error('not active')) });
    two.addTaker(
      'another session',
      createTaker(() => Promise.reject(new Error('another session'))),
    );
    two.addTaker(
      's',
      createTaker(async (method, params) => ({ method, params })),
    );
    const response = await advanceUntil(one.forward('s', 'elicitation/create', PARAMS, signal));
    expect(response).toEqual({ method: 'elicitation/create', params: PARAMS });
    expect(await stores.values.list('')).toEqual([]);
  },
);

it('passes each input request to one process, and once', async () => {
  const { one, two, advanceUntil } = openProcesses();
  const asked: string[] = [];
  const respond = (name: string) => async () => {
    asked.push(name);
    await new Promise(setImmediate);
    return { name };
  };
  one.addTaker('s', createTaker(respond('one')));
  two.addTaker('s', createTaker(respond('two')));
  await advanceUntil(one.forward('s', 'elicitation/create', PARAMS, signal));
  expect(asked).toHaveLength(1);
});

it('rejects with the error of the caller, and hides errors of the host', async () => {
  const { one, two, advanceUntil } = openProcesses();
  const errors = [
    rpcError(-1, 'Declined by Ada', { by: 'Ada' }),
    new TenonError('peer/error', 'Not now', { rpcCode: -2 }),
    new TenonError('store/failed', 'postgres://secret'),
  ];
  two.addTaker(
    's',
    createTaker(() => Promise.reject(errors.shift())),
  );
  for (const expected of [
    { rpcCode: -1, summary: 'Declined by Ada', data: { by: 'Ada' } },
    { rpcCode: -2, summary: 'Not now' },
    { rpcCode: -32603, summary: 'Internal error' },
  ])
    await expect(advanceUntil(one.forward('s', 'elicitation/create', PARAMS, signal))).rejects.toMatchObject(expected);
});

it.each([[[]], [['request']]])(
  'returns undefined after three seconds without a process that takes it, if the bus loses %j',
  async lost => {
    const { one, two, clock, advanceUntil } = openProcesses(lost);
    let isAsked = false;
    two.addTaker('s', {
      canAsk: lost.length > 0,
      ask: async () => {
        isAsked = true;
        return {};
      },
    });
    const startedAt = clock.elapsed();
    expect(await advanceUntil(one.forward('s', 'elicitation/create', PARAMS, signal))).toBeUndefined();
    expect([clock.elapsed() - startedAt, isAsked]).toEqual([3000, false]);
  },
);

it.each([[[]], [['cancel']]])('cancels the input request at the other process, if the bus loses %j', async lost => {
  const { one, two, advanceUntil, clock } = openProcesses(lost);
  let onAsked = () => {};
  const asked = new Promise<void>(resolve => {
    onAsked = resolve;
  });
  const aborted = new Promise<JsonObject>(resolve =>
    two.addTaker(
      's',
      createTaker((_, __, origin) => {
        onAsked();
        return new Promise((_, reject) =>
          origin.signal.addEventListener('abort', () => {
            resolve({});
            reject(new Error('aborted'));
          }),
        );
      }),
    ),
  );
  const controller = new AbortController();
  const forwarded = one.forward('s', 'elicitation/create', PARAMS, controller.signal);
  await asked;
  controller.abort(new Error('cancelled by the server'));
  await expect(forwarded).rejects.toThrow('cancelled by the server');
  await advanceUntil(aborted);
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
  expect(clock.timers).toBe(0);
});

it('rejects when the process that took it has stopped', async () => {
  const { one, two, advanceUntil, clock, stores } = openProcesses();
  let onAsked = () => {};
  const asked = new Promise<void>(resolve => {
    onAsked = resolve;
  });
  two.addTaker(
    's',
    createTaker(() => {
      onAsked();
      return new Promise(() => {});
    }),
  );
  const forwarded = one.forward('s', 'elicitation/create', PARAMS, signal);
  forwarded.catch(() => {});
  await asked;
  // A process renews what it has taken for as long as it runs.
  for (let n = 0; n < 100; n++) {
    clock.advance(1000);
    for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
  }
  const [taken] = await stores.values.list('input-request/');
  expect(taken?.value).toMatchObject({ state: 'taken' });
  await stores.values.delete(taken?.key ?? '');
  await expect(advanceUntil(forwarded)).rejects.toMatchObject({
    rpcCode: -32603,
    summary: 'The process that passed on the request has stopped',
  });
});

it('returns a response that was given while the store did not respond for 20 seconds', async () => {
  const { one, two, advanceUntil, clock, errors, outage } = openProcesses();
  let respond = (_: JsonObject) => {};
  const asked = new Promise<void>(resolve => {
    two.addTaker(
      's',
      createTaker(() => {
        resolve();
        return new Promise(onResponse => {
          respond = onResponse;
        });
      }),
    );
  });
  const forwarded = one.forward('s', 'elicitation/create', PARAMS, signal);
  await asked;
  outage.isActive = true;
  respond({ action: 'accept' });
  for (let n = 0; n < 20; n++) {
    for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
    clock.advance(1000);
  }
  outage.isActive = false;
  expect(await advanceUntil(forwarded)).toEqual({ action: 'accept' });
  // Each process reports the outage once.
  expect(errors).toMatchObject([{ code: 'store/unavailable' }, { code: 'store/unavailable' }]);
});
