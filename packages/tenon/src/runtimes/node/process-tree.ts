import { spawn, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** A process and what it started. POSIX finds them by their group, Windows by their parents. */
export interface ProcessTree {
  anyRunning(): boolean;
  terminate(): void;
  kill(): void;
}

/** Those that still run: none of them outlives this process, however it leaves `process.exit`. */
const live = new Set<number>();

export function trackTree(pid: number, leaderRunning: () => boolean): ProcessTree {
  if (live.size === 0) process.once('exit', killAll);
  live.add(pid);
  const windows = process.platform === 'win32';
  const anyRunning = () => {
    const running = leaderRunning() || (!windows && signalGroup(pid, 0) && !onlyZombies(pid));
    if (!running) forget(pid);
    return running;
  };
  return {
    anyRunning,
    // A Windows console program has no SIGTERM to catch, and the children of one that has ended are not found any more.
    terminate: () => (windows ? taskkill(pid) : void (anyRunning() && signalGroup(pid, 'SIGTERM'))),
    kill: () => (windows ? taskkill(pid) : void (anyRunning() && signalGroup(pid, 'SIGKILL'))),
  };
}

/** Returns whether there was somebody to signal. */
function signalGroup(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-pid, signal);
  } catch (error) {
    // EPERM: there is one, that runs as somebody else.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/**
 * Whether all that is left of a group has ended, and merely waits for init to notice: in a container that has none, for
 * ever. Told only on Linux.
 */
function onlyZombies(group: number): boolean {
  if (process.platform !== 'linux') return false;
  try {
    return !readdirSync('/proc').some(name => /^\d+$/.test(name) && isLivingMember(name, group));
  } catch {
    return false;
  }
}

function isLivingMember(pid: string, group: number): boolean {
  try {
    // pid (name) state parent group …; the name may hold anything.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [state, , its] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return Number(its) === group && state !== 'Z' && state !== 'X';
  } catch {
    return false;
  }
}

function taskkill(pid: number): void {
  spawn('taskkill', ['/pid', String(pid), '/t', '/f'], { stdio: 'ignore', windowsHide: true }).on('error', () => {});
}

function killAll(): void {
  for (const pid of live) {
    if (process.platform === 'win32') spawnSync('taskkill', ['/pid', String(pid), '/t', '/f'], { stdio: 'ignore' });
    else signalGroup(pid, 'SIGKILL');
  }
}

function forget(pid: number): void {
  live.delete(pid);
  if (live.size === 0) process.off('exit', killAll);
}
