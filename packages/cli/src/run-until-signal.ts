import { setTimeout as pause } from 'node:timers/promises';
import type { CliContext } from './cli-context.js';

/** Maximum time for closing, in milliseconds; then the process exits. */
const CLOSE_TIMEOUT = 15_000;

/** A server that runs until a signal. */
export interface RunningServer {
  /** Resolves when it has ended by itself: the client left. Absent: it never does. */
  readonly ended?: Promise<void>;
  close(): Promise<void>;
}

/**
 * Begins to serve, lets it run until Ctrl-C, SIGTERM or its own end, and closes it, and what is behind it, within bounds. A
 * second signal ends at once.
 */
export async function runUntilSignal(
  context: CliContext,
  host: { close(): Promise<void> },
  start: () => Promise<RunningServer>,
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
  await waitUntilEnded(context, { ...running, close });
}

async function waitUntilEnded({ screen }: CliContext, { ended, close }: RunningServer): Promise<void> {
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
  // Who waits for a client on a pipe is kept alive by nothing else.
  const alive = setInterval(() => {}, 60_000);
  try {
    await (ended ? Promise.race([signalled, ended]) : signalled);
    const inTime = await Promise.race([close().then(() => true), pause(CLOSE_TIMEOUT, false, { ref: false })]);
    if (!inTime) screen.note(`not all was closed within ${CLOSE_TIMEOUT / 1000} s: what is left is let go of`);
  } finally {
    clearInterval(alive);
    process.off('SIGINT', stop);
    process.off('SIGTERM', stop);
  }
}
