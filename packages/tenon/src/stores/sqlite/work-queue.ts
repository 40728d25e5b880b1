import type { Clock } from '../../cancellation/clock.js';
import { type Database, rollBack } from './database.js';
import { isBusy, isFull, toStoreError } from './errors.js';

declare function setImmediate(run: () => void): unknown;

/** Maximum delay before the next attempt, in milliseconds. SQLite itself has waited before: see `ATTEMPT_TIMEOUT`. */
const MAX_PAUSE = 25;
/**
 * Time that one attempt may block in SQLite, and with it this process, while another process writes, in milliseconds.
 */
export const ATTEMPT_TIMEOUT = 25;
/** Maximum number of jobs of one transaction: for its time this process does nothing else. */
const MAX_BATCH = 256;

/** Runs work on a connection, in the order in which it comes. What was written is committed when its promise resolves. */
export interface WorkQueue {
  read<T>(work: () => T): Promise<T>;
  /** Work that may be undone and done again. */
  write<T>(work: () => T): Promise<T>;
}

interface WorkQueueOptions {
  readonly clock: Clock;
  /** Time for which work is repeated that finds the file held by another process, in milliseconds; then `store/busy`. */
  readonly timeout: number;
  readonly file: string;
  /** Makes room in a full file. False if there is nothing to remove. */
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
 * Commits together what is written in one turn of the event loop: the commit waits for the disk, and is what takes the
 * time.
 */
export function createWorkQueue(database: Database, options: WorkQueueOptions): WorkQueue {
  const { clock, timeout } = options;
  const waiting: Job[] = [];

  function enqueue<T>(run: () => T, isWrite: boolean): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      // The value is the one that `run` returned.
      waiting.push({ isWrite, deadline: clock.now() + timeout, run, resolve: resolve as Job['resolve'], reject });
      if (waiting.length === 1) schedule();
    });
  }

  function schedule(): void {
    setImmediate(() => void runWaiting());
  }

  async function runWaiting(): Promise<void> {
    const jobs = waiting.slice(0, MAX_BATCH);
    if (!runTogether(database, jobs)) for (const job of jobs) await runAlone(job, options);
    // They count as waiting until they are done, so that nothing overtakes them.
    waiting.splice(0, jobs.length);
    if (waiting.length > 0) schedule();
  }

  return { read: work => enqueue(work, false), write: work => enqueue(work, true) };
}

/** Runs jobs in one transaction. False if there is no use in that, or one of them failed: then all are undone. */
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
      if (!isBusy(error) || clock.now() >= job.deadline) {
        if (isFull(error) && tryMakeRoom(makeRoom)) continue;
        return job.reject(toStoreError(error, file));
      }
    }
    // A caller waits for the result, so the process must stay alive. Processes that collided once should not collide
    // again.
    await new Promise<void>(resolve => clock.after(1 + Math.random() * MAX_PAUSE, resolve, { hold: true }));
  }
}

function tryMakeRoom(makeRoom: () => boolean): boolean {
  try {
    return makeRoom();
  } catch {
    return false;
  }
}
