import { type Clock, systemClock, toTypedValues } from '@tenon/base';
import { expect, it } from 'vitest';
import { createServer, memoryStores, tool } from '../../../tenon/src/index.js';
import { createHost } from '../index.node.js';
import type { StoredStep } from './program-store.js';

/** A clock whose short delays pass at once, so that a waiting program is removed from memory without a wait. */
const fastClock: Clock = {
  ...systemClock,
  after: (delay, run) => systemClock.after(delay <= 1000 ? 0 : delay, run),
};

/** A server whose tool `wait` returns when the test opens it. */
const createGate = () => {
  let open: () => void = () => {};
  const opened = new Promise<void>(resolve => {
    open = resolve;
  });
  let enter: () => void = () => {};
  const entered = new Promise<void>(resolve => {
    enter = resolve;
  });
  let calls = 0;
  const wait = tool({
    run: async () => {
      calls += 1;
      enter();
      await opened;
      return 'opened';
    },
  });
  const service = createServer({ name: 'gate', version: '1.0.0', onError: () => {}, tools: { wait } });
  return { service, open, entered, countCalls: () => calls };
};

it('removes a program that waits for a call, so that another one runs, and continues it later', async () => {
  const gate = createGate();
  const host = await createHost({
    servers: { gate: { service: gate.service } },
    clock: fastClock,
    codeMode: { policy: 'only', maxPrograms: 1 },
    onError: () => {},
  });
  const program = `
    const before = Math.random();
    const text = await tools.gate__wait();
    return [text, before === before, Math.random() !== before];`;
  const waiting = host.callTool('run_program', { program });
  await gate.entered;
  // There is room for one program: this one ends only if the other was removed.
  expect(await host.callTool('run_program', { program: 'return 1' })).toMatchObject({ content: [{ text: '1' }] });
  gate.open();
  expect(await waiting).toMatchObject({ content: [{ text: '["opened",true,true]' }] });
  expect(gate.countCalls()).toBe(1);
  await host.close();
});

it('refuses to continue a program whose calls differ from the stored ones', async () => {
  const gate = createGate();
  const stores = memoryStores();
  const options = { servers: { gate: { service: gate.service } }, stores, codeMode: 'only' as const };
  const host = await createHost({ ...options, onError: () => {} });
  const request = { program: `return await tools.gate__wait()`, id: 'changed' };
  const stop = new AbortController();
  const first = host.callTool('run_program', request, { signal: stop.signal });
  first.catch(() => {});
  await gate.entered;
  stop.abort();
  await expect(first).rejects.toThrow();
  const steps = toTypedValues<StoredStep>(stores.values);
  const stored = (await steps.list('program-step/')).find(({ value }) => value.name === 'call');
  if (stored === undefined) throw new Error('the call was not stored');
  const { key, value, version } = stored;
  await steps.put(key, { ...value, value: { ...value.value, digest: 'of another call' } }, { version, ttl: 60_000 });
  const repeated = await host.callTool('run_program', request);
  expect(repeated).toMatchObject({ isError: true, _meta: { 'dev.tenon/program': { code: 'program/replay-differs' } } });
  expect(gate.countCalls()).toBe(1);
  gate.open();
  await host.close();
});
