import type { Clock } from '../../jsonrpc/clock.js';

/** Rings when there may be something to see. What rings while nobody listens is not lost. */
export interface Bell {
  ring(): void;
  /** Resolves when it has rung since it last did, or when so many milliseconds are over. */
  next(ms: number): Promise<void>;
  stop(): void;
}

export function createBell(clock: Clock): Bell {
  let rung = false;
  let wake: (() => void) | undefined;
  let cancel: (() => void) | undefined;
  const ring = () => {
    rung = true;
    wake?.();
  };
  return {
    ring,
    async next(ms) {
      cancel = clock.after(ms, ring);
      if (!rung) {
        await new Promise<void>(resolve => {
          wake = resolve;
        });
      }
      cancel();
      rung = false;
    },
    stop: () => cancel?.(),
  };
}
