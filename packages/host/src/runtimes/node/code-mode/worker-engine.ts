import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { TenonError } from '@tenon/base';
import type { EngineEvents, ProgramEnd, ProgramEngine, RunningProgram } from '../../../code-mode/program-engine.js';
import { PRELUDE } from './prelude.js';
import { type HostMessage, runWorkerProgram, type WorkerMessage, type WorkerStart } from './worker-program.js';

declare const WebAssembly: { compile(bytes: Uint8Array): Promise<WorkerStart['wasmModule']> };

const CORE = 'quickjs-emscripten-core';
const VARIANT = '@jitl/quickjs-wasmfile-release-sync';

/** Time after `maxComputeTime` at which a worker that does not respond is stopped, in milliseconds. */
const STOP_DELAY = 1000;

/** Creates the engine that runs each program with QuickJS, in a worker thread of its own. */
export function createWorkerEngine(): ProgramEngine {
  let paths: { readonly core: string; readonly variant: string } | undefined;
  const resolvePaths = () => {
    paths ??= { core: resolveModule(CORE), variant: resolveModule(VARIANT) };
    return paths;
  };
  let compiled: Promise<WorkerStart['wasmModule']> | undefined;
  return {
    check: () => void resolvePaths(),
    start(program, events) {
      const paths = resolvePaths();
      compiled ??= compileModule();
      return startWhenCompiled({ ...program, ...paths, prelude: PRELUDE }, compiled, events);
    },
  };
}

/** Finds a package from the folder of this package, and then from the folder in which the process was started. */
function resolveModule(name: string): string {
  for (const from of [import.meta.url, join(process.cwd(), 'package.json')]) {
    try {
      return createRequire(from).resolve(name);
    } catch {
      // The package may be installed in the other place.
    }
  }
  throw new TenonError('program/not-installed', `code mode needs the package ${name}, which was not found`, {
    hint: `run \`npm install ${CORE} ${VARIANT}\``,
  });
}

/** Compiles QuickJS once, because that takes longer than everything else at the start of a program. */
async function compileModule(): Promise<WorkerStart['wasmModule']> {
  const wasm = await readFile(resolveModule(`${VARIANT}/wasm`));
  return WebAssembly.compile(wasm);
}

/** Starts a program once QuickJS is compiled. */
function startWhenCompiled(
  start: Omit<WorkerStart, 'wasmModule'>,
  compiled: Promise<WorkerStart['wasmModule']>,
  events: EngineEvents,
): RunningProgram {
  let isStopped = false;
  let program: RunningProgram | undefined;
  const fail = (error: unknown) => {
    if (!isStopped) events.onEnd({ failure: 'stopped', message: `the engine failed: ${String(error)}`, log: [] });
  };
  compiled.then(wasmModule => {
    if (!isStopped) program = startProgram({ ...start, wasmModule }, events);
  }, fail);
  return {
    deliver: (index, outcome) => program?.deliver(index, outcome),
    stop() {
      isStopped = true;
      program?.stop();
    },
  };
}

function startProgram(start: WorkerStart, { onCall, onIdle, onEnd }: EngineEvents): RunningProgram {
  const code = `(${runWorkerProgram.toString()})({
    port: require('node:worker_threads').parentPort,
    start: require('node:worker_threads').workerData,
    load: require,
  })`;
  const worker = new Worker(code, {
    eval: true,
    workerData: start,
    env: {},
    stdout: true,
    stderr: true,
    // The limit of QuickJS applies first. This one stops a worker whose texts take much more.
    resourceLimits: { maxOldGenerationSizeMb: 256 },
  });
  let isStopped = false;
  /** Number of messages that the worker has not processed. The first is its start. */
  let unprocessed = 1;
  let timer: NodeJS.Timeout | undefined;
  const stop = (): void => {
    isStopped = true;
    clearTimeout(timer);
    void worker.terminate();
  };
  const end = (outcome: ProgramEnd): void => {
    if (isStopped) return;
    stop();
    onEnd(outcome);
  };
  /** Thread of the worker, where its processor time can be read. */
  let thread: number | undefined;
  /** Stops a program that computes in a place where QuickJS does not look at the time. */
  const watch = (): void => {
    clearTimeout(timer);
    const { maxComputeTime } = start.limits;
    const startedAt = readProcessorTime(thread);
    const check = (): void => {
      const computed = readProcessorTime(thread) - startedAt;
      // Also if the thread has ended, or its processor time is not known.
      if (!(computed < maxComputeTime)) {
        const message = `it computed for more than ${maxComputeTime} ms`;
        return end({ failure: 'compute-time', message, log: [] });
      }
      wait(maxComputeTime - computed);
    };
    const wait = (time: number): void => {
      timer = setTimeout(check, time + STOP_DELAY);
      timer.unref();
    };
    wait(maxComputeTime);
  };
  worker.on('message', (message: WorkerMessage) => {
    if (isStopped) return;
    if (message.type === 'thread') {
      thread = message.thread;
      watch();
    } else if (message.type === 'call') onCall(message.index, message.name, message.args);
    else if (message.type === 'end') end(message.end);
    else {
      unprocessed -= 1;
      if (unprocessed > 0) return watch();
      clearTimeout(timer);
      onIdle();
    }
  });
  worker.on('error', error => end({ failure: 'memory', message: `the engine failed: ${error.message}`, log: [] }));
  worker.on('exit', () => end({ failure: 'stopped', message: 'the engine stopped', log: [] }));
  watch();
  return {
    deliver(index, { ok, json }) {
      if (isStopped) return;
      unprocessed += 1;
      watch();
      worker.postMessage({ index, ok, json } satisfies HostMessage);
    },
    stop,
  };
}

/** Reads the processor time of a thread of this process in milliseconds: NaN if it is not known. */
function readProcessorTime(thread: number | undefined): number {
  try {
    return Number(readFileSync(`/proc/self/task/${thread}/schedstat`, 'latin1').split(' ')[0]) / 1e6;
  } catch {
    return Number.NaN;
  }
}
