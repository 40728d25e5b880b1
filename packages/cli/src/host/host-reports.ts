import {
  type Drift,
  describeDrift,
  type HostGuardOptions,
  type HostOptions,
  type ScreeningReport,
  sanitizeText,
} from '@tenon/host';
import type { TenonError } from 'tenon';
import type { Screen } from '../screen.js';
import { logError } from '../serving/log-error.js';
import { describeScreening, type ScreeningMode } from './screening-text.js';

/** Maximum length of a reason, in characters. */
const MAX_REASON = 300;
/** Maximum number of findings that are reported. Each one is reported once. */
const MAX_REPORTED = 2000;

/**
 * Creates the listeners that report events of a host to the user.
 *
 * @param isBlocking False if changes against the lock file are reported, but not blocked.
 * @param screening Handling of texts that look like instructions to a model. Absent without the option `--screening`.
 */
export function createHostListeners(
  screen: Screen,
  isBlocking = true,
  screening?: ScreeningMode,
): Pick<HostOptions, 'onError'> & Pick<HostGuardOptions, 'onDrift' | 'onScreeningReport'> {
  const reported = new Set<string>();
  const reportOnce = (text: string) => {
    if (reported.has(text) || reported.size >= MAX_REPORTED) return;
    reported.add(text);
    screen.note(text, 'warning');
  };
  return {
    onError: (error: TenonError) => logError(screen, error),
    onDrift: (_, drifts) =>
      reportOnce(
        `\nChanges against the lock file:\n\n${describeDrift(drifts)}\n${isBlocking ? formatBlocked(drifts) : ''}`,
      ),
    onScreeningReport: (report: ScreeningReport) => reportOnce(describeScreening(report, screening)),
  };
}

/** Tells if a change needs approval. */
export const isApprovalNeeded = ({ severity }: Drift): boolean => severity === 'approve';

/** Tells what is blocked because of changes, and how the user approves them. */
function formatBlocked(drifts: readonly Drift[]): string {
  const names = new Set(
    drifts
      .filter(isApprovalNeeded)
      .map(({ of, server, name }) => (of === 'server' ? server : `${of} ${name} of ${server}`)),
  );
  if (names.size === 0) return '';
  const list = sanitizeText([...names].join(', '), { max: MAX_REASON });
  return `\nBlocked until it is approved: ${list}. Run \`tenon lock\` to review and approve.\n`;
}

/** Shortens a reason to one line. The reason of a crashed server contains its last lines of output. */
export const shortenReason = (reason: string): string => sanitizeText(reason, { max: MAX_REASON });
