import { setTimeout as pause } from 'node:timers/promises';
import type { CliContext } from './cli-context.js';

/** Maximum time for closing beyond the time for open calls, in milliseconds. The process exits afterwards. */
const CLOSE_TIMEOUT = 10_000;
/** Default time for open calls, in milliseconds. */
const DRAIN_TIMEOUT = 5000;

/** Server that runs until a signal. */
export interface RunningServer {
  /** Resolves when the server has ended by itself because the client disconnected. Absent if it never does. */
  readonly ended?: Promise<void>;
  close(): Promise<void>;
}

/**
 * Starts a server, waits for Ctrl-C, SIGTERM or its own end, and closes it together with its host. Closing takes at
 * most `drainTime` and `CLOSE_TIMEOUT`. A second signal ends the process at once.
 *
 * @param drainTime Time that `close` of the server needs until it cancels open calls, in milliseconds.
 */
export async function runUntilSignal(
  context: CliContext,
  host: { close(): Promise<void> },
  start: () => Promise<RunningServer>,
  drainTime: number = DRAIN_TIMEOUT,
): Promise<void> {
  let running: RunningServer;
  try {
    running = await start();
  } catch (error) {
    await host.close();
    throw error;
  }
  const close = async () => {
    await running.close();
    await host.close();
  };
  await waitUntilEnded(context, { ...running, close }, drainTime + CLOSE_TIMEOUT);
}

async function waitUntilEnded(
  { screen }: CliContext,
  { ended, close }: RunningServer,
  closeTimeout: number,
): Promise<void> {
  let signals = 0;
  let resolveSignalled = () => {};
  const signalled = new Promise<void>(resolve => {
    resolveSignalled = resolve;
  });
  const stop = (signal: NodeJS.Signals) => {
    signals += 1;
    if (signals > 1) process.exit(signal === 'SIGINT' ? 130 : 143);
    resolveSignalled();
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  // Without a timer, Node would exit while the command waits for a client.
  const alive = setInterval(() => {}, 60_000);
  try {
    await (ended ? Promise.race([signalled, ended]) : signalled);
    const inTime = await Promise.race([close().then(() => true), pause(closeTimeout, false, { ref: false })]);
    if (!inTime) screen.note(`some connections did not close within ${closeTimeout / 1000} s, and are ended now`);
  } finally {
    clearInterval(alive);
    process.off('SIGINT', stop);
    process.off('SIGTERM', stop);
  }
}
