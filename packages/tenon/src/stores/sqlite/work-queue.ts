import { type Clock, sleep } from '@tenon/base';
import { type Database, rollBack } from './database.js';
import { isBusy, isFull, toStoreError } from './errors.js';

declare function setImmediate(run: () => void): unknown;

/** Maximum delay before the next attempt, in milliseconds. SQLite itself also waits: see `ATTEMPT_TIMEOUT`. */
const MAX_PAUSE = 25;
/**
 * Time that one attempt may wait in SQLite while another process writes, in milliseconds. The wait blocks this process.
 */
export const ATTEMPT_TIMEOUT = 25;
/** Maximum number of jobs in one transaction. A transaction blocks this process. */
const MAX_BATCH = 256;

/** Runs jobs on a connection in order. The writes of a job are committed when its promise resolves. */
export interface WorkQueue {
  read<T>(work: () => T): Promise<T>;
  /** Runs a job that may write. The job must be repeatable, because it may be rolled back and run again. */
  write<T>(work: () => T): Promise<T>;
}

interface WorkQueueOptions {
  readonly clock: Clock;
  /**
   * Time for which a job is repeated while another process locks the file, in milliseconds. After it the job fails with
   * `store/busy`.
   */
  readonly timeout: number;
  readonly file: string;
  /** Frees space in a full file. Returns false if there is nothing to delete. */
  readonly makeRoom?: (() => boolean) | undefined;
}

interface Job {
  readonly isWrite: boolean;
  readonly deadline: number;
  run(): unknown;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/**
 * Creates a queue that commits all writes of one turn of the event loop together, because each commit waits for the
 * disk.
 */
export function createWorkQueue(database: Database, options: WorkQueueOptions): WorkQueue {
  const { clock, timeout } = options;
  const waiting: Job[] = [];

  function enqueue<T>(run: () => T, isWrite: boolean): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      // Each job gets the value that its own `run` returned, so the types match.
      waiting.push({ isWrite, deadline: clock.elapsed() + timeout, run, resolve: resolve as Job['resolve'], reject });
      if (waiting.length === 1) schedule();
    });
  }

  function schedule(): void {
    setImmediate(() => void runWaiting());
  }

  async function runWaiting(): Promise<void> {
    const jobs = waiting.slice(0, MAX_BATCH);
    if (!runTogether(database, jobs)) for (const job of jobs) await runAlone(job, options);
    // Jobs stay in the queue until they are done, so that later jobs cannot overtake them.
    waiting.splice(0, jobs.length);
    if (waiting.length > 0) schedule();
  }

  return { read: work => enqueue(work, false), write: work => enqueue(work, true) };
}

/**
 * Runs jobs in one transaction. Returns false if there are fewer than two writes, or if a job failed. A failure rolls
 * back all jobs.
 */
function runTogether(database: Database, jobs: readonly Job[]): boolean {
  if (jobs.filter(({ isWrite }) => isWrite).length < 2) return false;
  let values: unknown[];
  try {
    database.exec('BEGIN IMMEDIATE');
    values = jobs.map(job => job.run());
    database.exec('COMMIT');
  } catch {
    rollBack(database);
    return false;
  }
  for (const [index, job] of jobs.entries()) job.resolve(values[index]);
  return true;
}

async function runAlone(job: Job, { clock, file, makeRoom = () => false }: WorkQueueOptions): Promise<void> {
  for (;;) {
    try {
      return job.resolve(job.run());
    } catch (error) {
      if (!isBusy(error) || clock.elapsed() >= job.deadline) {
        if (isFull(error) && tryMakeRoom(makeRoom)) continue;
        return job.reject(toStoreError(error, file));
      }
    }
    // The caller waits for the result, so the timer keeps the process alive. A random delay avoids another collision of
    // the same processes.
    await sleep(clock, 1 + Math.random() * MAX_PAUSE);
  }
}

function tryMakeRoom(makeRoom: () => boolean): boolean {
  try {
    return makeRoom();
  } catch {
    return false;
  }
}
