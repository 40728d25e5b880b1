import { setTimeout as pause } from 'node:timers/promises';
import type { CliContext } from './cli-context.js';
import { type EndingSignal, listEndingSignals, SIGNAL_CODES, stopServers } from './end-on-signal.js';
import { watchNpx } from './npx-end.js';

/** Maximum time for closing beyond the time for open calls, in milliseconds. The process exits afterwards. */
const CLOSE_TIMEOUT = 10_000;
/** Default time for open calls to finish when the process ends, in milliseconds. Help texts and the docs state it. */
export const DRAIN_TIMEOUT = 10_000;

/** Server that runs until a signal. */
export interface RunningServer {
  /** Resolves when the server has ended by itself because the client disconnected. Absent if it never does. */
  readonly ended?: Promise<void>;
  /** True for a process that outlives the command that started it. */
  readonly isDaemon?: boolean;
  close(): Promise<void>;
}

/**
 * Starts a server, waits for Ctrl-C, SIGTERM, the end of `npx` or its own end, and closes it together with its host.
 * Closing takes at most `drainTime` and `CLOSE_TIMEOUT`. A second signal ends the process at once.
 *
 * @param drainTime Time that `close` of the server needs until it cancels open calls, in milliseconds.
 */
export async function runUntilSignal(
  context: CliContext,
  host: { close(): Promise<void> },
  start: () => Promise<RunningServer>,
  drainTime: number = DRAIN_TIMEOUT,
): Promise<void> {
  const signals = listenForSignals(context.terminal.interactive);
  // Without a timer, Node would exit while the command waits for a client.
  const alive = setInterval(() => {}, 60_000);
  try {
    const running = await start().catch(async error => {
      await host.close();
      throw error;
    });
    const stopWatching = running.isDaemon ? () => {} : watchNpx(signals.receive);
    await Promise.race([signals.received, running.ended ?? signals.received]);
    stopWatching();
    const closed = running
      .close()
      .then(() => host.close())
      // Servers that were closed before may still be stopping.
      .then(stopServers);
    const closeTimeout = drainTime + CLOSE_TIMEOUT;
    const inTime = await Promise.race([closed.then(() => true), pause(closeTimeout, false, { ref: false })]);
    if (!inTime)
      context.screen.note(`some connections did not close within ${closeTimeout / 1000} s, and are ended now`);
  } finally {
    clearInterval(alive);
    signals.release();
  }
}

/** Waits for the first signal. The second one ends the process. It listens before the server does, whose URL may be used at once. */
function listenForSignals(isInteractive: boolean): {
  readonly received: Promise<void>;
  /** Acts as a signal does. */
  readonly receive: () => void;
  release(): void;
} {
  let count = 0;
  let resolveReceived = () => {};
  const received = new Promise<void>(resolve => {
    resolveReceived = resolve;
  });
  const stop = (signal: EndingSignal) => {
    count += 1;
    if (count > 1) process.exit(SIGNAL_CODES[signal]);
    resolveReceived();
  };
  const handled = listEndingSignals(isInteractive);
  for (const signal of handled) process.on(signal, stop);
  return {
    received,
    receive: resolveReceived,
    release() {
      for (const signal of handled) process.off(signal, stop);
    },
  };
}
