import { type Clock, MAX_SHARE, type Stores, type TenonError } from '@tenon/base';
import type { OpenApiOptions } from '@tenon/openapi';
import {
  type ClientHandlers,
  type HttpTarget,
  type InputRequestOptions,
  version as ownVersion,
  type RequestHandler,
  type ServerRateLimits,
  type StdioTarget,
  type TasksOptions,
  type Transport,
} from 'tenon';
import type { Authorizer, CallerSignIn } from 'tenon/auth';
import type { Telemetry } from 'tenon/telemetry';
import type { ToolBudget } from './catalog/budget/collapse-tools.js';
import type { Prefix } from './catalog/names/name-mapper.js';
import type { CodeModeSetting } from './code-mode/code-mode-options.js';
import type { ServerEntry } from './config/server-entry.js';
import type { ServerState } from './host.js';
import type { HostGuardOptions } from './security/guard/guard-options.js';

/** Server of a host: its address and its settings. */
export type HostServer = (HttpTarget | StdioTarget | InProcessServer | OpenApiTarget) & ServerSettings;

/** Server in this process, or server behind a custom transport. */
export interface InProcessServer {
  readonly service: RequestHandler | (() => Transport | Promise<Transport>);
}

/** Server of an OpenAPI document, whose operations the host serves in this process. */
export interface OpenApiTarget {
  /** URL of the document: `https:`, `http:`, or `file:` on Node. */
  readonly url: string | URL;
  /** Tells the document from the endpoint of an MCP server. */
  readonly transport: 'openapi';
  /**
   * Header fields of every request to the API, and of none to the server of the document.
   * @default none
   */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /**
   * URL of the API.
   * @default the first server of the document
   */
  readonly apiUrl?: string | undefined;
  /**
   * Choice of operations, credentials and limits, as `openapi` takes them.
   * @default those of `openapi`
   */
  readonly openapi?: Omit<OpenApiOptions, 'baseUrl' | 'headers'> | undefined;
}

/** Settings of one server, in addition to its address. */
export interface ServerSettings
  extends Pick<
    ServerEntry,
    | 'disabled'
    | 'startTimeout'
    | 'idleTimeout'
    | 'totalTimeout'
    | 'trusted'
    | 'authExceptions'
    | 'serviceAccount'
    | 'tools'
    | 'roots'
    | 'share'
    | 'strict'
    | 'assumeCapabilities'
    | 'protocolVersion'
    | 'perCaller'
    | 'origin'
  > {
  /**
   * Called before each start of the server, or connection to it. If it rejects, the server is unavailable.
   * @default none
   */
  readonly beforeStart?: (() => Promise<void>) | undefined;
}

/** Returns the credentials of one principal for a server. The host never forwards the caller's own token. */
export type CredentialProvider = (
  server: string,
  principal: string | undefined,
) => Authorizer | string | undefined | Promise<Authorizer | string | undefined>;

/** Options of `createHost`. */
export interface HostOptions extends ClientHandlers, HostGuardOptions {
  /** Servers by name. */
  readonly servers: Readonly<Record<string, HostServer>>;
  /**
   * Name of the host in its server info and client info.
   * @default `tenon-host`
   */
  readonly name?: string | undefined;
  /**
   * Version of the host in its server info and client info.
   * @default the version of this library
   */
  readonly version?: string | undefined;
  /**
   * Display name of the host in its server info and client info.
   * @default none
   */
  readonly title?: string | undefined;
  /**
   * Prefix of public names with the server name: `always`, `never`, or `auto`. With `auto`, names have a prefix when
   * `servers` contains more than one, including disabled ones. With `never`, equal names of two servers get the
   * prefix while both are available.
   * @default `always`, so that no name changes when you add a server
   */
  readonly prefix?: Prefix | undefined;
  /**
   * Time limit for starting or connecting to a server, in milliseconds. A process that writes to standard error or uses
   * the processor meanwhile gets up to ten times as much, because a package runner may install its package first.
   * @default 30,000, and 180,000 for package runners and containers: `npx`, `uvx`, `docker` and similar commands
   */
  readonly startTimeout?: number | undefined;
  /**
   * Time for which a list waits for slow servers, in milliseconds. Their entries follow later with a notification.
   * @default 15,000
   */
  readonly listTimeout?: number | undefined;
  /**
   * Time for which an unused connection to a server stays open, in milliseconds. A process is then stopped and starts
   * again with the next call. Its cached lists stay valid meanwhile.
   * @default 1,800,000 (30 minutes)
   */
  readonly connectionIdleTimeout?: number | undefined;
  /**
   * Maximum number of concurrent processes, over all servers. At the limit, the process that has been idle for the
   * longest time is stopped. If all stay busy for 5 seconds, a call is refused with 429 and `retryAfterMs`.
   * @default 100
   */
  readonly maxProcesses?: number | undefined;
  /**
   * Maximum number of connections to one server.
   * @default 100
   */
  readonly maxConnectionsPerServer?: number | undefined;
  /**
   * Maximum number of connections, or processes, of one caller to servers with `perCaller`, over all of them. A caller is
   * a user, or the address of an anonymous caller. At the limit, the host closes the one of the caller that has been
   * idle for the longest time.
   * @default 10
   */
  readonly maxConnectionsPerCaller?: number | undefined;
  /**
   * Maximum share of `maxConnectionsPerServer` for one user, or for one address of anonymous callers, from 0 to 1.
   * With 1, one caller can use all connections.
   * @default 0.5
   */
  readonly maxShare?: number | undefined;
  /**
   * Waits for the result of tools that run only as tasks, if the caller does not declare support for tasks. With
   * `false`, a caller whose protocol version could declare it gets the error -32021 of the server instead.
   * @default `true`
   */
  readonly waitForTasks?: boolean | undefined;
  /**
   * Lists tools, prompts and resources also to callers to whom the policy always denies them. A call of one that is
   * not listed returns the reason as well.
   * @default `false`
   */
  readonly listDenied?: boolean | undefined;
  /**
   * IDs of further extensions that the host carries between callers and servers: what a caller declares reaches the
   * servers, and what the servers declare reaches the caller. With one server, methods of these extensions are forwarded.
   * @default apps (`io.modelcontextprotocol/ui`) and skills (`io.modelcontextprotocol/skills`) only
   */
  readonly extensions?: readonly string[] | undefined;
  /**
   * Maximum number of entries per page of a list.
   * @default 1,000
   */
  readonly pageSize?: number | undefined;
  /**
   * Maximum number of tokens for tool definitions in a model's context. Above it, the host lists three tools instead,
   * which search, describe and call the others.
   * @default no limit
   */
  readonly budget?: ToolBudget | undefined;
  /**
   * Code mode: a tool that runs JavaScript programs, whose calls pass the policy, the lock, approvals and the audit log
   * one by one. Needs Node, `quickjs-emscripten-core` and `@jitl/quickjs-wasmfile-release-sync`.
   * @default `off`
   */
  readonly codeMode?: CodeModeSetting | undefined;
  /**
   * Returns the credentials for a server and a principal. The host never forwards the token of a caller.
   * @default none
   */
  readonly credentials?: CredentialProvider | undefined;
  /**
   * Signs authenticated callers in to servers at a URL for which `credentials` returns nothing. Each user has
   * separate tokens for each OAuth client. The host closes it.
   * @default none, and such servers are called without credentials
   */
  readonly callerSignIn?: CallerSignIn | undefined;
  /**
   * Stores for values that outlive a process or that several processes share: approvals, tasks, large results.
   * @default in memory
   */
  readonly stores?: Stores | undefined;
  /**
   * Options of input requests that end a call and whose results arrive with a retry. Configure the same `keys` in all
   * replicas. Defaults as for `createServer`, except that `suspendTimeout` is 30 minutes and `maxSuspended` is 10,000.
   */
  readonly inputRequests?: InputRequestOptions | undefined;
  /**
   * Options of the callers' tasks.
   * @default the defaults of `TasksOptions`
   */
  readonly tasks?: TasksOptions | undefined;
  /**
   * Refuses each deviation of servers and callers from the protocol. Otherwise a deviation that does not change the
   * meaning of a message is tolerated, and reported to `onError` as `peer/deviation`, once per connection.
   * @default `false`
   */
  readonly strict?: boolean | undefined;
  /**
   * Rate limits for remote callers of the host. `false`: no limits. Defaults as for `createServer`, except that
   * `notifications` is `false`.
   *
   * The host already limits the notifications of each server behind it, so a second limit would merge log messages
   * twice.
   */
  readonly rateLimits?: ServerRateLimits | false | undefined;
  /**
   * Traces and measures the requests of callers, and those to the servers: what `createTelemetry` of
   * `tenon/telemetry` returns.
   * @default none
   */
  readonly telemetry?: Telemetry | undefined;
  /**
   * Called when the state of a server has changed: it was connected, cannot be reached any more, requires a sign-in. A
   * request that fails or succeeds changes the state, and so does `host.connectServer`.
   * @default the changes are not reported
   */
  readonly onServerState?: ((state: ServerState) => void) | undefined;
  /**
   * Called for errors that no caller receives.
   * @default writes to standard error
   */
  readonly onError?: ((error: TenonError) => void) | undefined;
  /**
   * Clock, for tests.
   * @default the clock of the system
   */
  readonly clock?: Clock | undefined;
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;

/** Default values of `HostOptions`. Times are in milliseconds. */
export const DEFAULT_HOST_OPTIONS = {
  startTimeout: 30 * SECOND,
  listTimeout: 15 * SECOND,
  connectionIdleTimeout: 30 * MINUTE,
  maxConnectionsPerServer: 100,
  maxProcesses: 100,
  maxConnectionsPerCaller: 10,
  maxShare: MAX_SHARE,
  pageSize: 1000,
  prefix: 'always',
  auditAnchorInterval: 10 * SECOND,
  name: 'tenon-host',
  version: ownVersion,
} as const;
