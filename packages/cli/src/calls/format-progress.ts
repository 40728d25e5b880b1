import type { Progress } from 'tenon';

const BAR_WIDTH = 20;

/** Formats a progress report as one line, with a bar if the total is known: `█████░░░░░  50 %  step 2`. */
export function formatProgress({ progress, total, message = '' }: Progress): string {
  if (total === undefined || total <= 0) return `${progress}  ${message}`.trimEnd();
  const share = Math.min(1, Math.max(0, progress / total));
  const filled = Math.round(share * BAR_WIDTH);
  const bar = '█'.repeat(filled) + '░'.repeat(BAR_WIDTH - filled);
  return `${bar}  ${Math.round(share * 100)} %  ${message}`.trimEnd();
}
