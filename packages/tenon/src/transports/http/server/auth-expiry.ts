import type { AuthInfo, Clock } from '@tenon/base';

/** Maximum delay of one timer, in milliseconds. */
const MAX_DELAY = 2 ** 31 - 1;

/** Calls `end` once when an authorization expires. Returns a function that cancels this. */
export function onExpiry(clock: Clock, auth: AuthInfo | undefined, end: () => void): () => void {
  const expiresAt = auth?.expiresAt;
  return expiresAt === undefined || !Number.isFinite(expiresAt) ? ignore : callAt(clock, expiresAt, end);
}

function ignore(): void {}

function callAt(clock: Clock, expiresAt: number, end: () => void): () => void {
  let cancel = ignore;
  const arm = (): void => {
    const remaining = expiresAt - clock.now();
    cancel = clock.after(Math.min(Math.max(remaining, 0), MAX_DELAY), remaining > MAX_DELAY ? arm : end);
  };
  arm();
  return () => cancel();
}
