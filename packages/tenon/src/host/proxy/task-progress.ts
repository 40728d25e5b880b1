import type { Progress } from '../../client/options.js';
import type { TaskState } from '../../protocol/tasks.js';
import type { Context } from '../../server/context/context.js';

/** Progress of a call, which may have become a task, as its caller hears of it. */
export interface TaskProgress {
  report(progress: Progress): void;
  /** Reports the message of a status, for servers that tell no progress of a task. */
  reportStatus(state: TaskState): void;
}

/** Added to the last value for a status message: progress has to grow, and a status has no value of its own. */
const STATUS_STEP = 1e-6;

/** A server that reports progress says the same in the status of its task: the status is left out from then on. */
export function createTaskProgress(context: Pick<Context, 'progress'>): TaskProgress {
  let hasProgress = false;
  let statuses = 0;
  let last: string | undefined;
  return {
    report({ progress, total, message }) {
      hasProgress = true;
      // The statuses before the first report have used up a little.
      const least = statuses === 0 ? progress : (statuses + 1) * STATUS_STEP;
      context.progress(Math.max(progress, least), total, message);
    },
    reportStatus({ statusMessage }) {
      if (hasProgress || statusMessage === undefined || statusMessage === last) return;
      last = statusMessage;
      statuses += 1;
      context.progress(statuses * STATUS_STEP, undefined, statusMessage);
    },
  };
}
