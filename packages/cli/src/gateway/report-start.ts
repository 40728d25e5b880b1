import type { Host } from '@tenon/host';
import type { CliContext } from '../cli-context.js';
import type { Configuration } from '../host/read-configuration.js';
import type { ServedEndpoint } from '../http/listen.js';
import { formatNextCommands } from '../http/next-commands.js';
import { formatColumns } from '../screen.js';
import { createServerReporter, type ReportedServer, reportServers } from './report-servers.js';

/** Values of the report at the start. */
export interface StartReport {
  readonly configuration: Configuration;
  readonly skipped: readonly ReportedServer[];
  readonly places: readonly ServedEndpoint[];
  /** Ends the report. */
  readonly signal: AbortSignal;
}

/** Prints the addresses at once, and then the state of each server as soon as it is known. */
export function reportStart(
  context: CliContext,
  host: Host,
  { configuration, skipped, places, signal }: StartReport,
  json: boolean,
): void {
  const { screen } = context;
  const names = host.getServers().map(({ name }) => name);
  const reportServer = createServerReporter(context, [...names, ...skipped.map(({ name }) => name)], { json });
  if (json) for (const place of places) screen.printEvent({ event: 'listening', ...place });
  else {
    const rows = places.flatMap(({ url, sseUrl, servers }) => [
      [url, servers ? servers.join(', ') : 'all servers'],
      ...(sseUrl === undefined ? [] : [[sseUrl, 'the same by HTTP+SSE']]),
    ]);
    const title = `Gateway to the servers of ${configuration.files.join(', ')}`;
    const next = places[0] === undefined ? '' : `\n\n${formatNextCommands(context, places[0].url)}`;
    screen.print(`\n${title}\n\n${formatColumns(rows)}${next}\n\nCtrl-C ends it.\n`);
  }
  for (const server of skipped) reportServer(server);
  void reportServers(host, names, reportServer, signal);
}
