import { type ServerState, sanitizeName } from '@tenon/host';
import type { CliContext } from '../cli-context.js';
import { shortenReason } from '../host/host-reports.js';

/** States that tell if a server can take calls. The others are on the way between them, or without a caller. */
const REPORTED: ReadonlySet<ServerState['state']> = new Set(['connected', 'waiting', 'failed']);

/**
 * Creates a listener that reports each change of a server that can take calls to one that cannot, and back. The first
 * state of a server is in the report of the start.
 */
export function createStateListener(
  { screen }: Pick<CliContext, 'screen'>,
  { json }: { readonly json: boolean },
): (server: ServerState) => void {
  const last = new Map<string, ServerState['state']>();
  return ({ name, state, reason, protocolVersion }) => {
    if (!REPORTED.has(state)) return;
    const before = last.get(name);
    // Each attempt of a server that failed may wait for a sign-in until it fails again.
    if (state === 'waiting' && before === 'failed') return;
    last.set(name, state);
    if (before === undefined || before === state) return;
    const level = state === 'failed' ? 'warning' : 'info';
    const short = reason === undefined ? undefined : shortenReason(reason);
    if (json) screen.printEvent({ event: 'server', name, state, reason: short, protocolVersion }, level);
    else screen.note(`server ${sanitizeName(name)}: ${state}${short === undefined ? '' : `: ${short}`}`, level);
  };
}
