import { createHost, type Host, type HostServer } from '@tenon/host';
import type { HttpTarget, StdioTarget } from 'tenon';
import type { CliContext } from '../cli-context.js';
import { createHostListeners } from '../host/host-reports.js';
import { logError } from '../serving/log-error.js';
import { type HttpListener, type ListenOptions, listen } from './listen.js';

export interface ServeTargetOptions
  extends Pick<ListenOptions, 'port' | 'host' | 'allowedHosts' | 'createAuth' | 'basePath' | 'cors' | 'health'> {
  /** Maximum number of processes and sessions. */
  readonly max: number;
  /** Time after which an unused process or session is closed, in milliseconds. */
  readonly idle: number;
}

/** Creates the host of one server. Names of the server have no prefix. */
export async function createSingleHost(
  { screen }: CliContext,
  name: string,
  server: HostServer,
  more: Parameters<typeof createHost>[0] = {},
): Promise<Host> {
  return createHost({
    name: 'tenon-bridge',
    prefix: 'never',
    servers: { [name]: server },
    ...createHostListeners(screen),
    ...more,
  });
}

/** Creates the host of a server that is served over HTTP, with one connection per session. */
export function createServedHost(
  context: CliContext,
  name: string,
  target: HttpTarget | StdioTarget,
  { max, idle }: Pick<ServeTargetOptions, 'max' | 'idle'>,
  listeners: Partial<ReturnType<typeof createHostListeners>> = {},
): Promise<Host> {
  return createSingleHost(
    context,
    name,
    { ...target, share: false },
    { maxConnectionsPerServer: max, maxProcesses: max, connectionIdleTimeout: idle, ...listeners },
  );
}

/** Serves a host over HTTP. */
export async function listenForTarget(
  { screen }: CliContext,
  host: Host,
  { max, idle, ...options }: ServeTargetOptions,
): Promise<HttpListener> {
  return listen(host, {
    ...options,
    limits: { maxSessions: max, sessionIdleTimeout: idle },
    onError: error => logError(screen, error),
  });
}
