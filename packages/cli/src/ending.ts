import { setTimeout as pause } from 'node:timers/promises';
import type { World } from './world.js';

/** How long closing may take, in milliseconds, before what is left is let go of. */
const CLOSING = 15_000;

/** What runs until it is told to end. */
export interface Running {
  /** Resolves when it has ended by itself: the client left. Absent: it never does. */
  readonly ended?: Promise<void>;
  close(): Promise<void>;
}

/**
 * Begins to serve, lets it run until Ctrl-C, SIGTERM or its own end, and closes it, and what is behind it, within bounds. A
 * second signal ends at once.
 */
export async function serveUntilEnded(
  world: World,
  behind: { close(): Promise<void> },
  begin: () => Promise<Running>,
): Promise<void> {
  let running: Running;
  try {
    running = await begin();
  } catch (error) {
    await behind.close();
    throw error;
  }
  const close = async () => {
    await running.close();
    await behind.close();
  };
  await untilEnded(world, { ...running, close });
}

async function untilEnded({ screen }: World, { ended, close }: Running): Promise<void> {
  let signals = 0;
  let tell = () => {};
  const told = new Promise<void>(resolve => {
    tell = resolve;
  });
  const stop = (signal: NodeJS.Signals) => {
    signals += 1;
    if (signals > 1) process.exit(signal === 'SIGINT' ? 130 : 143);
    tell();
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  // Who waits for a client on a pipe is kept alive by nothing else.
  const alive = setInterval(() => {}, 60_000);
  try {
    await (ended ? Promise.race([told, ended]) : told);
    const inTime = await Promise.race([close().then(() => true), pause(CLOSING, false, { ref: false })]);
    if (!inTime) screen.note(`not all was closed within ${CLOSING / 1000} s: what is left is let go of`);
  } finally {
    clearInterval(alive);
    process.off('SIGINT', stop);
    process.off('SIGTERM', stop);
  }
}
