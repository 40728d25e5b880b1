import type { AuthInfo } from '../../jsonrpc/channel.js';
import type { Clock } from '../../jsonrpc/clock.js';

/** The most that one timer can wait, in milliseconds. */
const MAX_DELAY = 2 ** 31 - 1;

/** Calls `end` once when an authorization expires, unless the returned function is called before. */
export function onExpiry(clock: Clock, auth: AuthInfo | undefined, end: () => void): () => void {
  const expiresAt = auth?.expiresAt;
  if (expiresAt === undefined || !Number.isFinite(expiresAt)) return () => {};
  let cancel = () => {};
  const arm = (): void => {
    const left = expiresAt - clock.now();
    cancel = clock.after(Math.min(Math.max(left, 0), MAX_DELAY), left > MAX_DELAY ? arm : end);
  };
  arm();
  return () => cancel();
}
