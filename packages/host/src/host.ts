import type { JsonObject } from '@tenon/base';
import type { CallOptions, CallToolResult, Client, Implementation, Server } from 'tenon';
import type { ServerInventory } from './catalog/server-inventory.js';
import type { UpstreamConnection } from './connections/upstream-connection.js';
import type { ServerChanges } from './connections/upstream-pool.js';
import type { UnavailableServer } from './connections/upstream-registry.js';
import type { HostServer } from './host-options.js';
import type { Approvals } from './security/approvals/types.js';
import type { Policy } from './security/policy/policy.js';
import type { Rule } from './security/policy/rules.js';

/** State of one server, as `host.getServers()` returns it. */
export interface ServerState {
  /** Name of the server in the host. */
  readonly name: string;
  /**
   * `idle`: no caller has needed the server yet. `waiting`: callers must sign in first. `failed`: the last attempt to
   * connect, or the last request, has failed.
   */
  readonly state: UpstreamConnection['state'];
  /** Reason why the server is unavailable, if an attempt has failed. */
  readonly reason: string | undefined;
  /** Negotiated protocol version, once the server is connected. */
  readonly protocolVersion: string | undefined;
  /** Name and version that the server declares, once it is connected. Untrusted. */
  readonly serverInfo: Implementation | undefined;
}

/** Error of a server, for people who operate the host. */
export interface ServerError {
  /** Stable error code. */
  readonly code: string;
  /** Summary without secrets. */
  readonly message: string;
  /** Time in milliseconds since the epoch. */
  readonly time: number;
  /** Code of the JSON-RPC error, if the server has responded with one. */
  readonly rpcCode: number | undefined;
  /** Data of the JSON-RPC error, without secrets. Untrusted. */
  readonly data: unknown;
}

/** Server of a host as `host.describeServers()` returns it, also if it is disabled. */
export interface ServerDescription extends Omit<ServerState, 'state'> {
  /** `disabled`: by its settings, or by `host.disableServer`. Otherwise as in `ServerState`. */
  readonly state: ServerState['state'] | 'disabled';
  /** Transport of the server. */
  readonly transport: 'stdio' | 'http' | 'http-sse' | 'in-process';
  /** Number of tools that the host offers of it, once its list was read. */
  readonly tools: number | undefined;
  /** Estimated number of tokens that the definitions of these tools take in the context of a model. */
  readonly tokens: number | undefined;
  /** Number of open connections, or of processes. */
  readonly connections: number;
  /** Number of running calls. */
  readonly calls: number;
  /** Last error of the server, also if it has recovered. */
  readonly lastError: ServerError | undefined;
  /**
   * True if a connected server declares neither tools, prompts nor resources. If it has some all the same, name them in
   * `assumeCapabilities` of its settings.
   */
  readonly declaresNothing: boolean;
}

/** Selection of servers, and the name under which they are offered. */
export interface ServerSelection {
  /**
   * Name of the server.
   * @default the name of the host
   */
  readonly name?: string | undefined;
  /**
   * Version of the server.
   * @default the version of the host
   */
  readonly version?: string | undefined;
  /**
   * Names of the servers, and `server/name` for some tools, prompts and resources of a server. The name is the one at
   * the server, or a URI. `*` matches any text.
   * @default all
   */
  readonly servers?: readonly string[] | undefined;
  /**
   * Maximum number of tokens for the definitions of these tools. Above it, the server offers three tools that search,
   * describe and call the others. The other options of the host's `budget` apply as well.
   * @default the budget of the host
   */
  readonly budget?: number | undefined;
}

/** Inventories of the servers, and the servers that are unavailable. */
export interface Inventories {
  /** Inventories of the servers that responded. */
  readonly inventories: readonly ServerInventory[];
  /** Servers that did not respond, with the reason. */
  readonly unavailable: readonly UnavailableServer[];
}

/** Parts of a running host to replace. Absent parts stay. */
export interface HostUpdate {
  /**
   * All servers by name. Servers that are absent here are removed.
   *
   * The host starts these servers without a trust question, so ask before with `createTrust`.
   *
   * @default unchanged
   */
  readonly servers?: Readonly<Record<string, HostServer>> | undefined;
  /**
   * Policy, or its rules.
   * @default unchanged
   */
  readonly policy?: Policy | readonly Rule[] | undefined;
}

/** Combines many servers into one client and one server. */
export interface Host {
  /** Client for all servers of the host. It uses public names, and can list, call, read, watch and follow tasks. */
  readonly client: Client;
  /** Calls a tool by its public name, and resolves with its complete result. */
  callTool(name: string, input?: JsonObject, options?: CallOptions): Promise<CallToolResult>;
  /** Returns the state of each server. */
  getServers(): ServerState[];
  /**
   * Connects to a server without a caller, and resolves with its state as soon as it is connected or has failed. It
   * then reads the tools in the background, compares them with the lock, and screens them. If a server at a URL is
   * already connected and has not responded for 10 seconds, its state is verified by a ping.
   *
   * @throws TenonError `host/no-such-server`
   */
  connectServer(name: string): Promise<ServerState>;
  /**
   * Describes each configured server: state, version, tools, tokens and last error. It starts no server.
   */
  describeServers(): ServerDescription[];
  /**
   * Disables a server until `enableServer`, also across `update`. Its entries leave the lists at once. Running calls have
   * 10 seconds to finish, and then its processes end. The host remembers it only while it runs.
   *
   * @throws TenonError `host/no-such-server`
   */
  disableServer(name: string): Promise<ServerDescription>;
  /**
   * Enables a server that `disableServer` has disabled, and connects to it.
   *
   * @throws TenonError `host/no-such-server`; `host/disabled` if its settings disable it
   */
  enableServer(name: string): Promise<ServerDescription>;
  /**
   * Ends all connections and processes of a server, and connects again. Running calls have 10 seconds to finish. Calls
   * that arrive meanwhile wait.
   *
   * @throws TenonError `host/no-such-server`, `host/disabled`
   */
  restartServer(name: string): Promise<ServerDescription>;
  /**
   * Connects to a server now, without the delay after failures. Open connections stay.
   *
   * @throws TenonError `host/no-such-server`, `host/disabled`
   */
  reconnectServer(name: string): Promise<ServerDescription>;
  /** Reads the inventory of each server, with the original names and texts. Starts the servers. */
  inventory(): Promise<Inventories>;
  /**
   * Returns the name under which `toServer({ servers: [server] })` offers a tool: with the prefix of the server and the
   * name of `overrides`, if it has them. The server need not have the tool, and is not started. With `prefix: 'never'`, a
   * selection of several servers adds a prefix to names that more than one of them has.
   *
   * @param tool Name at the server.
   * @returns `undefined` for a server that is not configured.
   */
  getToolName(server: string, tool: string): string | undefined;
  /** Pending and remembered approvals of the host. */
  readonly approvals: Approvals;
  /**
   * Evaluates again which entries to offer, and notifies callers. Call it after a change was approved, for example with
   * `lockGuard.approve`.
   */
  reload(): void;
  /**
   * Replaces the servers or the policy while the host is running, and notifies callers of changed lists.
   *
   * Servers with equal settings keep their connections. A removed or changed server gets no more calls, and its running
   * calls have 10 seconds to finish. With `prefix: 'auto'`, public names keep the form that they had at the start.
   *
   * @throws TenonError `policy/rule` for an invalid rule. The host is then unchanged.
   */
  update(update: HostUpdate): ServerChanges;
  /**
   * Returns the host, or a selection of its servers, as one server. It serves any number of clients over all
   * transports.
   */
  toServer(selection?: ServerSelection): Server;
  /** Closes all connections, and stops the processes of the servers. */
  close(): Promise<void>;
}
