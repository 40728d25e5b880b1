import { type Clock, redactSecrets, redactValue, runWithTimeout, TenonError } from '@tenon/base';
import { createTokenReport } from './catalog/budget/token-report.js';
import { connectUpstream, getServerState, readOfferedTools } from './connect-server.js';
import { createUnknownServerError } from './connections/connection-errors.js';
import { isOpenApi } from './connections/openapi-server.js';
import { declaresNothing } from './connections/undeclared-capabilities.js';
import type { UpstreamConnection } from './connections/upstream-connection.js';
import type { UpstreamPool } from './connections/upstream-pool.js';
import type { UpstreamServer } from './connections/upstream-server.js';
import type { ServerDescription, ServerError } from './host.js';
import type { HostServer } from './host-options.js';
import type { HostGuard } from './security/guard/host-guard.js';

type Servers = Readonly<Record<string, HostServer>>;

/** Parts of a host that the administration of its servers uses. */
export interface AdministrationContext {
  readonly pool: UpstreamPool;
  readonly guard: HostGuard;
  readonly clock: Clock;
  /** Returns the connection that the host itself uses. */
  readonly getOwnConnection: (upstream: UpstreamServer) => UpstreamConnection | undefined;
  /** Applies the servers again, after one was disabled or enabled. */
  readonly applyServers: () => void;
  /** Notifies callers that another process or connection serves a server. */
  readonly announceRestart: () => void;
}

/** Time for which a change waits for the tools of a server, in milliseconds. The lock may ask the user before. */
const TOOLS_TIMEOUT = 2000;
/** Maximum number of different errors of a server that are remembered, so that each is reported once. */
const MAX_REPORTED = 100;
/** State of a disabled server. */
const NO_STATE = { state: 'disabled', reason: undefined, protocolVersion: undefined, serverInfo: undefined } as const;

/** Describes, disables, enables, restarts and reconnects the servers of a host. */
export class ServerAdministration {
  readonly #context: AdministrationContext;
  /** Servers as they are configured. */
  #configured: Servers;
  readonly #disabled = new Set<string>();
  readonly #lastErrors = new Map<string, ServerError>();
  /** Reported errors of each server since it was last connected. */
  readonly #reported = new Map<string, Set<string>>();

  constructor(configured: Servers, context: AdministrationContext) {
    this.#configured = configured;
    this.#context = context;
  }

  /** Replaces the configured servers. */
  configure(servers: Servers): void {
    this.#configured = servers;
    for (const name of [...this.#disabled, ...this.#lastErrors.keys()])
      if (!Object.hasOwn(servers, name)) {
        this.#disabled.delete(name);
        this.#lastErrors.delete(name);
        this.#reported.delete(name);
      }
  }

  /** Configured servers, of which those that were disabled later are disabled, too. */
  get servers(): Servers {
    return Object.fromEntries(
      Object.entries(this.#configured).map(([name, server]) => [
        name,
        this.#disabled.has(name) ? { ...server, disabled: true } : server,
      ]),
    );
  }

  /**
   * Records an error of a server. Returns false if the same error was reported since the server was last connected, for
   * example by each list request to a server that is down.
   */
  recordError(server: string, { code, summary, rpcCode, data }: TenonError): boolean {
    const message = redactSecrets(summary);
    const time = this.#context.clock.now();
    this.#lastErrors.set(server, { code, message, time, rpcCode, data: redactValue(data) });
    const reported = this.#reported.get(server) ?? new Set();
    this.#reported.set(server, reported);
    const id = `${code} ${message}`;
    if (reported.has(id)) return false;
    if (reported.size < MAX_REPORTED) reported.add(id);
    return true;
  }

  /** Reports errors of a server again, because it is connected. */
  forgetReported(server: string): void {
    this.#reported.delete(server);
  }

  describeAll(): ServerDescription[] {
    return Object.keys(this.#configured).map(name => this.describe(name));
  }

  describe(name: string): ServerDescription {
    const { guard, pool } = this.#context;
    const upstream = pool.upstreams.get(name);
    const connections = upstream?.connections ?? [];
    const lists = connections.flatMap(({ lists }) => lists.getLast('tools') ?? []);
    const [tools] = lists.flatMap(list => [guard.getFilteredTools(list) ?? []]);
    return {
      ...(upstream ? getServerState(upstream) : { ...NO_STATE, name }),
      transport: getTransport(this.#configured[name]),
      tools: tools?.length,
      tokens: tools && createTokenReport([{ server: name, tools }]).total,
      connections: connections.filter(({ openClient }) => openClient?.state === 'connected').length,
      calls: connections.reduce((sum, { calls }) => sum + calls.size, 0),
      lastError: this.#lastErrors.get(name),
      declaresNothing: connections.some(declaresNothing),
    };
  }

  async disable(name: string): Promise<ServerDescription> {
    this.#requireConfigured(name);
    this.#disabled.add(name);
    this.#context.applyServers();
    await this.#context.pool.waitForDrain(name);
    return this.describe(name);
  }

  async enable(name: string): Promise<ServerDescription> {
    this.#requireConfigured(name);
    if (this.#disabled.delete(name)) this.#context.applyServers();
    return this.#connect(name);
  }

  async restart(name: string): Promise<ServerDescription> {
    this.#requireEnabled(name);
    this.#context.pool.restart(name);
    this.#context.announceRestart();
    return this.#connect(name);
  }

  async reconnect(name: string): Promise<ServerDescription> {
    for (const connection of this.#requireEnabled(name).connections) connection.endDelay();
    return this.#connect(name);
  }

  async #connect(name: string): Promise<ServerDescription> {
    const { getOwnConnection, guard, clock } = this.#context;
    const connection = getOwnConnection(this.#requireEnabled(name));
    // A server with values of its callers starts with the first caller.
    if (connection === undefined) return this.describe(name);
    await connectUpstream(connection, guard);
    if (connection.openClient?.state === 'connected')
      await runWithTimeout(() => readOfferedTools(connection, guard), {
        clock,
        timeout: TOOLS_TIMEOUT,
        onTimeout: () => {},
      });
    return this.describe(name);
  }

  #requireConfigured(name: string): void {
    if (!Object.hasOwn(this.#configured, name)) throw createUnknownServerError(name, Object.keys(this.#configured));
  }

  #requireEnabled(name: string): UpstreamServer {
    this.#requireConfigured(name);
    const upstream = this.#context.pool.upstreams.get(name);
    if (upstream) return upstream;
    const hint = this.#disabled.has(name)
      ? 'enable it first'
      : 'remove `disabled: true` from its settings, which `enableServer` does not change';
    throw new TenonError('host/disabled', `the server "${name}" is disabled`, { hint });
  }
}

function getTransport(server: HostServer | undefined): ServerDescription['transport'] {
  if (server === undefined || 'service' in server || isOpenApi(server)) return 'in-process';
  if ('command' in server) return 'stdio';
  return server.transport ?? 'http';
}
