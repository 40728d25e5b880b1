import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import type { StdioTransportOptions } from '../../../transports/stdio/client.js';

/** Container that a command starts. */
export interface StartedContainer {
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
export interface ContainerRemoval {
  /** Removes the container, without waiting. */
  start(): void;
  isRunning(): boolean;
}

/**
 * Creates the removal of a container. A command passes SIGTERM on to its container, but not SIGKILL, and the container
 * would run on without it.
 *
 * @param run Starts the program of the container engine with other arguments.
 */
export function createRemoval(
  { name }: StartedContainer,
  run: (args: readonly string[]) => ChildProcess | undefined,
): ContainerRemoval {
  let running: ChildProcess | undefined;
  return {
    start() {
      if (running) return;
      running = run(['rm', '--force', name]);
      running?.on('error', () => {});
      running?.unref();
    },
    isRunning: () => running !== undefined && running.exitCode === null && running.signalCode === null,
  };
}
