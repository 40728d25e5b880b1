import type { Context, Progress, TaskState } from 'tenon';

/** Reports the progress of a call, which may have become a task, to its caller. */
export interface TaskProgress {
  report(progress: Progress): void;
  /** Reports the status message of the task, for servers that send no progress notifications. */
  reportStatus(state: TaskState): void;
}

/** Increment of the progress value for each status message. Progress must grow, and a status has no value. */
const STATUS_STEP = 1e-6;

/**
 * Creates the progress reporter of a call. It ignores the status after the first progress notification, because servers
 * then repeat the progress there.
 */
export function createTaskProgress(context: Pick<Context, 'progress'>): TaskProgress {
  let hasProgress = false;
  let statuses = 0;
  let last: string | undefined;
  return {
    report({ progress, total, message }) {
      hasProgress = true;
      // Earlier status messages have already increased the value.
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
