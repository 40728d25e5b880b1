import type { CliContext } from './cli-context.js';

/** Exit codes of a process that a signal ends. */
export const SIGNAL_CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

export type EndingSignal = keyof typeof SIGNAL_CODES;

/** Returns the signals that end a command. Without a terminal, SIGHUP may be ignored on purpose, as `nohup` does. */
export const listEndingSignals = (isInteractive: boolean): readonly EndingSignal[] =>
  isInteractive ? ['SIGINT', 'SIGTERM', 'SIGHUP'] : ['SIGINT', 'SIGTERM'];

/** Handling of the signals that end this process. */
export interface SignalEnding {
  /**
   * Waits for the servers to stop if a signal has interrupted the command, which may have left them. Resolves with the
   * exit code of the process.
   */
  finish(code: number): Promise<number>;
}

/**
 * Ends the process on a signal that the command does not handle itself, after the servers that it started have stopped.
 * A second signal ends the process at once.
 */
export function endOnSignal({ screen, terminal }: Pick<CliContext, 'screen' | 'terminal'>): SignalEnding {
  let received: EndingSignal | undefined;
  const handle = (signal: EndingSignal) => {
    if (process.listenerCount(signal) > 1) {
      received ??= signal;
      return;
    }
    if (received !== undefined) process.exit(SIGNAL_CODES[signal]);
    received = signal;
    // The command would report that its connections have been closed.
    screen.mute();
    void stopServers().then(() => process.exit(SIGNAL_CODES[signal]));
  };
  for (const signal of listEndingSignals(terminal.interactive)) process.on(signal, handle);
  return {
    async finish(code) {
      if (received === undefined) return code;
      await stopServers();
      return code === SIGNAL_CODES.SIGINT ? SIGNAL_CODES[received] : code;
    },
  };
}

/** Stops the servers that this process has started. */
export async function stopServers(): Promise<void> {
  // The entry takes time to load, and most commands end without it.
  const { stopServerProcesses } = await import('tenon/node');
  await stopServerProcesses();
}
