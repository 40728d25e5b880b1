import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { constants, getPriority } from 'node:os';
import { expect, it } from 'vitest';
import { PRELUDE } from './prelude.js';
import { createWorkerEngine } from './worker-engine.js';
import { runWorkerProgram, type WorkerMessage, type WorkerStart } from './worker-program.js';

declare const WebAssembly: { compile(bytes: Uint8Array): Promise<WorkerStart['wasmModule']> };

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

it('counts the processor time of the program, without its waits for a processor', async () => {
  const core = 'quickjs-emscripten-core';
  const variant = '@jitl/quickjs-wasmfile-release-sync';
  const require = createRequire(import.meta.url);
  const startedAt = performance.now();
  // The thread has a quarter of a processor.
  const readProcessorTime = () => 1 + (performance.now() - startedAt) / 4;
  const files = {
    readlinkSync: () => '1/task/2',
    readFileSync: () => `${readProcessorTime() * 1e6} 0 0`,
  };
  const system = { constants, setPriority: () => {} };
  const modules: { readonly [name: string]: unknown } = { 'node:fs': files, 'node:os': system };
  const messages: WorkerMessage[] = [];
  const wasmModule = await WebAssembly.compile(readFileSync(require.resolve(`${variant}/wasm`)));
  const limits = { maxMemory: 16 * 2 ** 20, maxCalls: 50, maxOutput: 10_000, maxComputeTime: 100 };
  let computedFrom = Number.NaN;
  await runWorkerProgram({
    port: { postMessage: message => messages.push(message), on: () => {} },
    start: { code: 'while (true);', seed: 1, time: 1e12, limits, core, variant, wasmModule, prelude: PRELUDE },
    load: name => {
      computedFrom = readProcessorTime();
      return modules[name] ?? require(name);
    },
  });
  expect(readProcessorTime() - computedFrom).toBeGreaterThan(limits.maxComputeTime);
  expect(messages).toEqual([
    { type: 'thread', thread: 2 },
    { type: 'end', end: { failure: 'compute-time', message: 'it computed for more than 100 ms', log: [] } },
  ]);
});
