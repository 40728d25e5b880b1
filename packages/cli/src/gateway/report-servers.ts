import { type Host, type ServerState, sanitizeName } from '@tenon/host';
import type { CliContext } from '../cli-context.js';
import type { EntryDecision } from '../host/approve-entries.js';
import { shortenReason } from '../host/host-reports.js';
import type { Configuration } from '../host/read-configuration.js';

/** State of a server that the gateway runs or skips. */
export interface ReportedServer extends Partial<Pick<ServerState, 'reason' | 'protocolVersion'>> {
  readonly name: string;
  /** A state of `ServerState`, or `skipped`: the server is not approved. */
  readonly state: ServerState['state'] | 'skipped';
}

/** Time after which a server that does not respond is reported, in milliseconds. */
const SLOW_TIME = 15_000;
const STATE_WIDTH = 'reconnecting'.length;

/** Prints the state of one server. */
export type ReportServer = (server: ReportedServer) => void;

/**
 * Creates a function that prints the state of a server: as one line of JSON, or as columns such as
 * `notes   connected   2026-07-28`.
 *
 * @param names Names of all servers, whose lines have columns of the same width.
 */
export function createServerReporter(
  { screen }: CliContext,
  names: readonly string[],
  { json, print = text => screen.print(text) }: { readonly json: boolean; readonly print?: (text: string) => void },
): ReportServer {
  const width = Math.max(0, ...names.map(name => sanitizeName(name).length));
  return ({ name, state, reason, protocolVersion }) => {
    const short = reason === undefined ? undefined : shortenReason(reason);
    if (json) return screen.printEvent({ event: 'server', name, state, reason: short, protocolVersion });
    const details = [protocolVersion, short].filter(each => each !== undefined).join(' ');
    print(`  ${sanitizeName(name).padEnd(width)}   ${state.padEnd(STATE_WIDTH)}   ${details}`.trimEnd());
  };
}

/**
 * Connects to servers, and reports the state of each as soon as it is known. A server that does not respond for a while
 * is reported twice: as connecting, and when it is connected or has failed.
 *
 * @param signal Ends the reports, when the gateway ends.
 */
export async function reportServers(
  host: Pick<Host, 'connectServer'>,
  names: readonly string[],
  report: ReportServer,
  signal?: AbortSignal,
): Promise<void> {
  await Promise.all(
    names.map(async name => {
      const reason = `no response after ${SLOW_TIME / 1000} s`;
      const timer = setTimeout(() => signal?.aborted || report({ name, state: 'connecting', reason }), SLOW_TIME);
      timer.unref();
      try {
        const state = await host.connectServer(name);
        if (!signal?.aborted) report(state);
      } catch {
        // A change of the configuration has removed the server meanwhile.
      } finally {
        clearTimeout(timer);
      }
    }),
  );
}

/** Returns the configured servers that do not run, with the reasons. */
export function listSkipped(
  { broken }: Pick<Configuration, 'broken'>,
  { failed, refused }: Pick<EntryDecision, 'failed' | 'refused'>,
): readonly ReportedServer[] {
  return [
    ...[...broken, ...failed].map(({ name, error }) => ({ name, state: 'failed' as const, reason: error.summary })),
    ...refused.map(({ name }) => ({ name, state: 'skipped' as const, reason: 'not approved' })),
  ];
}
