import type { SealKey } from '@tenon/base';
import { describe, expect, it } from 'vitest';
import { memoryStores } from '../memory-stores.js';
import { createSealCheck } from './seal-check.js';

const createKey = (id: string, fill: number): SealKey => ({ id, key: new Uint8Array(32).fill(fill) });
const [first, second, third] = [createKey('1', 1), createKey('2', 2), createKey('3', 3)];
const wrong = { code: 'store/wrong-keys' };

function openDeployment() {
  const { values } = memoryStores();
  return { values, check: (...keys: SealKey[]) => createSealCheck(values, keys)() };
}

describe('the check of the keys', () => {
  it('accepts every replica with the keys of the first', async () => {
    const { check } = openDeployment();
    await check(first);
    await check(first);
    await check(first, second);
  });

  it('refuses a replica none of whose keys is a key of the deployment', async () => {
    const { values, check } = openDeployment();
    await check(first);
    await expect(check(second)).rejects.toMatchObject(wrong);
    await expect(check(second, third)).rejects.toMatchObject(wrong);
    await check(first);
    expect(await values.get('seal-check')).toMatchObject({ version: 1 });
  });

  it('refuses a key with the id of another key, also behind a correct one', async () => {
    const { check } = openDeployment();
    await check(first);
    await expect(check(createKey('1', 9))).rejects.toMatchObject(wrong);
    await check(second, first);
    await expect(check(createKey('1', 9), second)).rejects.toMatchObject(wrong);
  });

  it('accepts two replicas at every step of a rotation, in each order of the deployment', async () => {
    const steps = [[first], [first, second], [second, first], [second]] as const;
    for (const order of [0, 1]) {
      const { check } = openDeployment();
      const replicas: (readonly SealKey[])[] = [steps[0], steps[0]];
      for (const step of steps) {
        for (const replica of [order, 1 - order]) {
          replicas[replica] = step;
          for (const keys of replicas) await check(...keys);
        }
      }
    }
  });

  it('creates one record when many replicas start at once', async () => {
    const { values, check } = openDeployment();
    await Promise.all(Array.from({ length: 20 }, () => check(first)));
    expect((await values.get('seal-check'))?.version).toBe(1);
  });
});
