import { chooseName } from '@tenon/base';
import type { CallView, ServerView } from '@tenon/console/api';
import { type Client, type JsonRpcMessage, TenonError, type Tool } from 'tenon';
import type { CliContext } from '../cli-context.js';
import type { DoctorReport } from '../doctor/finding.js';
import { toServerName } from '../recording/wire-output.js';
import { getProtocolSettings, type ResolvedTarget, resolveTarget } from '../target/resolve-target.js';
import { connectToTarget } from '../target/run-with-client.js';
import type { TargetOptions } from '../target/target-options.js';
import { readListing, type ServerListing } from '../tools/read-listing.js';
import type { ChangeFeed } from './change-feed.js';
import { type CallConnection, type ConsoleCalls, createErrorView } from './console-calls.js';
import type { CopiedCall } from './copy/copy-call.js';
import type { HttpLog } from './http-log.js';
import { createInputHandlers } from './input-handlers.js';
import { INPUT_TIMEOUT, type InputInbox } from './input-inbox.js';
import { MessageOwner } from './message-owner.js';
import { createPageTerminal } from './page-terminal.js';
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
import type { WireLog } from './wire-log.js';

/** Parts that all servers share. */
export interface ServerParts {
  readonly context: CliContext;
  readonly options: TargetOptions;
  readonly log: WireLog;
  readonly http: HttpLog;
  readonly feed: ChangeFeed;
  readonly inbox: InputInbox;
  readonly calls: ConsoleCalls;
}

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

  /** Returns the lists of a server, as `tenon list --json` prints them. */
  async readListing(name: string): Promise<ServerListing> {
    const record = this.#require(name);
    if (!record.listing) await this.#updateListing(record, requireClient(record));
    if (!record.listing) throw createNotConnectedError(name);
    return record.listing;
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
    return findListedTool(this.#require(name), tool);
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

  async #resolve({ view, target }: ServerRecord): Promise<ResolvedTarget> {
    if ('resolved' in target) return target.resolved;
    const { context, options, inbox } = this.#parts;
    const { reference, asks } = target;
    const terminal = createPageTerminal(inbox, view.name);
    if (asks && (reference.kind === 'command' || reference.kind === 'file')) {
      const details = `The command will start this program, in ${context.cwd}:\n  ${view.label}`;
      if (!(await terminal.confirm({ message: 'Run it?', details })))
        throw new TenonError('config/not-approved', `the server "${view.name}" is not approved`, {
          hint: 'connect again, and allow it',
        });
    }
    return resolveTarget({ ...context, terminal }, reference, mergeOptions(options, target));
  }

  async #open(
    { view: { name } }: ServerRecord,
    resolved: ResolvedTarget,
    chosen: string | null,
  ): Promise<{ readonly client: Client; readonly connection: number }> {
    const { options, log, http, calls, inbox } = this.#parts;
    this.#connections += 1;
    const connection = this.#connections;
    const owner = new MessageOwner(log, connection, () => calls.listRunning(connection));
    const { protocolVersion: _, ...rest } = options;
    const client = await connectToTarget(resolved, chosen === null ? rest : { ...rest, protocolVersion: chosen }, {
      name: 'tenon-console',
      validate: 'off',
      answerTimeout: INPUT_TIMEOUT,
      ...createInputHandlers(inbox, name, method => owner.takeRequest(method)),
      onMessage: (from, message, relatedTo) => {
        const messages: readonly JsonRpcMessage[] = 'length' in message ? message : [message];
        for (const each of messages) {
          const call = owner.find(from, each, relatedTo);
          const row = log.add({ server: name, connection, from, message: each, call, relatedTo });
          if (from === 'client') http.follow(row.seq);
          if (row.call !== undefined) calls.countMessage(row.call, row.from === 'client' && row.kind === 'request');
        }
      },
    });
    return { client, connection };
  }

  #listen(record: ServerRecord, client: Client): void {
    client.on('state', state => {
      if (record.client === client) this.#change(record, { state });
    });
    client.on('error', error => {
      if (record.client === client) this.#change(record, { error: createErrorView(error) });
    });
    const refresh = new RefreshQueue(async () => {
      try {
        if (record.client === client) await this.#updateListing(record, client);
      } catch (error) {
        if (record.client === client) this.#change(record, { error: createErrorView(TenonError.from(error)) });
      }
    });
    record.refresh = refresh;
    client.on('change', change => {
      if ('list' in change && record.client === client) refresh.request();
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
    });
  }

  async #updateListing(record: ServerRecord, client: Client): Promise<void> {
    const { protocolVersion } = client.server;
    const listing = await readListing({ client, protocolVersion, signal: record.abort.signal });
    record.listing = listing;
    const { tools, resources, resourceTemplates, prompts, tokens } = listing;
    this.#change(record, {
      counts: {
        tools: tools.length,
        resources: resources.length + resourceTemplates.length,
        prompts: prompts.length,
      },
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
