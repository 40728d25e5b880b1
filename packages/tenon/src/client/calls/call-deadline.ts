import type { Clock } from '@tenon/base';

/**
 * A clock whose `elapsed` and timers can be paused, for example while the user answers an input request. The time of day goes
 * on.
 */
export interface PausableClock extends Clock {
  /** Pauses the clock. Returns a function that resumes it. The clock runs again when every pause was resumed. */
  pause(): () => void;
}

export function createPausableClock(base: Clock): PausableClock {
  const paused = new Set<() => void>();
  let holders = 0;
  let pausedAt = 0;
  let pausedFor = 0;
  const elapsed = () => (holders > 0 ? pausedAt : base.elapsed()) - pausedFor;
  const release = () => {
    holders -= 1;
    if (holders > 0) return;
    pausedFor += base.elapsed() - pausedAt;
    const waiting = [...paused];
    paused.clear();
    for (const arm of waiting) arm();
  };
  return {
    now: () => base.now(),
    elapsed,
    after(ms, run, options) {
      const dueAt = elapsed() + ms;
      let cancelTimer: () => void = () => {};
      const arm = () => {
        if (holders > 0) paused.add(arm);
        else
          cancelTimer = base.after(Math.max(0, dueAt - elapsed()), () => (elapsed() >= dueAt ? run() : arm()), options);
      };
      arm();
      return () => {
        paused.delete(arm);
        cancelTimer();
      };
    },
    pause() {
      if (holders === 0) pausedAt = base.elapsed();
      holders += 1;
      let isHeld = true;
      return () => {
        if (isHeld) release();
        isHeld = false;
      };
    },
  };
}

/**
 * The maximum duration of one call over all its requests. Its clock is paused while the user answers an input request.
 */
export class CallDeadline {
  readonly #base: Clock;
  readonly #expiresAt: number;
  #clock: PausableClock | undefined;

  constructor(base: Clock, total: number = Number.POSITIVE_INFINITY) {
    this.#base = base;
    this.#expiresAt = total === Number.POSITIVE_INFINITY ? total : base.elapsed() + total;
  }

  /** Created on first use, because most calls have no input requests. */
  get clock(): PausableClock {
    this.#clock ??= createPausableClock(this.#base);
    return this.#clock;
  }

  /** Remaining time, in milliseconds. */
  get remaining(): number {
    if (this.#expiresAt === Number.POSITIVE_INFINITY) return this.#expiresAt;
    return Math.max(0, this.#expiresAt - (this.#clock ?? this.#base).elapsed());
  }
}
