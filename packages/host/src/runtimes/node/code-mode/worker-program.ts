import type { QuickJSHandle } from 'quickjs-emscripten-core';
import type { EngineProgram, ProgramEnd, ProgramFailure } from '../../../code-mode/program-engine.js';

/** Messages of the worker to its host. */
export type WorkerMessage =
  /** Comes first, on systems where each thread has a priority and a processor time of its own. */
  | { readonly type: 'thread'; readonly thread: number }
  | { readonly type: 'call'; readonly index: number; readonly name: string; readonly args: string }
  | { readonly type: 'idle' }
  | { readonly type: 'end'; readonly end: ProgramEnd };

/** Messages of the host to its worker. */
export interface HostMessage {
  readonly index: number;
  readonly ok: boolean;
  readonly json: string;
}

/** Data with which a worker starts. */
export interface WorkerStart extends EngineProgram {
  /** Paths of the modules of QuickJS. */
  readonly core: string;
  readonly variant: string;
  /** Compiled QuickJS, which all workers share. */
  readonly wasmModule: NonNullable<Parameters<Core['newVariant']>[1]['wasmModule']>;
  /** Code that runs in QuickJS before the program. */
  readonly prelude: string;
}

/** The port of a worker, and the function that loads a module by its path. */
export interface WorkerEnvironment {
  readonly port: {
    postMessage(message: WorkerMessage): void;
    on(event: 'message', listener: (message: HostMessage) => void): void;
  };
  readonly start: WorkerStart;
  readonly load: (path: string) => unknown;
}

type WasmMemory = NonNullable<Parameters<Core['newVariant']>[1]['wasmMemory']>;
declare const WebAssembly: {
  readonly Memory: new (limits: { readonly initial: number; readonly maximum: number }) => WasmMemory;
};

type Core = typeof import('quickjs-emscripten-core');
type Variant = typeof import('@jitl/quickjs-wasmfile-release-sync');

/**
 * Runs one program in a worker thread. Its text is the code of the worker, so it refers to nothing outside of itself.
 *
 * Only texts pass between the program and the worker: the program never has a reference to an object of the worker.
 */
export async function runWorkerProgram({ port, start, load }: WorkerEnvironment): Promise<void> {
  const { newQuickJSWASMModuleFromVariant, newVariant, DefaultIntrinsics } = load(start.core) as Core;
  const { default: variant } = load(start.variant) as Variant;
  const { code, seed, time, limits } = start;
  const { readFileSync, readlinkSync } = load('node:fs') as typeof import('node:fs');
  const { constants, setPriority } = load('node:os') as typeof import('node:os');
  /** Reads the processor time of this thread in milliseconds, where the system tells it. */
  let readProcessorTime: (() => number) | undefined;
  // On Linux each thread has a priority of its own. The calls of others go first while the program computes.
  try {
    const thread = Number(readlinkSync('/proc/thread-self').split('/').at(-1));
    const read = () => Number(readFileSync('/proc/thread-self/schedstat', 'latin1').split(' ')[0]) / 1e6;
    if (read() > 0) {
      setPriority(thread, constants.priority.PRIORITY_BELOW_NORMAL);
      readProcessorTime = read;
      port.postMessage({ type: 'thread', thread });
    }
  } catch {
    // The program computes with the priority of the process, and its time includes waits for a processor.
  }
  // QuickJS cannot see the sizes of its own allocations in WebAssembly, so its limit alone would not hold.
  const pages = Math.ceil(limits.maxMemory / 65_536);
  const wasmMemory = new WebAssembly.Memory({ initial: 256, maximum: Math.max(pages, 256) });
  const quickjs = await newQuickJSWASMModuleFromVariant(
    newVariant(variant, { wasmMemory, wasmModule: start.wasmModule }),
  );
  const runtime = quickjs.newRuntime();
  runtime.setMemoryLimit(limits.maxMemory);
  runtime.setMaxStackSize(256 * 1024);
  const now = () => performance.now();
  let computed = 0;
  let resumedAt = now();
  let isOverTime = false;
  const processorTimeAtStart = readProcessorTime?.() ?? 0;
  /** Elapsed time at which the processor time is read again, in milliseconds. */
  let nextReading = limits.maxComputeTime;
  runtime.setInterruptHandler(() => {
    const elapsed = computed + now() - resumedAt;
    if (isOverTime || elapsed <= nextReading) return isOverTime;
    const time = readProcessorTime === undefined ? elapsed : readProcessorTime() - processorTimeAtStart;
    isOverTime = time > limits.maxComputeTime;
    // At least a millisecond, because the readings of a thread that waits approach the limit slowly.
    nextReading = elapsed + Math.max(limits.maxComputeTime - time, 1);
    return isOverTime;
  });
  const vm = runtime.newContext({ intrinsics: DefaultIntrinsics });
  const log: string[] = [];
  let logSize = 0;
  let omittedCount = 0;
  let callCount = 0;
  let deliveredCount = 0;
  let hasEnded = false;

  const end = (outcome: ProgramEnd): void => {
    if (hasEnded) return;
    hasEnded = true;
    if (omittedCount > 0) log.push(`(${omittedCount} more lines were too long for the log)`);
    port.postMessage({ type: 'end', end: outcome });
  };
  const fail = (failure: ProgramFailure, message: string, line?: number): void =>
    end({ failure, message, ...(line === undefined ? {} : { line }), log });

  const readError = (handle: QuickJSHandle): { message: string; line?: number } => {
    const read = (name: string): unknown => {
      const property = vm.getProp(handle, name);
      try {
        return vm.typeof(property) === 'string' ? vm.getString(property).slice(0, 4000) : undefined;
      } finally {
        property.dispose();
      }
    };
    const type = vm.typeof(handle);
    // A symbol or a function has no text.
    if (['string', 'number', 'bigint', 'boolean', 'undefined'].includes(type))
      return { message: `the program threw ${vm.getString(handle).slice(0, 4000)}` };
    if (type !== 'object') return { message: `the program threw a value of type ${type}` };
    const [name, message, stack] = [read('name'), read('message'), read('stack')];
    const found = /<input>:(\d+)/.exec(typeof stack === 'string' ? stack : '');
    // The constructor of functions puts two lines before the code.
    const line = found ? Math.max(Number(found[1]) - 2, 1) : undefined;
    const text =
      typeof message === 'string'
        ? `${typeof name === 'string' ? name : 'Error'}: ${message}`
        : 'the program threw an object without a `message`';
    return line === undefined ? { message: text } : { message: text, line };
  };
  const failWith = (handle: QuickJSHandle, syntax = false): void => {
    const { message, line } = readError(handle);
    // To read an error may run code of the program.
    if (isOverTime) return fail('compute-time', `it computed for more than ${limits.maxComputeTime} ms`);
    const exceeded = `needed more than ${limits.maxMemory} bytes of memory`;
    if (/out of memory/.test(message)) return fail('memory', `it ${exceeded}`, line);
    // Without memory for an error, QuickJS throws `null`.
    if (vm.sameValue(handle, vm.null)) return fail('memory', `it threw null, or ${exceeded}`, line);
    fail(syntax ? 'syntax' : 'threw', message, line);
  };

  /** Runs a function of the program and all jobs that follow from it. */
  const compute = (run: () => void): void => {
    if (hasEnded) return;
    resumedAt = now();
    try {
      run();
      while (!hasEnded && runtime.hasPendingJob()) {
        const jobs = runtime.executePendingJobs(100);
        if (jobs.error) {
          failWith(jobs.error);
          jobs.error.dispose();
        }
        if (isOverTime) fail('compute-time', `it computed for more than ${limits.maxComputeTime} ms`);
      }
    } catch (error) {
      if (isOverTime) fail('compute-time', `it computed for more than ${limits.maxComputeTime} ms`);
      else fail('memory', `the engine failed: ${String(error).slice(0, 200)}`);
    }
    computed += now() - resumedAt;
    if (callCount === deliveredCount) fail('unfinished', 'it waits for a promise that nothing settles');
    if (!hasEnded) port.postMessage({ type: 'idle' });
  };

  const functions: { [name: string]: (...args: QuickJSHandle[]) => void } = {
    send: (name, args) => {
      port.postMessage({
        type: 'call',
        index: callCount,
        name: vm.getString(name as QuickJSHandle),
        args: vm.getString(args as QuickJSHandle),
      });
      callCount += 1;
    },
    log: text => {
      const line = vm.getString(text as QuickJSHandle);
      if (logSize + line.length > limits.maxOutput / 4) {
        omittedCount += 1;
        return;
      }
      logSize += line.length;
      log.push(line);
    },
    done: value => {
      const json = vm.typeof(value as QuickJSHandle) === 'string' ? vm.getString(value as QuickJSHandle) : undefined;
      end({ value: json, log });
    },
    failed: error => failWith(error as QuickJSHandle),
    refused: message => fail('output', vm.getString(message as QuickJSHandle)),
    malformed: error => failWith(error as QuickJSHandle, true),
  };
  const host = vm.newObject();
  for (const [name, run] of Object.entries(functions)) {
    const handle = vm.newFunction(name, (...args) => {
      if (!hasEnded) run(...args);
    });
    vm.setProp(host, name, handle);
    handle.dispose();
  }
  for (const [name, value] of Object.entries({ seed, time, maxOutput: limits.maxOutput })) {
    const handle = vm.newNumber(value);
    vm.setProp(host, name, handle);
    handle.dispose();
  }
  const codeHandle = vm.newString(code);
  vm.setProp(host, 'code', codeHandle);
  codeHandle.dispose();

  let deliver: QuickJSHandle | undefined;
  compute(() => {
    const evaluated = vm.evalCode(start.prelude, 'prelude');
    if (evaluated.error) return failWith(evaluated.error);
    const started = vm.callFunction(evaluated.value, vm.undefined, host);
    evaluated.value.dispose();
    if (started.error) return failWith(started.error);
    deliver = started.value;
  });
  port.on('message', ({ index, ok, json }) => {
    deliveredCount += 1;
    compute(() => {
      if (deliver === undefined) return;
      const args = [vm.newNumber(index), ok ? vm.true : vm.false, vm.newString(json)] as const;
      const delivered = vm.callFunction(deliver, vm.undefined, ...args);
      for (const arg of [args[0], args[2]]) arg.dispose();
      if (delivered.error) {
        failWith(delivered.error);
        delivered.error.dispose();
      } else delivered.value.dispose();
    });
  });
}
