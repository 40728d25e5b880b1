import type { ConfiguredServerState } from '@tenon/console/api';
import type { ServerDescription } from '@tenon/host';
import { shortenReason } from '../host/host-reports.js';
import type { ServedEndpoint } from '../http/listen.js';
import { formatColumns } from '../screen.js';
import type { ReportedServer } from './report-servers.js';

/** Running gateway, as `tenon gateway status --json` prints it. */
export interface GatewayStatus {
  readonly pid: number;
  /** Version of the command. */
  readonly version: string;
  /** Time of the start in ISO 8601. */
  readonly startedAt: string;
  /** Configuration files. */
  readonly files: readonly string[];
  /** Endpoints. Empty for a gateway on stdio alone. */
  readonly endpoints: readonly ServedEndpoint[];
  readonly stdio: boolean;
  readonly servers: readonly ConfiguredServerState[];
}

/** Lists all configured servers: those of the host, those that do not run, and those that the files disable. */
export function listServerStates(
  described: readonly ServerDescription[],
  skipped: readonly ReportedServer[] = [],
  disabled: readonly string[] = [],
): ConfiguredServerState[] {
  const states = [
    ...described.map(toServerState),
    ...skipped.map(({ name, state, reason }) => ({ name, state, reason })),
  ];
  const known = new Set(states.map(({ name }) => name));
  const others = disabled.filter(name => !known.has(name));
  return [...states, ...others.map(name => ({ name, state: 'disabled', reason: 'disabled in the configuration' }))];
}

export function toServerState({ serverInfo, lastError, reason, ...state }: ServerDescription): ConfiguredServerState {
  return {
    ...state,
    reason: reason === undefined ? undefined : shortenReason(reason),
    serverName: serverInfo?.name,
    serverVersion: serverInfo?.version,
    lastError: lastError && {
      code: lastError.code,
      message: shortenReason(lastError.message),
      time: new Date(lastError.time).toISOString(),
      rpcCode: lastError.rpcCode,
      data: lastError.data,
    },
  };
}

/** Beginning of the advice for a server that declares no tools, prompts or resources. */
export const UNDECLARED = 'declares neither tools, prompts nor resources: if it has tools';

/** Formats servers as columns, each with its reason or last error below. */
export function formatServerStates(
  servers: readonly ConfiguredServerState[],
  sanitize: (text: string) => string,
): string {
  const rows = servers.map(({ name, state, protocolVersion, transport, serverName, serverVersion, tools, tokens }) =>
    [
      name,
      state,
      transport ?? '-',
      protocolVersion ?? '-',
      tools === undefined ? '-' : `${tools} ${tools === 1 ? 'tool' : 'tools'}`,
      tokens === undefined ? '-' : `${tokens} tokens`,
      [serverName, serverVersion].filter(Boolean).join(' '),
    ].map(sanitize),
  );
  const lines = formatColumns(rows).split('\n');
  return servers
    .flatMap(({ reason, declaresNothing = false, lastError }, index) => {
      const line = lines[index] ?? '';
      if (reason !== undefined) return [line, `    ${sanitize(reason)}`];
      if (declaresNothing) return [line, `    ${UNDECLARED}, set "assumeCapabilities": ["tools"] in its entry`];
      if (lastError === undefined) return [line];
      return [line, `    last error, ${lastError.time}: ${sanitize(`${lastError.code}: ${lastError.message}`)}`];
    })
    .join('\n');
}
