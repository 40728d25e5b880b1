import type { Authorizer } from '../auth/client/authorizer.js';
import type { CallerSignIn } from '../auth/client/caller-sign-in/options.js';
import type { Clock } from '../cancellation/clock.js';
import type { ClientHandlers } from '../client/options.js';
import type { HttpTarget, StdioTarget } from '../client/target.js';
import type { InputRequestOptions } from '../execution/options.js';
import type { TasksOptions } from '../extensions/tasks/options.js';
import type { TenonError } from '../jsonrpc/error.js';
import { MAX_SHARE } from '../jsonrpc/shared-limit.js';
import type { Transport } from '../jsonrpc/transport.js';
import type { RequestHandler } from '../protocol/request-handler.js';
import type { ServerRateLimits } from '../server/default-rate-limits.js';
import type { Stores } from '../stores/stores.js';
import { version as ownVersion } from '../version.js';
import type { ToolBudget } from './catalog/budget/resolve-meta-tool.js';
import type { Prefix } from './catalog/names/name-mapper.js';
import type { ServerEntry } from './config/server-entry.js';
import type { HostGuardOptions } from './security/guard/guard-options.js';

/** A server of a host: its address and its settings. */
export type HostServer = (HttpTarget | StdioTarget | InProcessServer) & ServerSettings;

/** A server in this process, or a server behind your own transport. */
export interface InProcessServer {
  readonly service: RequestHandler | (() => Transport | Promise<Transport>);
}

/** Settings of one server. */
export interface ServerSettings
  extends Pick<
    ServerEntry,
    'disabled' | 'startTimeout' | 'idleTimeout' | 'totalTimeout' | 'trusted' | 'tools' | 'roots' | 'share' | 'origin'
  > {}

/** Provides the credentials of one principal for a server. The caller's own token is never passed on. */
export type CredentialProvider = (
  server: string,
  principal: string | undefined,
) => Authorizer | string | undefined | Promise<Authorizer | string | undefined>;

/** Options of a host. */
export interface HostOptions extends ClientHandlers, HostGuardOptions {
  /** Servers by name. */
  readonly servers: Readonly<Record<string, HostServer>>;
  /**
   * Name and version of the host, for servers and for its own clients. Default: `tenon-host` and the version of this
   * library.
   */
  readonly name?: string | undefined;
  /** Version that the host announces to servers. */
  readonly version?: string | undefined;
  /** Name for people that the host announces. */
  readonly title?: string | undefined;
  /**
   * Public names begin with the name of the server: `always`, `never`, or `auto`: when `servers` has more than one,
   * disabled ones too. With `never`, equal names of two servers get the prefix while both are up. Default `always`, so
   * that no name changes when a server is added.
   */
  readonly prefix?: Prefix | undefined;
  /** Time that a server may take to open, in milliseconds. Default 30,000. */
  readonly startTimeout?: number | undefined;
  /**
   * Time that a list waits for slow servers, in milliseconds; their entries come later, with a notification. Default
   * 15,000.
   */
  readonly listTimeout?: number | undefined;
  /**
   * Time for which an unused connection to a server stays open, in milliseconds. A process is stopped then, starts
   * again with the next call, and its lists stay good meanwhile. Default 1,800,000: 30 minutes.
   */
  readonly connectionIdleTimeout?: number | undefined;
  /**
   * Maximum number of processes that run at once, over all servers. Beyond it the process that has been unused for the
   * longest time is stopped. If all stay in use for 5 seconds, a call is refused with 429 and `retryAfterMs`. Default
   * 100.
   */
  readonly maxProcesses?: number | undefined;
  /** Maximum number of connections to one server. Default 100. */
  readonly maxConnectionsPerServer?: number | undefined;
  /**
   * Part of `maxConnectionsPerServer` that one user, or one address of anonymous callers, may
   * use alone, from 0 to 1. Default 0.5; 1 lets one caller use everything.
   */
  readonly maxShare?: number | undefined;
  /**
   * Calls of tools that run as tasks only are waited for where the caller declares no tasks. With `false` a caller of a
   * version in which it could declare them gets the refusal of the server, -32021. Default `true`.
   */
  readonly waitForTasks?: boolean | undefined;
  /** Entries per page of a list. Default 1,000. */
  readonly pageSize?: number | undefined;
  /**
   * Maximum number of tokens that tool definitions may take in a model's context. Above it three tools are offered in
   * their place, which search, describe and call them. Default: no limit.
   */
  readonly budget?: ToolBudget | undefined;
  /** With what credentials servers are called for whom. The token of a caller is never passed on. Default: none. */
  readonly credentials?: CredentialProvider | undefined;
  /**
   * Signs named callers in to servers at a URL that `credentials` gives nothing for: each user with each OAuth client
   * has tokens of their own. Closed with the host. Default: none, and such servers are called without credentials.
   */
  readonly callerSignIn?: CallerSignIn | undefined;
  /**
   * Stores for values that outlive a process or are shared by several: approvals, tasks, large results. Default: in
   * memory.
   */
  readonly stores?: Stores | undefined;
  /**
   * Options of input requests that end a call and are answered by a retry. Give all replicas the same `keys`. Defaults
   * as for `createServer`, except that `suspendTimeout` is 30 minutes and `maxSuspended` is 10,000.
   */
  readonly inputRequests?: InputRequestOptions | undefined;
  /** Options of the tasks of callers. */
  readonly tasks?: TasksOptions | undefined;
  /**
   * Rates of remote callers of the host as a server. As for `createServer`, except that `notifications` is `false` by
   * default: the host already limits the notifications of each server behind it, so that log messages are not merged
   * twice.
   */
  readonly rateLimits?: ServerRateLimits | false | undefined;
  /** Called for errors that no caller gets. Default: writes to standard error. */
  readonly onError?: ((error: TenonError) => void) | undefined;
  /** Source of time, for tests. Default: the system clock. */
  readonly clock?: Clock | undefined;
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;

/** Default values. Times are in milliseconds. */
export const DEFAULT_HOST_OPTIONS = {
  startTimeout: 30 * SECOND,
  listTimeout: 15 * SECOND,
  connectionIdleTimeout: 30 * MINUTE,
  maxConnectionsPerServer: 100,
  maxProcesses: 100,
  maxShare: MAX_SHARE,
  pageSize: 1000,
  prefix: 'always',
  name: 'tenon-host',
  version: ownVersion,
} as const;
