import type { TenonError } from 'tenon';
import {
  type Drift,
  describeDrift,
  type Host,
  type HostGuardOptions,
  type HostOptions,
  type ScreeningReport,
  type ServerState,
  sanitizeName,
  sanitizeText,
} from 'tenon/host';
import { describeError } from '../error-hints.js';
import { formatColumns, type Screen } from '../screen.js';

/** Maximum length of a reason, in characters. */
const MAX_REASON = 300;
/** Maximum number of findings that are reported. Each one is reported once. */
const MAX_REPORTED = 2000;

/**
 * Creates the listeners that report events of a host to the user.
 *
 * @param isBlocking False if changes against the lock file are reported, but not blocked.
 */
export function createHostListeners(
  screen: Screen,
  isBlocking = true,
): Pick<HostOptions, 'onError'> & Pick<HostGuardOptions, 'onDrift' | 'onScreeningReport'> {
  const reported = new Set<string>();
  const reportOnce = (text: string) => {
    if (reported.has(text) || reported.size >= MAX_REPORTED) return;
    reported.add(text);
    screen.note(text, 'warning');
  };
  return {
    onError: (error: TenonError) =>
      screen.note(`${error.code}: ${sanitizeText(describeError(error), { lines: true })}`, 'error'),
    onDrift: (_, drifts) =>
      reportOnce(
        `\nChanges against the lock file:\n\n${describeDrift(drifts)}\n${isBlocking ? formatBlocked(drifts) : ''}`,
      ),
    onScreeningReport: ({ server, kind, name, findings }: ScreeningReport) => {
      const kinds = [...new Set(findings.map(each => each.kind))].join(', ');
      reportOnce(
        `${sanitizeName(server)}: the ${kind} ${sanitizeName(name)} has ${kinds}: ${sanitizeText(findings[0]?.excerpt ?? '', { max: 120 })}`,
      );
    },
  };
}

/** Tells what is blocked because of changes, and how the user approves them. */
function formatBlocked(drifts: readonly Drift[]): string {
  const grave = drifts.filter(({ severity }) => severity === 'approve');
  const names = new Set(grave.map(({ of, server, name }) => (of === 'server' ? server : `${of} ${name} of ${server}`)));
  if (names.size === 0) return '';
  const list = sanitizeText([...names].join(', '), { max: MAX_REASON });
  return `\nBlocked until it is approved: ${list}. Run \`tenon lock\` to review and approve.\n`;
}

/**
 * Connects to each server and reports its state. A server that does not respond in time is reported in its current
 * state.
 */
export async function probeServers(host: Host): Promise<ServerState[]> {
  try {
    for await (const _ of host.client.listTools()) break;
  } catch {
    // The state of each server contains the problem.
  }
  return host.getServers();
}

/** Shortens a reason to one line. The reason of a crashed server contains its last lines of output. */
export const shortenReason = (reason: string): string => sanitizeText(reason, { max: MAX_REASON });

/** Formats states as columns: `notes   connected   2026-07-28`. */
export function formatStates(states: readonly ServerState[]): string {
  return formatColumns(
    states.map(({ name, state, protocolVersion, reason }) => {
      const details = [protocolVersion, reason === undefined ? undefined : shortenReason(reason)].filter(
        each => each !== undefined,
      );
      return [sanitizeName(name), state, details.join(' ')];
    }),
  );
}
