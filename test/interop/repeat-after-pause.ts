import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';

/**
 * A client that stands still for as long as the server's gap reads the progress and the result at once, whatever the
 * server sends. Such a call tells nothing. In milliseconds.
 */
const LONGEST_PAUSE = 25;
const MAX_ATTEMPTS = 20;
/** Interval of the measurements of pauses, in milliseconds. */
const RESOLUTION = 5;

/**
 * Makes a call with a client in this process until all progress is received before the result, or until a call without
 * a pause of this process shows that it is lost. Returns the result of the last call.
 *
 * @param call Makes the call, and returns its result.
 * @param isComplete Tells if all progress of the last call was received.
 */
export async function repeatAfterPause<T>(call: () => Promise<T>, isComplete: () => boolean): Promise<T> {
  const pauses = monitorEventLoopDelay({ resolution: RESOLUTION });
  pauses.enable();
  try {
    for (let attempt = 1; ; attempt++) {
      pauses.reset();
      // After a reset, the first interval is not measured.
      await setTimeout(2 * RESOLUTION);
      const result = await call();
      // A pause in the turn that read the result is measured after it.
      if (!isComplete()) await setTimeout(2 * RESOLUTION);
      if (isComplete() || pauses.max / 1e6 <= LONGEST_PAUSE || attempt === MAX_ATTEMPTS) return result;
    }
  } finally {
    pauses.disable();
  }
}
