import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { TenonError } from '@tenon/base';
import type { StdioTransportOptions } from '../../../transports/stdio/client.js';
import type { ProcessExit, ServerProcess } from '../../../transports/stdio/server-process-types.js';
import { createByteSink, createByteSource } from '../stdio/byte-streams.js';
import { createChildEnvironment } from './child-environment.js';
import { trackProcessTree } from './process-tree.js';
import { isFile, isFolder, resolveCommand } from './resolve-command.js';
import { areServersStopping } from './running-servers.js';

/**
 * Starts a server as a child process, in its own process group, with a clean environment and without a shell. Rejects
 * with `stdio/spawn` when the program or the folder does not exist, or the program cannot be executed.
 *
 * @param stop Closes the input of the process, and stops it.
 */
export async function spawnServer(
  options: StdioTransportOptions,
  peer: string,
  stop: () => Promise<void>,
): Promise<ServerProcess> {
  if (areServersStopping())
    throw new TenonError('stdio/spawn', 'the server process is not started, because all of them are being stopped', {
      peer,
      hint: 'connect after `stopServerProcesses` has resolved',
    });
  const container = nameContainer(options);
  const child = startProcess(container ? { ...options, args: container.args } : options, peer);
  const exited = new Promise<ProcessExit>(resolve => child.once('exit', (code, signal) => resolve({ code, signal })));
  await once(child, 'spawn').catch(cause => {
    throw spawnError(peer, options, cause);
  });
  // A later error comes from a signal to a process that has exited.
  child.on('error', () => {});
  const isRunning = () => isProcessRunning(child);
  const removal = container && createRemoval(container, options);
  const tree = trackProcessTree(child.pid!, isRunning, stop, () => removal?.start());
  if (options.stderr === 'inherit') child.stderr?.on('data', (chunk: Uint8Array) => process.stderr.write(chunk));
  return {
    input: createByteSink(child.stdin!),
    output: createByteSource(child.stdout!),
    errors: child.stderr ? createByteSource(child.stderr) : undefined,
    exited,
    isRunning,
    keepAlive() {
      const timer = setInterval(() => {}, 60_000);
      return () => clearInterval(timer);
    },
    ...tree,
    isTreeRunning: () => tree.isTreeRunning() || (removal?.isRunning() ?? false),
  };
}

const isProcessRunning = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode === null && signalCode === null;

/** Container that a command starts. */
interface StartedContainer {
  readonly name: string;
  /** Arguments of the command, with the name of the container. */
  readonly args: readonly string[];
}

/** Chooses the name of the container that `run` starts. Returns `undefined` for any other command. */
export function nameContainer({ container, args = [] }: StdioTransportOptions): StartedContainer | undefined {
  if (container === undefined || args[0] !== 'run') return undefined;
  const name = `${container}-${randomBytes(4).toString('hex')}`;
  return { name, args: ['run', '--name', name, ...args.slice(1)] };
}

/** Removal of a container whose command was killed. */
interface ContainerRemoval {
  /** Removes the container, without waiting. */
  start(): void;
  isRunning(): boolean;
}

/**
 * Creates the removal of a container. A command passes SIGTERM on to its container, but not SIGKILL, and the container
 * would run on without it.
 */
function createRemoval({ name }: StartedContainer, options: StdioTransportOptions): ContainerRemoval {
  let running: ChildProcess | undefined;
  return {
    start() {
      if (running) return;
      const removal = { ...options, args: ['rm', '--force', name], stderr: 'ignore' } as const;
      try {
        running = startProcess(removal, '', ['ignore', 'ignore', 'ignore']);
      } catch {
        // A failure is ignored.
        return;
      }
      running.on('error', () => {});
      running.unref();
    },
    isRunning: () => running !== undefined && isProcessRunning(running),
  };
}

function startProcess(
  options: StdioTransportOptions,
  peer: string,
  stdio: readonly ('pipe' | 'ignore')[] = ['pipe', 'pipe', options.stderr === 'ignore' ? 'ignore' : 'pipe'],
): ChildProcess {
  const env = createChildEnvironment(options.env, { platform: process.platform, env: process.env });
  const cwd = options.cwd ?? process.cwd();
  const environment = { platform: process.platform, env, cwd, exists: isFile };
  const resolved = resolveCommand(options.command, options.args ?? [], environment);
  if (!resolved) throw spawnError(peer, options, Object.assign(new Error('not found'), { code: 'ENOENT' }));
  try {
    return spawn(resolved.file, resolved.args, {
      env,
      cwd,
      stdio: [...stdio],
      // On POSIX the process gets its own group, so that a wrapper (npx, uvx, sh) and its server end together.
      detached: process.platform !== 'win32',
      windowsHide: true,
      windowsVerbatimArguments: resolved.verbatim,
    });
  } catch (cause) {
    throw spawnError(peer, options, cause);
  }
}

/** Creates the error of a program that cannot be started, with the reason in `cause` and the options. */
export function spawnError(peer: string, options: StdioTransportOptions, cause: unknown): TenonError {
  if (TenonError.is(cause)) return cause;
  const code = (cause as NodeJS.ErrnoException).code ?? 'unknown error';
  return new TenonError('stdio/spawn', `cannot start the server process (${code})`, {
    peer,
    ...explainFailure(code, options),
    cause,
  });
}

function explainFailure(
  code: string,
  { command, cwd, env }: StdioTransportOptions,
): { received?: string; hint: string } {
  if (cwd !== undefined && !isFolder(cwd))
    return { received: `the folder “${cwd}”, which was not found`, hint: 'correct `cwd`' };
  if (code === 'EACCES' || code === 'EPERM') {
    return {
      received: `the file “${command}” without permission to run it`,
      hint: 'make the file executable, or use its interpreter as the command',
    };
  }
  if (code !== 'ENOENT') return { hint: 'check the command and its arguments, and see `cause`' };
  const isPath = /[\\/]/.test(command);
  const hasOwnPath = Object.keys(env ?? {}).some(name => name.toUpperCase() === 'PATH');
  const source = hasOwnPath ? 'in `env`' : 'of this process (often shorter in desktop programs than in a terminal)';
  const hint = isPath
    ? 'correct the path'
    : `install the program, or pass its full path, because it is not on the PATH ${source}`;
  const line = /\s/.test(command) ? '; pass arguments in `args`, not in `command`' : '';
  return { received: `the command “${command}”, which was not found`, hint: hint + line };
}
