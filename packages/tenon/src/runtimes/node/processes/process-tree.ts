import { spawn, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { runningServers } from './running-servers.js';

/** Functions to call after a process was killed, by its id. */
const killActions = new Map<number, () => void>();

/** A process and the processes that it started. POSIX finds them by their process group, Windows by their parents. */
export interface ProcessTree {
  isTreeRunning(): boolean;
  /** Returns the time that they have used the processor, in milliseconds. Known only on Linux. */
  getProcessorTime(): number | undefined;
  terminate(): void;
  kill(): void;
}

/**
 * Tracks a process and its children until they have ended. If this process exits before, also by `process.exit`, they
 * are killed.
 *
 * @param stop Closes the input of the process, and stops it.
 * @param onKill Called after the processes were killed, to end what they have started elsewhere.
 */
export function trackProcessTree(
  pid: number,
  isLeaderRunning: () => boolean,
  stop: () => Promise<void>,
  onKill: () => void = () => {},
): ProcessTree {
  if (runningServers.size === 0) process.once('exit', killAll);
  runningServers.set(pid, stop);
  killActions.set(pid, onKill);
  const windows = process.platform === 'win32';
  const isTreeRunning = () => {
    if (isLeaderRunning()) return true;
    if (!windows && sendSignalToGroup(pid, 0)) {
      // Processes that have exited may wait for init. In a container without init, they wait forever.
      const members = listMembers(pid);
      if (members === undefined || members.some(({ state }) => state !== 'Z' && state !== 'X')) return true;
    }
    runningServers.delete(pid);
    killActions.delete(pid);
    if (runningServers.size === 0) process.off('exit', killAll);
    return false;
  };
  const kill = () => {
    if (windows)
      spawn('taskkill', ['/pid', String(pid), '/t', '/f'], { stdio: 'ignore', windowsHide: true }).on(
        'error',
        () => {},
      );
    else sendSignalToGroup(pid, 'SIGKILL');
    onKill();
  };
  return {
    isTreeRunning,
    getProcessorTime: () => listMembers(pid)?.reduce((sum, { ticks }) => sum + ticks * TICK, 0),
    // A Windows console program cannot catch SIGTERM, and the children of an exited process cannot be found any more.
    terminate: () => (windows ? kill() : void (isTreeRunning() && sendSignalToGroup(pid, 'SIGTERM'))),
    kill: () => void (isTreeRunning() && kill()),
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

/** Time of one tick in `/proc`, in milliseconds. It is the same on all platforms of Linux that Node supports. */
const TICK = 10;

interface GroupMember {
  readonly state: string | undefined;
  /** Time that the process, and its children that have ended, used the processor. */
  readonly ticks: number;
}

/** Lists the processes of a group. Returns `undefined` where the platform has no `/proc`. */
function listMembers(group: number): readonly GroupMember[] | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    return readdirSync('/proc').flatMap(name => (/^\d+$/.test(name) ? readMember(name, group) : []));
  } catch {
    return undefined;
  }
}

function readMember(pid: string, group: number): readonly GroupMember[] {
  try {
    // Format: pid (name) state parent group …. The name may contain any character.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (Number(fields[2]) !== group) return [];
    // The fields 14 to 17 of the whole line.
    return [{ state: fields[0], ticks: fields.slice(11, 15).reduce((sum, each) => sum + Number(each), 0) }];
  } catch {
    return [];
  }
}

function killAll(): void {
  for (const pid of runningServers.keys()) {
    if (process.platform === 'win32') spawnSync('taskkill', ['/pid', String(pid), '/t', '/f'], { stdio: 'ignore' });
    else sendSignalToGroup(pid, 'SIGKILL');
    killActions.get(pid)?.();
  }
}
