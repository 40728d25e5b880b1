import { readdirSync } from 'node:fs';
import { constants, getPriority } from 'node:os';
import { expect, it } from 'vitest';
import { createWorkerEngine } from './worker-engine.js';

/** Lists the priorities of the threads of this process. */
const listPriorities = () =>
  readdirSync('/proc/self/task').flatMap(thread => {
    try {
      return [getPriority(Number(thread))];
    } catch {
      return []; // The thread has ended.
    }
  });

it.runIf(process.platform === 'linux')('computes with a lower priority than the calls of others', async () => {
  const limits = { maxMemory: 16 * 2 ** 20, maxCalls: 50, maxOutput: 10_000, maxComputeTime: 600_000 };
  const program = createWorkerEngine().start(
    { code: 'while (true);', seed: 1, time: 1e12, limits },
    { onCall: () => {}, onIdle: () => {}, onEnd: () => {} },
  );
  try {
    await expect.poll(listPriorities).toContain(constants.priority.PRIORITY_BELOW_NORMAL);
    expect(getPriority()).toBe(constants.priority.PRIORITY_NORMAL);
  } finally {
    program.stop();
  }
});
