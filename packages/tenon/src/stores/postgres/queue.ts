import { type Clock, type LazyAbortSignal, runWithTimeout, type TenonError } from '@tenon/base';

/** An operation in the queue, with the functions that settle its call. */
export interface QueuedCall<Operation, Result> {
  readonly operation: Operation;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

export interface QueueOptions<Operation, Result> {
  readonly clock: Clock;
  /** Maximum time that a call waits, in milliseconds. */
  readonly timeout: number;
  createTimeoutError(): TenonError;
  /** Returns the number of waiting operations that can run together, counted from the first. It is at least 1. */
  countTogether(operations: readonly Operation[]): number;
  /** Runs operations together. Operations that it neither resolves nor rejects fail with the error that it throws. */
  runTogether(calls: readonly QueuedCall<Operation, Result>[]): Promise<void>;
}

/** Runs an operation after all earlier ones. */
export type EnqueueOperation<Operation, Result> = (operation: Operation) => Promise<Result>;

/**
 * Creates a queue that runs operations in order. Operations that arrive meanwhile run together in the next transaction,
 * because each commit waits for the disk of the server. An operation whose caller has given up is not started.
 */
export function createQueue<Operation, Result>(
  options: QueueOptions<Operation, Result>,
): EnqueueOperation<Operation, Result> {
  const { clock, timeout, createTimeoutError, countTogether, runTogether } = options;
  let waiting: (QueuedCall<Operation, Result> & { readonly signal: LazyAbortSignal })[] = [];
  let isRunning = false;

  async function run(): Promise<void> {
    isRunning = true;
    // All calls of one turn of the event loop run together.
    await undefined;
    for (;;) {
      waiting = waiting.filter(({ signal }) => !signal.aborted);
      if (waiting.length === 0) break;
      const calls = waiting.splice(0, countTogether(waiting.map(({ operation }) => operation)));
      try {
        await runTogether(calls);
      } catch (error) {
        for (const call of calls) call.reject(error);
      }
    }
    isRunning = false;
  }

  return operation =>
    runWithTimeout<Result>(
      signal =>
        new Promise((resolve, reject) => {
          waiting.push({ operation, signal, resolve, reject });
          if (!isRunning) void run();
        }),
      {
        clock,
        timeout,
        onTimeout: () => {
          throw createTimeoutError();
        },
      },
    );
}
