import type { Clock } from '../../../cancellation/clock.js';

/** Signals that something may have changed. A signal without a waiting listener is stored. */
export interface ChangeSignal {
  notify(): void;
  /** Resolves when it has rung since it last did, or when so many milliseconds are over. */
  wait(ms: number): Promise<void>;
  stop(): void;
}

export function createChangeSignal(clock: Clock): ChangeSignal {
  let isNotified = false;
  let wake: (() => void) | undefined;
  let cancel: (() => void) | undefined;
  const notify = () => {
    isNotified = true;
    wake?.();
  };
  return {
    notify,
    async wait(ms) {
      cancel = clock.after(ms, notify);
      if (!isNotified) {
        await new Promise<void>(resolve => {
          wake = resolve;
        });
      }
      cancel();
      isNotified = false;
    },
    stop: () => cancel?.(),
  };
}
