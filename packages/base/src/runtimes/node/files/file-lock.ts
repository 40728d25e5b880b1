import { randomUUID } from 'node:crypto';
import { open, readFile, rm, stat, utimes } from 'node:fs/promises';
import { hostname } from 'node:os';
import type { TenonError } from '../../../errors/error.js';
import type { Clock } from '../../../timing/clock.js';
import { runPeriodically } from '../../../timing/run-periodically.js';
import { isProcessRunning } from '../is-process-running.js';

/** Interval at which the owner of a lock shows that it is alive, in milliseconds. */
const HEARTBEAT_INTERVAL = 2_000;
/**
 * Time without a sign of life after which the owner of a lock counts as dead, in milliseconds. It works for owners on
 * other machines too.
 */
const STALE_AFTER = 15_000;
/** Maximum time to wait for a lock, in milliseconds. It is longer than a user needs to sign in. */
const LOCK_TIMEOUT = 600_000;
/** Time without the lock after which `onWait` is called, in milliseconds. */
const WAIT_NOTICE = 1_000;
const INITIAL_DELAY = 5;
const MAX_DELAY = 100;

export interface FileLockOptions {
  /** Creates the error for a lock that another process holds. It names the file that the lock protects. */
  readonly createBusyError: () => TenonError;
  /**
   * Maximum time to wait for the lock, in milliseconds.
   * @default 600,000
   */
  readonly timeout?: number;
  /**
   * Called once if the lock is not free within a second.
   * @default nothing is called
   */
  readonly onWait?: (() => void) | undefined;
  /**
   * Rejects as soon as the owner shows a sign of life. For locks that a process holds as long as it runs.
   * @default `false`
   */
  readonly failIfAlive?: boolean;
}

/**
 * Runs `work` while no other process with the same lock runs its work. Rejects with the error of `createBusyError` when
 * the lock is not free within `timeout` milliseconds.
 */
export async function withLock<T>(
  path: string,
  clock: Clock,
  work: () => Promise<T>,
  options: FileLockOptions,
): Promise<T> {
  const id = await acquire(path, clock, options);
  const heartbeat = runPeriodically({ clock, interval: HEARTBEAT_INTERVAL, onError: () => {} }, () => {
    const now = new Date();
    return utimes(path, now, now);
  });
  try {
    return await work();
  } finally {
    void heartbeat.stop();
    // On Windows a process that reads the file can prevent its deletion. The lock then expires.
    if ((await readOwner(path))?.id === id) await rm(path, { force: true }).catch(() => {});
  }
}

async function acquire(
  path: string,
  clock: Clock,
  { createBusyError, onWait, timeout = LOCK_TIMEOUT, failIfAlive = false }: FileLockOptions,
): Promise<string> {
  const id = randomUUID();
  const startedAt = clock.elapsed();
  let isReported = false;
  const before = failIfAlive ? await readLockState(path) : undefined;
  for (let wait = INITIAL_DELAY; ; wait = Math.min(MAX_DELAY, wait * 2)) {
    if (await createLock(path, id)) return id;
    if (await isStale(path)) await clearStale(path);
    else await pause(clock, wait * (0.5 + Math.random() / 2));
    const waited = clock.elapsed() - startedAt;
    if (waited >= WAIT_NOTICE && !isReported) onWait?.();
    isReported ||= waited >= WAIT_NOTICE;
    if (waited > timeout || (failIfAlive && (await isRenewed(path, before)))) throw createBusyError();
  }
}

async function createLock(path: string, id: string): Promise<boolean> {
  try {
    const file = await open(path, 'wx', 0o600);
    try {
      await file.writeFile(JSON.stringify({ id, pid: process.pid, host: hostname() }));
    } catch (error) {
      // On a full disk the file stays empty, and would block others until it is stale.
      await rm(path, { force: true });
      throw error;
    } finally {
      await file.close();
    }
    return true;
  } catch (error) {
    // On Windows a file that is being deleted causes EPERM.
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' || (code === 'EPERM' && process.platform === 'win32')) return false;
    throw error;
  }
}

/**
 * Removes a stale lock. Only one process at a time does so, and it checks the lock again first, so that the lock of a
 * live process is kept.
 */
async function clearStale(path: string): Promise<void> {
  const clearing = `${path}.clear`;
  if (!(await createLock(clearing, randomUUID()))) {
    if ((await getAge(clearing)) > STALE_AFTER) await rm(clearing, { force: true });
    return;
  }
  try {
    if (await isStale(path)) await rm(path, { force: true });
  } finally {
    await rm(clearing, { force: true });
  }
}

async function isStale(path: string): Promise<boolean> {
  const owner = await readOwner(path);
  if (owner?.host === hostname() && owner.pid !== undefined && !isProcessRunning(owner.pid)) return true;
  return (await getAge(path)) > STALE_AFTER;
}

interface LockState {
  readonly id: string | undefined;
  readonly mtimeMs: number;
}

async function readLockState(path: string): Promise<LockState | undefined> {
  const [owner, file] = await Promise.all([readOwner(path), stat(path).catch(() => undefined)]);
  return owner && file && { id: owner.id, mtimeMs: file.mtimeMs };
}

/**
 * Tells if the owner has renewed the lock since `before`. The process ID alone is no proof, because it may have been
 * reused.
 */
async function isRenewed(path: string, before: LockState | undefined): Promise<boolean> {
  const now = await readLockState(path);
  return before !== undefined && now !== undefined && now.id === before.id && now.mtimeMs > before.mtimeMs;
}

/** Returns the time since the last sign of life, in milliseconds. A missing file has the age `-Infinity`. */
async function getAge(path: string): Promise<number> {
  const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }));
  return Date.now() - mtimeMs;
}

async function readOwner(path: string): Promise<{ id?: string; pid?: number; host?: string } | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as { id?: string };
  } catch {
    return undefined;
  }
}

function pause(clock: Clock, ms: number): Promise<void> {
  return new Promise(resolve => {
    clock.after(ms, resolve, { hold: true });
  });
}
