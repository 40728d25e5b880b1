import { randomUUID } from 'node:crypto';
import { open, readFile, rm, stat, utimes } from 'node:fs/promises';
import { hostname } from 'node:os';
import type { Clock } from '../../jsonrpc/clock.js';
import { TenonError } from '../../jsonrpc/error.js';

/** How often who holds a lock shows that it lives, in milliseconds. */
const HEARTBEAT = 2_000;
/** Without a sign of life for so long, who held the lock has died, wherever it ran. */
const STALE = 15_000;
/** Until one gives up waiting: longer than a user takes to sign in. */
const PATIENCE = 600_000;
const FIRST_WAIT = 5;
const LONGEST_WAIT = 100;

export interface LockOptions {
  /** Time to wait for the lock, in ms. Default 600,000. */
  readonly patience?: number;
  /** Rejects as soon as the owner shows a sign of life: for locks that are held as long as a process runs. Default `false`. */
  readonly failIfAlive?: boolean;
}

/**
 * Runs `work` while no other process that takes the same lock runs its own. Rejects with `auth/vault-busy` when it is not
 * free within `patience` milliseconds.
 */
export async function withLock<T>(
  path: string,
  clock: Clock,
  work: () => Promise<T>,
  options: LockOptions = {},
): Promise<T> {
  const id = await acquire(path, clock, options);
  let callOff = () => {};
  const beat = () => {
    const now = new Date();
    utimes(path, now, now).catch(() => {});
    callOff = clock.after(HEARTBEAT, beat);
  };
  callOff = clock.after(HEARTBEAT, beat);
  try {
    return await work();
  } finally {
    callOff();
    // On Windows who reads it may be in the way; then it grows stale.
    if ((await read(path))?.id === id) await rm(path, { force: true }).catch(() => {});
  }
}

async function acquire(
  path: string,
  clock: Clock,
  { patience = PATIENCE, failIfAlive = false }: LockOptions,
): Promise<string> {
  const id = randomUUID();
  const until = clock.now() + patience;
  const before = failIfAlive ? await readSign(path) : undefined;
  for (let wait = FIRST_WAIT; ; wait = Math.min(LONGEST_WAIT, wait * 2)) {
    if (await create(path, id)) return id;
    if (await isStale(path)) await clear(path);
    else await pause(clock, wait * (0.5 + Math.random() / 2));
    if (clock.now() > until || (failIfAlive && (await hasMoved(path, before)))) {
      throw new TenonError('auth/vault-busy', 'another process does not let go of the vault', {
        next: `when no other program uses it, delete ${path}`,
      });
    }
  }
}

async function create(path: string, id: string): Promise<boolean> {
  try {
    const file = await open(path, 'wx', 0o600);
    try {
      await file.writeFile(JSON.stringify({ id, pid: process.pid, host: hostname() }));
    } finally {
      await file.close();
    }
    return true;
  } catch (error) {
    // On Windows a file that is just being deleted is in the way by EPERM.
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' || (code === 'EPERM' && process.platform === 'win32')) return false;
    throw error;
  }
}

/** Only one process at a time clears away, and looks once more before it does: nobody takes the lock of one that lives. */
async function clear(path: string): Promise<void> {
  const clearing = `${path}.clear`;
  if (!(await create(clearing, randomUUID()))) {
    if ((await ageOf(clearing)) > STALE) await rm(clearing, { force: true });
    return;
  }
  try {
    if (await isStale(path)) await rm(path, { force: true });
  } finally {
    await rm(clearing, { force: true });
  }
}

async function isStale(path: string): Promise<boolean> {
  const owner = await read(path);
  if (owner?.host === hostname() && owner.pid !== undefined && !isAlive(owner.pid)) return true;
  return (await ageOf(path)) > STALE;
}

interface Sign {
  readonly id: string | undefined;
  readonly mtimeMs: number;
}

async function readSign(path: string): Promise<Sign | undefined> {
  const [owner, file] = await Promise.all([read(path), stat(path).catch(() => undefined)]);
  return owner && file && { id: owner.id, mtimeMs: file.mtimeMs };
}

/** Tells whether the owner has renewed the lock since `before`. The process id alone is no proof: it may have been reused. */
async function hasMoved(path: string, before: Sign | undefined): Promise<boolean> {
  const now = await readSign(path);
  return before !== undefined && now !== undefined && now.id === before.id && now.mtimeMs > before.mtimeMs;
}

/** Milliseconds since the last sign of life; none when there is no such file. */
async function ageOf(path: string): Promise<number> {
  const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }));
  return Date.now() - mtimeMs;
}

async function read(path: string): Promise<{ id?: string; pid?: number; host?: string } | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as { id?: string };
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function pause(clock: Clock, ms: number): Promise<void> {
  return new Promise(resolve => {
    clock.after(ms, resolve, { hold: true });
  });
}
