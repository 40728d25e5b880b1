import {
  applyDefaults,
  type Clock,
  checkString,
  createErrorReporter,
  type JsonObject,
  keepIntegers,
  logErrorMessage,
  requireArgument,
  requireKnownOptions,
  type Stores,
  systemClock,
  TenonError,
} from '@tenon/base';
import {
  type CallOptions,
  type CallToolResult,
  type Client,
  memoryStores,
  type Server,
  type ServerDefinition,
  tasks,
} from 'tenon';
import type { CallerSignInChange } from 'tenon/auth';
import {
  connectTo,
  createInProcessEndpoint,
  DEFAULT_INPUT_REQUEST_OPTIONS,
  getNewestDialect,
  type Prompts,
  prepareStores,
  type Resources,
  type Tools,
  toScope,
} from 'tenon/host-internals';
import { createProxyServer } from 'tenon/proxy';
import type { ToolBudget } from './catalog/budget/collapse-tools.js';
import { parseEntrySelection } from './catalog/entry-selection.js';
import { createNameMapper } from './catalog/names/name-mapper.js';
import { withToolNames } from './catalog/names/tool-names.js';
import type { ServerInventory } from './catalog/server-inventory.js';
import { type CodeMode, createCodeMode } from './code-mode/run-tool.js';
import { connectUpstream, getServerState } from './connect-server.js';
import { CallerLimit } from './connections/caller-limit.js';
import { createUnknownServerError } from './connections/connection-errors.js';
import { type ConnectionScope, createConnectionScope } from './connections/connection-scope.js';
import { createConnector, type HostTransports } from './connections/connector.js';
import { getDefaultStartTimeout } from './connections/default-start-timeout.js';
import type { ListKind } from './connections/list-cache.js';
import { isOpenApi } from './connections/openapi-server.js';
import { ProcessLimit } from './connections/process-limit.js';
import { SharedSessions } from './connections/shared-sessions.js';
import type { UpstreamConnection } from './connections/upstream-connection.js';
import { type ServerChanges, UpstreamPool } from './connections/upstream-pool.js';
import { type UnavailableServer, UpstreamRegistry } from './connections/upstream-registry.js';
import { UpstreamServer } from './connections/upstream-server.js';
import type { Host, HostUpdate, Inventories, ServerDescription, ServerSelection, ServerState } from './host.js';
import { DEFAULT_HOST_OPTIONS, type HostOptions } from './host-options.js';
import { choosePrefix, toEntries } from './host-setup.js';
import { collectMeasurement, createForwardingTelemetry, pauseIncoming } from './host-telemetry.js';
import { requireServers } from './option-checks.js';
import { createOwnCaller, createOwnIdentity } from './own-client.js';
import { GatewayContext } from './proxy/gateway-context.js';
import { createProxyBackend } from './proxy/proxy-backend.js';
import type { Approvals } from './security/approvals/types.js';
import { type AuditAnchors, createAuditAnchors } from './security/audit/audit-anchors.js';
import { createGuard } from './security/guard/create-guard.js';
import type { HostGuard } from './security/guard/host-guard.js';
import { readInventory } from './security/guard/read-inventory.js';
import { ServerAdministration } from './server-administration.js';

/**
 * Time for which a call waits for input, in milliseconds. It is long, because a call cannot be repeated after sending.
 */
const SUSPEND_TIMEOUT = 30 * 60_000;
const MAX_SUSPENDED = 10_000;

export class RunningHost implements Host {
  #client: Client | undefined;
  readonly #options: HostOptions;
  readonly #prefix: 'always' | 'never';
  readonly #guard: HostGuard;
  readonly #clock: Clock;
  readonly #stores: Stores;
  readonly #processes: ProcessLimit;
  readonly #callerLimit: CallerLimit;
  /** Sessions at servers, if other processes may continue them. */
  readonly #sharedSessions: SharedSessions | undefined;
  readonly #codeMode: CodeMode | undefined;
  readonly #pool: UpstreamPool;
  readonly #administration: ServerAdministration;
  readonly #gateways = new Map<GatewayContext, ServerSelection>();
  readonly #createdServers = new Map<string, Server>();
  readonly #reportedStates = new Map<string, ServerState['state']>();
  readonly #closing: (() => Promise<void>)[] = [];
  #closed: Promise<void> | undefined;

  private constructor(options: HostOptions, transports: HostTransports) {
    const { clock = systemClock } = options;
    requireServers(options.servers);
    this.#options = options;
    this.#clock = clock;
    const reportError = createErrorReporter(options.onError ?? logErrorMessage);
    keepIntegers();
    this.#stores = prepareStores(options.stores ?? memoryStores({ clock }), options.inputRequests?.keys, reportError);
    this.#sharedSessions = this.#stores.durable ? this.#createSharedSessions(reportError) : undefined;
    this.#closing.push(async () => this.#sharedSessions?.close());
    this.#codeMode = createCodeMode(options.codeMode, {
      engine: transports.engine,
      stores: this.#stores,
      clock,
      host: options.name ?? DEFAULT_HOST_OPTIONS.name,
    });
    this.#prefix = choosePrefix(options);
    this.#processes = new ProcessLimit(options.maxProcesses ?? DEFAULT_HOST_OPTIONS.maxProcesses, clock);
    const { maxConnectionsPerCaller = DEFAULT_HOST_OPTIONS.maxConnectionsPerCaller } = options;
    this.#callerLimit = new CallerLimit(maxConnectionsPerCaller);
    this.#guard = createGuard(options, {
      entries: toEntries(options.servers),
      hasPrefix: this.#prefix === 'always',
      stores: this.#stores,
      clock,
      reportError,
      telemetry: options.telemetry,
      screenAside: transports.screenAside,
    });
    const anchors = this.#startAnchors(reportError);
    this.#closing.push(async () => anchors?.close());
    const stop = options.callerSignIn?.onChange(change => this.#changeCredentials(change));
    this.#closing.push(async () => {
      stop?.();
      options.callerSignIn?.close();
    });
    this.#pool = new UpstreamPool((name, server) => this.#createUpstream(name, server, transports), clock);
    this.#administration = new ServerAdministration(options.servers, {
      pool: this.#pool,
      guard: this.#guard,
      clock,
      getOwnConnection: upstream => {
        const scope = this.#createOwnScope();
        return upstream.canConnect(scope) ? upstream.getConnection(scope) : undefined;
      },
      applyServers: () => this.#applyServers(),
      announceRestart: () => this.#refreshGateways(),
    });
    this.#pool.update(options.servers);
    const stopObserving = options.telemetry?.observeUnknownFormats(() => this.#stores.getUnknownFormats?.() ?? []);
    const stopMeasuring = options.telemetry?.observeHost(() =>
      collectMeasurement(this.#pool.upstreams.values(), this.#guard.approvals, this.#processes),
    );
    this.#closing.push(async () => stopMeasuring?.());
    this.#closing.push(async () => stopObserving?.());
  }

  #createSharedSessions(onError: (error: TenonError) => void): SharedSessions {
    const { name: scope, connectionIdleTimeout: ttl } = applyDefaults(DEFAULT_HOST_OPTIONS, this.#options);
    return new SharedSessions({ stores: this.#stores, scope: toScope(scope), clock: this.#clock, ttl, onError });
  }

  /** Starts the anchors of the audit log in stores that outlive this process. */
  #startAnchors(onError: (error: TenonError) => void): AuditAnchors | undefined {
    const { audit, auditAnchorInterval: interval = DEFAULT_HOST_OPTIONS.auditAnchorInterval } = this.#options;
    if (audit === undefined || !this.#stores.durable) return undefined;
    return createAuditAnchors({ audit, values: this.#stores.values, clock: this.#clock, interval, onError });
  }

  static async create(options: HostOptions, transports: HostTransports): Promise<RunningHost> {
    const host = new RunningHost(options, transports);
    host.#client = await connectTo(createInProcessEndpoint(host.toServer()), {
      ...createOwnIdentity(options, error => host.#guard.reportError(error)),
      clock: host.#clock,
      idleTimeout: Number.POSITIVE_INFINITY,
    });
    return host;
  }

  get client(): Client {
    return this.#client as Client;
  }

  get approvals(): Approvals {
    return this.#guard.approvals;
  }

  callTool(name: string, input?: JsonObject, options?: CallOptions): Promise<CallToolResult> {
    return this.client.callTool(name, input, options);
  }

  getServers(): ServerState[] {
    return [...this.#pool.upstreams.values()].map(getServerState);
  }

  async connectServer(name: string): Promise<ServerState> {
    const upstream = this.#pool.upstreams.get(name);
    if (upstream === undefined) throw createUnknownServerError(name, [...this.#pool.upstreams.keys()]);
    if (!upstream.canConnect(this.#createOwnScope())) return getServerState(upstream);
    const connection = upstream.getConnection(this.#createOwnScope());
    await connectUpstream(connection, this.#guard);
    if (connection.openClient) for (const gateway of this.#gateways.keys()) void gateway.checkSelection(connection);
    return getServerState(upstream);
  }

  #createOwnScope(): ConnectionScope {
    const caller = createOwnCaller(this.#options);
    const names = [...this.#pool.upstreams.values()].flatMap(({ valueNames }) => valueNames);
    const dialect = getNewestDialect('per-request');
    return createConnectionScope({ caller, dialect, session: undefined }, true, [...new Set(names)].sort());
  }

  async inventory(): Promise<Inventories> {
    const scope = this.#createOwnScope();
    const all = [...this.#pool.upstreams.values()].map(async upstream => {
      try {
        const { inventory } = await readInventory(upstream.getConnection(scope));
        return inventory;
      } catch (error) {
        const { summary: reason, code } = TenonError.from(error);
        return { server: upstream.name, reason, code };
      }
    });
    const found = await Promise.all(all);
    return {
      inventories: found.filter((each): each is ServerInventory => 'tools' in each),
      unavailable: found.filter((each): each is UnavailableServer => 'reason' in each),
    };
  }

  reload(): void {
    this.#guard.reload();
    for (const gateway of this.#gateways.keys()) gateway.reload();
  }

  update(update: HostUpdate): ServerChanges {
    requireKnownOptions('update', update, { servers: true, policy: true });
    const { servers, policy } = update;
    if (servers) requireServers(servers);
    this.#guard.update({ policy });
    if (servers === undefined) {
      this.#refreshGateways();
      return { added: [], removed: [], changed: [] };
    }
    this.#administration.configure(servers);
    return this.#applyServers();
  }

  #applyServers(): ServerChanges {
    const { servers } = this.#administration;
    this.#guard.update({ entries: toEntries(servers) });
    const changes = this.#pool.update(servers);
    this.#refreshGateways();
    return changes;
  }

  #refreshGateways(): void {
    for (const [gateway, selection] of this.#gateways) {
      gateway.registry.update(this.#selectUpstreams(selection), this.#pool.disabled);
      gateway.reload();
    }
  }

  describeServers(): ServerDescription[] {
    return this.#administration.describeAll();
  }

  getToolName(server: string, tool: string): string | undefined {
    requireArgument('`tool` of getToolName', tool, checkString);
    if (!this.#pool.upstreams.has(server) && !this.#pool.disabled.includes(server)) return undefined;
    const mapper = createNameMapper({ servers: [server], prefix: this.#prefix });
    return withToolNames(mapper, this.#guard.getToolNames).toPublic(server, tool);
  }

  disableServer(name: string): Promise<ServerDescription> {
    return this.#administration.disable(name);
  }

  enableServer(name: string): Promise<ServerDescription> {
    return this.#administration.enable(name);
  }

  restartServer(name: string): Promise<ServerDescription> {
    return this.#administration.restart(name);
  }

  reconnectServer(name: string): Promise<ServerDescription> {
    return this.#administration.reconnect(name);
  }

  #selectUpstreams({ servers }: ServerSelection): Map<string, UpstreamServer> {
    const selection = parseEntrySelection(servers);
    return new Map([...this.#pool.upstreams].filter(([each]) => selection?.hasServer(each) ?? true));
  }

  toServer(selection: ServerSelection = {}): Server {
    requireKnownOptions('toServer', selection, { name: true, version: true, servers: true, budget: true });
    const key = JSON.stringify(selection);
    const server = this.#createdServers.get(key) ?? this.#createServer(selection);
    this.#createdServers.set(key, server);
    return server;
  }

  /** Registers a function that runs when the host closes. */
  onClose(close: () => Promise<void>): void {
    this.#closing.push(close);
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    await this.#client?.close();
    for (const server of this.#createdServers.values()) server.close();
    await this.#pool.close();
    if (this.#options.stores === undefined) await this.#stores.close();
    for (const close of this.#closing) await close();
  }

  #createUpstream(name: string, server: HostOptions['servers'][string], transports: HostTransports): UpstreamServer {
    const { connectionIdleTimeout, maxConnectionsPerServer, maxShare, ...identity } = applyDefaults(
      DEFAULT_HOST_OPTIONS,
      this.#options,
    );
    return new UpstreamServer({
      name,
      ...createConnector(name, server, transports, this.#guard, this.#options),
      createInputRequestHandler: connection => this.#guard.createInputRequestHandler(connection),
      hasBroker: this.#options.broker !== undefined,
      hostRoots: this.#options.roots,
      retryTimeout: this.#options.inputRequests?.ttl ?? DEFAULT_INPUT_REQUEST_OPTIONS.ttl,
      startTimeout: server.startTimeout ?? this.#options.startTimeout ?? getDefaultStartTimeout(server),
      connectionIdleTimeout,
      maxConnectionsPerServer,
      maxShare,
      processes: 'command' in server ? this.#processes : undefined,
      callerLimit: this.#callerLimit,
      identity: { name: identity.name, version: identity.version },
      telemetry: this.#options.telemetry && createForwardingTelemetry(this.#options.telemetry, name),
      clock: this.#clock,
      onError: error => {
        if (this.#administration.recordError(name, error)) this.#guard.reportError(error);
      },
      onConnection: connection => this.#observeConnection(connection),
      onStateChange: () => this.#reportState(name),
      isRemote: 'url' in server && !isOpenApi(server),
      openSharedSession:
        'url' in server && !isOpenApi(server)
          ? scope => this.#sharedSessions?.open(name, String(server.url), scope)
          : undefined,
    });
  }

  /** Calls the listener of the application, if the state of a server is another one. */
  #reportState(name: string): void {
    const { onServerState } = this.#options;
    const upstream = this.#pool.upstreams.get(name);
    if (upstream === undefined) return;
    const state = getServerState(upstream);
    if (this.#reportedStates.get(name) === state.state) return;
    this.#reportedStates.set(name, state.state);
    if (state.state === 'connected') this.#administration.forgetReported(name);
    try {
      onServerState?.(state);
    } catch (error) {
      this.#guard.reportError(TenonError.from(error, 'listener/threw'));
    }
  }

  #observeConnection(connection: UpstreamConnection): void {
    for (const gateway of this.#gateways.keys())
      if (gateway.registry.upstreams.has(connection.server)) gateway.observeConnection(connection);
    connection.onElicitationComplete(
      id => void [...this.#createdServers.values()].some(server => server.completeElicitation(id)),
    );
  }

  #changeCredentials(change: CallerSignInChange): void {
    const { server, caller, elicitationId } = change;
    this.#guard.recordSignIn(change);
    for (const gateway of this.#gateways.keys()) gateway.changeCredentials(server, caller);
    if (elicitationId !== undefined)
      for (const served of this.#createdServers.values()) served.completeElicitation(elicitationId);
  }

  #createServer(selection: ServerSelection): Server {
    const { listTimeout, pageSize, ...own } = applyDefaults(DEFAULT_HOST_OPTIONS, this.#options);
    const { name = own.name, version = own.version } = selection;
    const chosen = this.#selectUpstreams(selection);
    const entries = parseEntrySelection(selection.servers);
    const { upstreams, disabled } = this.#pool;
    for (const server of entries?.servers ?? [])
      if (!upstreams.has(server) && !disabled.includes(server))
        this.#guard.reportError(createUnknownServerError(server, [...upstreams.keys()]));
    const { rateLimits, callerSignIn, waitForTasks, listDenied, extensions, strict } = this.#options;
    const onLateList = (scope: ConnectionScope, kind: ListKind) =>
      gateway.listChanges.notify(scope, kind === 'templates' ? 'resources' : kind);
    const registry = new UpstreamRegistry(chosen, this.#clock, listTimeout, onLateList, disabled);
    const gateway = new GatewayContext(registry, this.#guard, {
      prefix: this.#prefix,
      pageSize,
      budget: selectBudget(this.#options.budget, selection.budget),
      codeMode: this.#codeMode,
      callerSignIn,
      waitForTasks,
      listDenied,
      extensions,
      telemetry: this.#options.telemetry,
      selection: entries,
    });
    this.#gateways.set(gateway, selection);
    for (const connection of registry.connections) gateway.observeConnection(connection);
    const definition: ServerDefinition<Tools, Prompts, Resources> = {
      name,
      version,
      strict,
      stores: this.#stores,
      clock: this.#clock,
      inputRequests: applyDefaults(
        { suspendTimeout: SUSPEND_TIMEOUT, maxSuspended: MAX_SUSPENDED },
        this.#options.inputRequests ?? {},
      ),
      extensions: [tasks(applyDefaults({ suspendTimeout: SUSPEND_TIMEOUT }, this.#options.tasks ?? {}))],
      rateLimits: rateLimits === false ? false : applyDefaults({ notifications: false } as const, rateLimits ?? {}),
      telemetry:
        this.#options.telemetry &&
        pauseIncoming(createForwardingTelemetry(this.#options.telemetry), () => this.#client === undefined),
      onError: error => this.#guard.reportError(error),
    };
    return createProxyServer(definition, createProxyBackend(gateway));
  }
}

/** Returns the budget of a selection of servers, with the other options of the host. */
function selectBudget(all: ToolBudget | undefined, budget: number | undefined): ToolBudget | undefined {
  if (budget === undefined) return all;
  return typeof all === 'object' ? { ...all, budget } : budget;
}
