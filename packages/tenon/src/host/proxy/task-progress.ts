import type { Progress } from '../../client/options.js';
import type { TaskState } from '../../protocol/tasks.js';
import type { Context } from '../../server/context/context.js';

/** Reports the progress of a call, which may have become a task, to its caller. */
export interface TaskProgress {
  report(progress: Progress): void;
  /** Reports the status message, for servers that send no progress of a task. */
  reportStatus(state: TaskState): void;
}

/** Added to the last value for a status message: progress has to grow, and a status has no value of its own. */
const STATUS_STEP = 1e-6;

/** A server that reports progress repeats it in the status of its task, so the status is ignored from then on. */
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
