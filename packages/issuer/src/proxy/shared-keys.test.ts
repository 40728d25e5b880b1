import { createSeal } from '@tenon/base';
import { fakeClock } from '@tenon/testing';
import { decodeProtectedHeader } from 'jose';
import { memoryStores, type TenonError } from 'tenon';
import { expect, it } from 'vitest';
import { ISSUER } from '../fixtures/visitor.js';
import { resolveIssuerOptions } from '../resolve-options.js';
import { createSharedKeys } from './shared-keys.js';

const DAY = 86_400_000;
const HOUR = 3_600_000;

function setUp() {
  const clock = fakeClock(Date.UTC(2026, 0, 1));
  const stores = memoryStores({ clock });
  const errors: TenonError[] = [];
  const startProcess = (fill = 1) => {
    const settings = resolveIssuerOptions({ url: ISSUER, stores, clock, onError: error => errors.push(error) });
    const getKeys = createSharedKeys(settings, async () =>
      createSeal([{ id: `key-${fill}`, key: new Uint8Array(32).fill(fill) }]),
    );
    return {
      getSigner: async () => decodeProtectedHeader(await (await getKeys()).sign({})).kid,
      getPublished: async () => (await getKeys()).published.keys.map(({ kid }) => kid),
    };
  };
  return { clock, stores, errors, startProcess };
}

it('creates one key for processes that start at the same time', async () => {
  const { startProcess } = setUp();
  const processes = [startProcess(), startProcess(), startProcess()];
  const signers = await Promise.all(processes.map(({ getSigner }) => getSigner()));
  expect(new Set(signers).size).toBe(1);
  for (const { getPublished } of processes) expect(await getPublished()).toEqual([signers[0]]);
});

it('uses the same key after a restart, and stores it encrypted', async () => {
  const { stores, startProcess, errors } = setUp();
  const before = await startProcess().getSigner();
  expect(await startProcess().getSigner()).toBe(before);
  const [entry] = await stores.values.list('issuer/signing-keys');
  expect(Object.keys(entry?.value ?? {})).toEqual(expect.arrayContaining(['sealed']));
  expect(JSON.stringify(entry)).not.toMatch(/"d"|"kty"|P-256/);
  expect(errors).toEqual([]);
});

it('publishes the next key for an hour before it signs, and the former one until its tokens have expired', async () => {
  const { clock, startProcess } = setUp();
  const [one, other] = [startProcess(), startProcess()];
  const first = await one.getSigner();
  clock.advance(30 * DAY - 1);
  expect([await one.getPublished(), await one.getSigner()]).toEqual([[first], first]);
  clock.advance(60_000);
  const [, second] = await one.getPublished();
  expect(second).not.toBe(first);
  expect([await one.getSigner(), await other.getSigner()]).toEqual([first, first]);
  expect(await other.getPublished()).toEqual([first, second]);
  clock.advance(HOUR);
  expect([await one.getSigner(), await other.getSigner()]).toEqual([second, second]);
  expect(await other.getPublished()).toEqual([second, first]);
  clock.advance(HOUR + 600_000 + 60_000);
  expect([await one.getPublished(), await other.getPublished()]).toEqual([[second], [second]]);
});

it('keeps the former key while nobody has signed in for a long time', async () => {
  const { clock, startProcess } = setUp();
  const { getSigner, getPublished } = startProcess();
  const first = await getSigner();
  clock.advance(400 * DAY);
  expect(await getSigner()).toBe(first);
  expect(await getPublished()).toHaveLength(2);
});

it('replaces keys that it cannot decrypt, and reports it without the keys', async () => {
  const { startProcess, errors } = setUp();
  const before = await startProcess(1).getSigner();
  expect(await startProcess(2).getSigner()).not.toBe(before);
  expect(errors.map(({ code }) => code)).toEqual(['auth/upstream']);
});
