import { type ChildProcess, spawn } from 'node:child_process';
import { statSync } from 'node:fs';
import { TenonError } from '../../jsonrpc/error.js';
import type { StdioOptions } from '../../transports/stdio/client.js';
import type { Exit, ServerProcess } from '../../transports/stdio/process.js';
import { byteSink, byteSource } from './byte-streams.js';
import { resolveCommand } from './command.js';
import { childEnvironment } from './environment.js';
import { trackTree } from './process-tree.js';

/**
 * Starts a server as a child process, in a process group of its own, with a clean environment and without a shell.
 * Rejects with `stdio/spawn` when there is no such program, no such folder, or it may not be run.
 */
export async function spawnServer(options: StdioOptions, peer: string): Promise<ServerProcess> {
  const child = start(options, peer);
  const exited = new Promise<Exit>(resolve => child.once('exit', (code, signal) => resolve({ code, signal })));
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', cause => reject(spawnError(peer, options, cause)));
  });
  // A later error is that of a signal which found nobody.
  child.on('error', () => {});
  const running = () => child.exitCode === null && child.signalCode === null;
  const tree = trackTree(child.pid!, running);
  if (options.stderr === 'inherit') child.stderr?.on('data', (chunk: Uint8Array) => process.stderr.write(chunk));
  return {
    input: byteSink(child.stdin!),
    output: byteSource(child.stdout!),
    errors: child.stderr ? byteSource(child.stderr) : undefined,
    exited,
    running,
    hold() {
      const timer = setInterval(() => {}, 60_000);
      return () => clearInterval(timer);
    },
    ...tree,
  };
}

function start(options: StdioOptions, peer: string): ChildProcess {
  const env = childEnvironment(options.env, { platform: process.platform, env: process.env });
  const cwd = options.cwd ?? process.cwd();
  const surroundings = { platform: process.platform, env, cwd, exists: isFile };
  const resolved = resolveCommand(options.command, options.args ?? [], surroundings);
  if (!resolved) throw spawnError(peer, options, Object.assign(new Error('not found'), { code: 'ENOENT' }));
  try {
    return spawn(resolved.file, resolved.args, {
      env,
      cwd,
      stdio: ['pipe', 'pipe', options.stderr === 'ignore' ? 'ignore' : 'pipe'],
      // On POSIX a group of its own, so that a wrapper (npx, uvx, sh) and the server behind it end together.
      detached: process.platform !== 'win32',
      windowsHide: true,
      windowsVerbatimArguments: resolved.verbatim,
    });
  } catch (cause) {
    throw spawnError(peer, options, cause);
  }
}

/** The error of a program that cannot be started, with the reason that `cause` and the options show. */
export function spawnError(peer: string, options: StdioOptions, cause: unknown): TenonError {
  if (TenonError.is(cause)) return cause;
  const code = (cause as NodeJS.ErrnoException).code ?? 'unknown error';
  return new TenonError('stdio/spawn', `the server can not be started (${code})`, {
    peer,
    ...why(code, options),
    cause,
  });
}

function why(code: string, { command, cwd, env }: StdioOptions): { got?: string; next: string } {
  if (cwd !== undefined && !isFolder(cwd)) return { got: `no folder “${cwd}”`, next: 'correct cwd' };
  if (code === 'EACCES' || code === 'EPERM') {
    return {
      got: `“${command}” may not be run`,
      next: 'make the file executable, or name its interpreter as the command',
    };
  }
  if (code !== 'ENOENT')
    return { next: 'see the cause; the command and its arguments must be strings that can be run' };
  const isPath = /[\\/]/.test(command);
  const hint = isPath
    ? 'correct the path'
    : `install it, or give its full path: it was looked up on the PATH ${whose(env)}`;
  const line = /\s/.test(command) ? '; arguments belong in args, not in command' : '';
  return { got: `no program “${command}”`, next: hint + line };
}

function whose(env: StdioOptions['env']): string {
  const given = Object.keys(env ?? {}).some(name => name.toUpperCase() === 'PATH');
  return given
    ? 'that env gives'
    : 'of this process (programs started from a desktop often have a shorter one than a terminal)';
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
