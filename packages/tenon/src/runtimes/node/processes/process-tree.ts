import { spawn, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { runningServers } from './running-servers.js';

/** A process and the processes that it started. POSIX finds them by their process group, Windows by their parents. */
export interface ProcessTree {
  isTreeRunning(): boolean;
  terminate(): void;
  kill(): void;
}

/**
 * Tracks a process and its children until they have ended. If this process exits before, also by `process.exit`, they
 * are killed.
 *
 * @param stop Closes the input of the process, and stops it.
 */
export function trackProcessTree(pid: number, isLeaderRunning: () => boolean, stop: () => Promise<void>): ProcessTree {
  if (runningServers.size === 0) process.once('exit', killAll);
  runningServers.set(pid, stop);
  const windows = process.platform === 'win32';
  const isTreeRunning = () => {
    const running = isLeaderRunning() || (!windows && sendSignalToGroup(pid, 0) && !hasOnlyZombies(pid));
    if (!running) forget(pid);
    return running;
  };
  return {
    isTreeRunning,
    // A Windows console program cannot catch SIGTERM, and the children of an exited process cannot be found any more.
    terminate: () => (windows ? runTaskkill(pid) : void (isTreeRunning() && sendSignalToGroup(pid, 'SIGTERM'))),
    kill: () => (windows ? runTaskkill(pid) : void (isTreeRunning() && sendSignalToGroup(pid, 'SIGKILL'))),
  };
}

/** Sends a signal to a process group. Returns true if the group has a process. */
function sendSignalToGroup(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-pid, signal);
  } catch (error) {
    // EPERM: the process exists and belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/**
 * Tells if all processes of a group have exited and only wait for init. In a container without init, they wait forever.
 * Detected only on Linux.
 */
function hasOnlyZombies(group: number): boolean {
  if (process.platform !== 'linux') return false;
  try {
    return !readdirSync('/proc').some(name => /^\d+$/.test(name) && isLivingMember(name, group));
  } catch {
    return false;
  }
}

function isLivingMember(pid: string, group: number): boolean {
  try {
    // Format: pid (name) state parent group …. The name may contain any character.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [state, , memberGroup] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return Number(memberGroup) === group && state !== 'Z' && state !== 'X';
  } catch {
    return false;
  }
}

function runTaskkill(pid: number): void {
  spawn('taskkill', ['/pid', String(pid), '/t', '/f'], { stdio: 'ignore', windowsHide: true }).on('error', () => {});
}

function killAll(): void {
  for (const pid of runningServers.keys()) {
    if (process.platform === 'win32') spawnSync('taskkill', ['/pid', String(pid), '/t', '/f'], { stdio: 'ignore' });
    else sendSignalToGroup(pid, 'SIGKILL');
  }
}

function forget(pid: number): void {
  runningServers.delete(pid);
  if (runningServers.size === 0) process.off('exit', killAll);
}
