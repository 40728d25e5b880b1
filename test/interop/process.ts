import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { StdioTarget } from 'tenon';
import { bundle } from '../support/bundle.js';
import { retryUntilPasses } from './retry.js';

/** The root of the repository. */
export const root = fileURLToPath(new URL('../..', import.meta.url));
const announce = fileURLToPath(new URL('./fixtures/announce.mjs', import.meta.url));

/** The program of an official server package. */
export const findOfficialServer = (name: string): string =>
  fileURLToPath(new URL(`../../node_modules/@modelcontextprotocol/${name}/dist/index.js`, import.meta.url));

/** A program of this repository, written in TypeScript. */
export const bundleProgram = (url: URL): readonly string[] => [bundle(url)];

/** A server on stdio that says which process it is. */
export interface StdioPeer {
  readonly target: StdioTarget;
  /** The process that was started last. */
  pid(): number;
}

/** How our client starts a server on stdio. `args` are those of Node. */
export function createStdioPeer(args: readonly string[], env: Readonly<Record<string, string>> = {}): StdioPeer {
  let pid: number | undefined;
  const stderr = (line: string) => {
    const messages = /^announce pid (\d+)$/.exec(line);
    if (messages) pid = Number(messages[1]);
  };
  return {
    target: { command: process.execPath, args: ['--import', announce, ...args], env, cwd: root, stderr },
    pid() {
      if (pid === undefined) throw new Error('the server has not said which process it is');
      return pid;
    },
  };
}

/** A server that listens in a process of its own. */
export interface HttpPeer {
  readonly origin: string;
  readonly pid: number;
  /** Sends a signal, such as SIGSTOP. */
  signal(signal: NodeJS.Signals): void;
  /** Resolves when the process has ended. */
  readonly exited: Promise<unknown>;
  /** Ends the server as `kill -9` does. */
  stop(): Promise<void>;
}

/** Starts a server that takes its port from `PORT`: on `wanted`, or on one that is free. */
export async function startHttpPeer(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  wanted = 0,
): Promise<HttpPeer> {
  const child = spawn(process.execPath, ['--import', announce, ...args], {
    cwd: root,
    env: { PATH: process.env.PATH, ...env, PORT: String(wanted) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const exited = once(child, 'exit');
  const port = await new Promise<string>((resolve, reject) => {
    const messages: string[] = [];
    createInterface(child.stderr).on('line', line => {
      messages.push(line);
      const port = /^announce port (\d+)$/.exec(line)?.[1];
      if (port) resolve(port);
    });
    child.once('exit', () => reject(new Error(`the server has exited:\n${messages.join('\n')}`)));
  });
  return {
    origin: `http://127.0.0.1:${port}`,
    pid: child.pid ?? 0,
    signal: signal => void child.kill(signal),
    exited,
    async stop() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Resolves once a process is gone. */
export async function waitForExit(pid: number): Promise<void> {
  await retryUntilPasses(() => {
    if (isRunning(pid)) throw new Error(`process ${pid} is still there`);
  });
}
