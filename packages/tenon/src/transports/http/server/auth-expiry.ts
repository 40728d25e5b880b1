import type { Clock } from '../../../cancellation/clock.js';
import type { AuthInfo } from '../../../jsonrpc/transport.js';

/** The most that one timer can wait, in milliseconds. */
const MAX_DELAY = 2 ** 31 - 1;

/** Calls `end` once when an authorization expires, unless the returned function is called before. */
export function onExpiry(clock: Clock, auth: AuthInfo | undefined, end: () => void): () => void {
  const expiresAt = auth?.expiresAt;
  if (expiresAt === undefined || !Number.isFinite(expiresAt)) return () => {};
  let cancel = () => {};
  const arm = (): void => {
    const remaining = expiresAt - clock.now();
    cancel = clock.after(Math.min(Math.max(remaining, 0), MAX_DELAY), remaining > MAX_DELAY ? arm : end);
  };
  arm();
  return () => cancel();
}
