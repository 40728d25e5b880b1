import { type AuthInfo, type Clock, MAX_TIMER_DELAY } from '@tenon/base';

/** Calls `end` once when an authorization expires. Returns a function that cancels this. */
export function onExpiry(clock: Clock, auth: AuthInfo | undefined, end: () => void): () => void {
  const expiresAt = auth?.expiresAt ?? Number.POSITIVE_INFINITY;
  let cancel = ignore;
  if (!Number.isFinite(expiresAt)) return cancel;
  const arm = (): void => {
    const remaining = expiresAt - clock.now();
    cancel = clock.after(Math.min(Math.max(remaining, 0), MAX_TIMER_DELAY), remaining > MAX_TIMER_DELAY ? arm : end);
  };
  arm();
  return () => cancel();
}

function ignore(): void {}
