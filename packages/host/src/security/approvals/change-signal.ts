import type { Clock } from '@tenon/base';

/** Signal for changes. If no listener waits, the next call of `wait` resolves at once. */
export interface ChangeSignal {
  notify(): void;
  /** Resolves after the next `notify`, or after `ms` milliseconds. */
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
