import { getAppUri } from '@tenon/apps/host';
import { chooseName } from '@tenon/base';
import type { CallView, FaultPlan, ServerView, SnapshotsView } from '@tenon/console/api';
import { type Client, TenonError, type Tool } from 'tenon';
import type { DoctorReport } from '../doctor/finding.js';
import { toServerName } from '../recording/wire-output.js';
import { getProtocolSettings, type ResolvedTarget } from '../target/resolve-target.js';
import { readListing, type ServerListing } from '../tools/read-listing.js';
import { createUsageError } from '../usage-error.js';
import { type CallConnection, createErrorView } from './console-calls.js';
import type { CopiedCall } from './copy/copy-call.js';
import { watchLists } from './list-watch.js';
import { runOutsideCalls } from './message-owner.js';
import { openConnection, resolveRecord, type ServerConnection, type ServerParts } from './open-connection.js';
import { RefreshQueue } from './refresh-queue.js';
import {
  type ConsoleTarget,
  countDuration,
  createNotConnectedError,
  createServerRecord,
  describeTarget,
  findListedTool,
  findOutputSchema,
  getTransport,
  mergeOptions,
  requireClient,
  type ServerRecord,
} from './server-record.js';

/** Maximum number of tools whose names the list of servers has. */
const MAX_TOOL_NAMES = 12;
/** Maximum length of these names. */
const MAX_TOOL_NAME = 100;
/** Method of the subscription to lists, on the newest protocol version. */
const LISTEN = 'subscriptions/listen';

const listToolNames = (tools: readonly Pick<Tool, 'name'>[]): string[] =>
  tools
    .map(({ name }) => name)
    .filter(({ length }) => length <= MAX_TOOL_NAME)
    .slice(0, MAX_TOOL_NAMES);

/** Servers of a console, each with one connection. */
export class ConsoleServers {
  readonly #parts: ServerParts;
  readonly #servers = new Map<string, ServerRecord>();
  #connections = 0;

  constructor(parts: ServerParts) {
    this.#parts = parts;
  }

  /**
   * Adds a server, and starts to connect to it. Returns its name.
   *
   * @param version The only protocol version to use. `null`: the newest of both sides. Default: the one of the command.
   */
  add(
    target: ConsoleTarget,
    version: string | null = this.#parts.options.protocolVersion ?? null,
    wanted?: string,
  ): string {
    const described = describeTarget(target);
    const name = chooseName(wanted ?? toServerName(described), '-', used => this.#servers.has(used));
    const record = createServerRecord(name, target, described.label, version);
    this.#servers.set(name, record);
    void this.#connect(record);
    return name;
  }

  async remove(name: string): Promise<void> {
    const record = this.#require(name);
    this.#servers.delete(name);
    this.#parts.feed.set(`server ${name}`, { type: 'removed', server: name });
    await this.#disconnect(record);
  }

  /** Connects again, with another protocol version if one is given. */
  async reconnect(name: string, version?: string | null): Promise<void> {
    const record = this.#require(name);
    await this.#disconnect(record);
    record.abort = new AbortController();
    this.#change(record, version === undefined ? {} : { requestedVersion: version });
    void this.#connect(record);
  }

  /** Plans the faults of the next messages of a server. `null`: none. */
  setFaultPlan(name: string, fault: FaultPlan | null): void {
    this.#change(this.#require(name), { fault });
  }

  /** Returns the lists of a server, as `tenon list --json` prints them. */
  async readListing(name: string): Promise<ServerListing> {
    const record = this.#require(name);
    if (!record.listing) await this.#updateListing(record, requireClient(record));
    if (!record.listing) throw createNotConnectedError(name);
    return record.listing;
  }

  /** Compares two snapshots of the definitions of a server. Default: the first and the last one. */
  compareSnapshots(name: string, before?: number, after?: number): Promise<SnapshotsView> {
    return this.#require(name).snapshots.read(before, after);
  }

  /** Returns the connection for a call. */
  getConnection(name: string): CallConnection {
    const record = this.#require(name);
    const client = requireClient(record);
    return { client, connection: record.connection, findOutputSchema: findOutputSchema(record) };
  }

  /** Opens a further connection to a server, which speaks this protocol version only. */
  async openVersion(name: string, version: string): Promise<CallConnection & { close(): Promise<void> }> {
    const record = this.#require(name);
    const resolved = record.resolved ?? (await this.#resolve(record));
    const { signal } = record.abort;
    const { client, connection } = await this.#open(record, resolved, version);
    const close = async () => {
      record.others.delete(client);
      await client.close();
    };
    record.others.add(client);
    if (signal.aborted) await close();
    return { client, connection, findOutputSchema: findOutputSchema(record), close };
  }

  /** Returns the definition of a tool, if the server has listed it. */
  findTool(name: string, tool: string): Tool | undefined {
    const record = this.#servers.get(name);
    return record && findListedTool(record, tool);
  }

  /** Returns the target of a server, for a call that is written for another program. */
  async describeTarget(
    name: string,
    toolName: string,
  ): Promise<Pick<CopiedCall, 'reference' | 'target' | 'tool' | 'options' | 'requestedVersion'>> {
    const record = this.#require(name);
    const { target } = record.resolved ?? (await this.#resolve(record));
    return {
      reference: 'reference' in record.target ? record.target.reference : undefined,
      target,
      tool: findListedTool(record, toolName),
      options: mergeOptions(this.#parts.options, record.target),
      requestedVersion: record.view.requestedVersion,
    };
  }

  /** Tells if a server is at a URL. A server that is removed is not. */
  isHttp(name: string): boolean {
    return this.#servers.get(name)?.view.transport === 'http';
  }

  /** Returns the URL of a server with its headers and exceptions, for a sign-in. */
  async getHttpTarget(name: string): Promise<{
    readonly url: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly exceptions: ResolvedTarget['exceptions'];
  }> {
    const record = this.#require(name);
    const { target, exceptions } = record.resolved ?? (await this.#resolve(record));
    if (!('url' in target)) throw createUsageError(`${name}: not a server at a URL`, 'choose another server');
    const { headers = {} } = target;
    return {
      url: new URL(target.url).href,
      headers: typeof headers === 'function' ? await headers() : headers,
      exceptions,
    };
  }

  /** Examines a server, as `tenon doctor` does. */
  async examine(name: string): Promise<DoctorReport> {
    const record = this.#require(name);
    const target = record.resolved ?? (await this.#resolve(record));
    const { runDoctor } = await import('../doctor/run-doctor.js');
    const requested = record.view.requestedVersion ?? undefined;
    const { protocolVersion, ...settings } = getProtocolSettings(target, { protocolVersion: requested });
    return runDoctor(target.target, target.label, {
      authExceptions: target.exceptions,
      settings,
      protocolVersion,
    });
  }

  /** Adds the duration of a call to the figures of its server. */
  countCall({ server, took, state, isError }: CallView): void {
    const record = this.#servers.get(server);
    if (!record || took === null) return;
    this.#change(record, countDuration(record, took, state === 'failed' || isError));
  }

  async close(): Promise<void> {
    await Promise.all([...this.#servers.values()].map(record => this.#disconnect(record)));
  }

  async #connect(record: ServerRecord): Promise<void> {
    const { signal } = record.abort;
    this.#change(record, { state: 'waiting', error: null, finding: null });
    try {
      const resolved = await this.#resolve(record);
      if (signal.aborted) return;
      record.resolved = resolved;
      this.#change(record, { state: 'connecting', transport: getTransport(resolved) });
      const { client, connection } = await this.#open(record, resolved, record.view.requestedVersion);
      record.connection = connection;
      if (signal.aborted) return await client.close();
      record.client = client;
      this.#listen(record, client);
      this.#showConnection(record, client);
      await this.#updateListing(record, client);
    } catch (thrown) {
      if (signal.aborted) return;
      const error = TenonError.from(thrown);
      this.#change(record, { state: 'failed', error: createErrorView(error) });
      if (record.resolved && !record.client) await this.#findCause(record).catch(() => {});
    }
  }

  #resolve(record: ServerRecord): Promise<ResolvedTarget> {
    return resolveRecord(this.#parts, record);
  }

  #open(record: ServerRecord, resolved: ResolvedTarget, chosen: string | null): Promise<ServerConnection> {
    this.#connections += 1;
    return openConnection(this.#parts, {
      name: record.view.name,
      connection: this.#connections,
      resolved,
      chosen,
      getFaultPlan: () => record.view.fault ?? null,
      onFaultUsed: () => {
        if (record.view.fault?.repeat === false) this.#change(record, { fault: null });
      },
    });
  }

  #listen(record: ServerRecord, client: Client): void {
    client.on('state', state => {
      // A reason for the end of the last connection does not hold for this one.
      const cleared = state === 'connected' ? { error: null, finding: null } : {};
      if (record.client === client) this.#change(record, { state, ...cleared });
    });
    client.on('error', error => {
      // The stream of the subscription to the lists is opened again.
      if (error.method === LISTEN) return;
      if (record.client === client) this.#change(record, { error: createErrorView(error) });
    });
    const refresh = new RefreshQueue(async () => {
      try {
        if (record.client === client) await runOutsideCalls(() => this.#updateListing(record, client));
      } catch (error) {
        if (record.client === client) this.#change(record, { error: createErrorView(TenonError.from(error)) });
      }
    });
    record.refresh = refresh;
    client.on('change', change => {
      if ('list' in change && record.client === client) refresh.request();
    });
    watchLists(client, {
      signal: record.abort.signal,
      onReconnect: () => refresh.request(),
      onError: error => {
        if (record.client === client) this.#change(record, { error: createErrorView(error) });
      },
    });
  }

  #showConnection(record: ServerRecord, client: Client): void {
    const { info, capabilities, protocolVersion } = client.server;
    this.#change(record, {
      state: client.state,
      protocolVersion,
      info: info
        ? { name: info.name, version: info.version, ...(info.title === undefined ? {} : { title: info.title }) }
        : null,
      capabilities: Object.keys(capabilities),
      extensions: Object.keys(capabilities.extensions ?? {}),
    });
  }

  async #updateListing(record: ServerRecord, client: Client): Promise<void> {
    const { protocolVersion } = client.server;
    const { signal } = record.abort;
    const onPartial = (listing: ServerListing) => {
      if (record.client === client) this.#showListing(record, listing);
    };
    const listing = await readListing({ client, protocolVersion, signal, onPartial });
    record.snapshots.add(listing);
    this.#showListing(record, listing);
  }

  #showListing(record: ServerRecord, listing: ServerListing): void {
    record.listing = listing;
    const { tools, resources, resourceTemplates, prompts, tokens } = listing;
    this.#change(record, {
      counts: {
        tools: tools.length,
        resources: resources.length + resourceTemplates.length,
        prompts: prompts.length,
        apps: tools.filter(tool => getAppUri(tool) !== undefined).length,
      },
      toolNames: listToolNames(tools),
      tokens,
      listing: record.view.listing + 1,
    });
  }

  /** Shows the finding that explains best why a server is not connected. */
  async #findCause(record: ServerRecord): Promise<void> {
    const { signal } = record.abort;
    const { findings } = await this.examine(record.view.name);
    const serious = findings.filter(({ severity }) => severity === 'problem');
    const finding = serious.find(({ id }) => id !== 'connection.failed') ?? serious[0] ?? null;
    if (!signal.aborted) this.#change(record, { finding });
  }

  async #disconnect(record: ServerRecord): Promise<void> {
    record.abort.abort();
    record.refresh?.stop();
    record.refresh = undefined;
    this.#parts.inbox.withdraw(record.view.name);
    const { client } = record;
    record.client = undefined;
    record.listing = undefined;
    await Promise.all([client, ...record.others].map(each => each?.close()));
  }

  #change(record: ServerRecord, changes: Partial<ServerView>): void {
    record.view = { ...record.view, ...changes };
    const { name } = record.view;
    if (this.#servers.get(name) === record)
      this.#parts.feed.set(`server ${name}`, { type: 'server', server: record.view });
  }

  #require(name: string): ServerRecord {
    const record = this.#servers.get(name);
    if (record) return record;
    throw new TenonError('console/unknown', `server ${JSON.stringify(name)}: not found`, {
      hint: `use one of: ${[...this.#servers.keys()].join(', ') || 'none'}`,
    });
  }
}
