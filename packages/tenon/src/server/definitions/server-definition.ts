import type { Clock, JsonObject, Stores, TenonError } from '@tenon/base';
import type { InputRequestOptions } from '../../execution/options.js';
import type { CallerInfo, CreateState } from '../../handler/context.js';
import type { Middleware } from '../../handler/operation.js';
import type { Icon } from '../../protocol/content.js';
import type { Cacheable } from '../../protocol/params-and-results.js';
import type { SuggestedProtocolVersion } from '../../protocol/versions/protocol-version.js';
import type { Telemetry } from '../../telemetry/telemetry.js';
import type { ServerRateLimits } from '../default-rate-limits.js';
import type { ExposeErrors } from '../exposed-errors.js';
import type { ServerExtension } from '../extension.js';
import type { RootsChange } from '../session/roots.js';
import type { ServerKeepAliveOptions } from '../session/session-ping.js';
import type { CustomMethods } from './custom-method.js';
import type { PromptDefinition } from './prompt.js';
import type { ResourceMap, Resources } from './resource.js';
import type { ToolDefinition } from './tool.js';

export type Tools = { readonly [name: string]: ToolDefinition };
export type Prompts = { readonly [name: string]: PromptDefinition };

/**
 * A registry for all callers, or a function that returns the registry of a caller. The function is called for every
 * list and call, so it must be fast.
 */
export type PerCaller<T> = T | ((caller: CallerInfo) => T);

/** Definition of a server. */
export interface ServerDefinition<
  T = Tools,
  P = Prompts,
  R = Resources,
  M = { readonly [name: string]: unknown },
  S = unknown,
> extends Omit<ServerOptions<S>, 'methods'> {
  /** Name for programs, for example `notes`. Clients and logs show it. */
  readonly name: string;
  /** Version of your server, for example `1.0.0`. */
  readonly version: string;
  /**
   * Name for people, in user interfaces.
   * @default `name`
   */
  readonly title?: string | undefined;
  /** Describes the purpose of the server to people. */
  readonly description?: string | undefined;
  /** URL of a page about the server. */
  readonly websiteUrl?: string | undefined;
  /**
   * Images for user interfaces.
   * @default none
   */
  readonly icons?: Icon[] | undefined;
  /** Instructions for the model about the server. */
  readonly instructions?: string | undefined;
  /** Tools by name, or a function that returns the tools of a caller. */
  readonly tools?: PerCaller<T> | undefined;
  /** Prompts by name, or a function that returns the prompts of a caller. */
  readonly prompts?: PerCaller<P> | undefined;
  /** Resources by URI or by RFC 6570 template, or a function that returns the resources of a caller. */
  readonly resources?: PerCaller<ResourceMap<R>> | undefined;
  /** Custom methods and notifications, by name. */
  readonly methods?: CustomMethods<M, NoInfer<S>> | undefined;
}

/** Options of a server, in addition to its tools, prompts and resources. */
export interface ServerOptions<S = unknown> {
  /**
   * Creates `ctx.state`, which middleware fills and handlers read. It is called once for each request that reads the
   * state. Its return type is the type of `ctx.state`.
   * @default an empty object
   */
  readonly state?: CreateState<S> | undefined;
  /** Middleware that wraps every operation. The first one is outermost. */
  readonly use?: readonly Middleware<NoInfer<S>>[] | undefined;
  /**
   * Protocol versions that the server supports.
   * @default all
   */
  readonly protocolVersions?: readonly SuggestedProtocolVersion[] | undefined;
  /** Extensions of the protocol: `tasks()`, or your own with an ID and settings to declare. */
  readonly extensions?: readonly ServerExtension[] | undefined;
  /** Experimental capabilities, declared to every client. */
  readonly experimental?: { readonly [name: string]: JsonObject } | undefined;
  /** Custom methods and notifications, by name. */
  readonly methods?: CustomMethods | undefined;
  /**
   * Protocol versions on which clients may send batches (several messages in one JSON array). `by-version`: only
   * 2025-03-26, as the specification requires. `always`: every version with sessions, for clients that send batches
   * anyway.
   * @default `by-version`
   */
  readonly acceptBatches?: 'by-version' | 'always' | undefined;
  /**
   * Completes arguments from a list of values by more than their beginning: also by the beginning of a word, by a part,
   * and by characters in their order, the best match first. `false`: only by their beginning.
   * @default `true`
   */
  readonly fuzzyCompletion?: boolean | undefined;
  /**
   * Lists schemas of tools in the form that strict hosts read: references are replaced by what they refer to, and lists
   * of types by `anyOf`. Only a schema that contains itself keeps a reference. The schemas become larger. Calls are
   * validated as before.
   * @default `false`
   */
  readonly portableSchemas?: boolean | undefined;
  /**
   * Refuses each deviation of a client from the protocol, also one that does not change the meaning of a message, such
   * as `null` for an optional member. Otherwise the deviation is tolerated, and reported to `onError` as
   * `peer/deviation`: once per session, and once per server for requests without a session.
   * @default `false`
   */
  readonly strict?: boolean | undefined;
  /**
   * Number of entries per page of a list.
   * @default 1,000
   */
  readonly pageSize?: number | undefined;
  /**
   * Selects the entries of lists. `visible`: all entries that the caller sees, so that it can request missing scopes.
   * `authorized`: only the entries whose scopes the caller's token has.
   * @default `visible`
   */
  readonly listFilter?: 'visible' | 'authorized' | undefined;
  /**
   * Cache hints of lists and `server/discover`: lifetime in milliseconds, and scope.
   * @default 0 ms, private
   */
  readonly cache?: Cacheable | undefined;
  /** Options of input requests that end the call and are answered by a retry. */
  readonly inputRequests?: InputRequestOptions | undefined;
  /**
   * Stores for values that outlive a request or a process: used retries, large request state, tasks. `durable` stores
   * also contain the sessions and streams of Streamable HTTP, so every process with the same stores can handle them.
   * @default stores in memory
   */
  readonly stores?: Stores | undefined;
  /**
   * Rate limits of one caller. `false` removes all limits. Callers on this machine have no limits, so set
   * `clientAddress` behind a proxy on this machine.
   * @default see `ServerRateLimits`
   */
  readonly rateLimits?: ServerRateLimits | false | undefined;
  /**
   * Lets clients set a log level and receive log messages. Deprecated in 2026-07-28: write logs to standard error, or
   * use OpenTelemetry.
   * @default `true`
   */
  readonly logging?: boolean | undefined;
  /**
   * Called when a client notifies that its roots have changed. `change.roots()` requests the new roots from that
   * client.
   *
   * Never called for clients that did not declare roots, or for clients of 2026-07-28. An exception of the function is
   * reported to `onError`.
   * @see https://modelcontextprotocol.io/specification/2025-11-25/client/roots#root-list-changes
   */
  readonly onRootsChanged?: ((change: RootsChange) => void | Promise<void>) | undefined;
  /**
   * Pings the client of a session after `interval` ms without a message and without an open request. If no response
   * arrives within `timeout` ms, the streams of the client end and its open requests fail. A session over Streamable HTTP
   * stays until `limits.sessionIdleTimeout`, unless `endSession` is set. Other connections are closed. `false` sends no
   * pings.
   *
   * Elsewhere no pings are sent.
   *
   * @default `{ interval: 30_000, timeout: 5_000 }` over HTTP while the server has an open stream for its own
   * messages
   * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/ping
   */
  readonly keepAlive?: ServerKeepAliveOptions | false | undefined;
  /**
   * Traces and measures requests: what `createTelemetry` of `tenon/telemetry` returns.
   * @default none
   */
  readonly telemetry?: Telemetry | undefined;
  /**
   * Shows clients and models the messages of thrown errors, which are masked otherwise. A function returns the text, or
   * `undefined` to hide the error. The text has at most 500 characters, and no stack, cause, path or secret. `onError`
   * gets the whole error.
   * @default `false`
   */
  readonly exposeErrors?: ExposeErrors | undefined;
  /**
   * Called for every error that no caller gets, such as exceptions and malformed messages.
   * @default writes the error to standard error
   */
  readonly onError?: ((error: TenonError) => void) | undefined;
  /**
   * Source of time, for tests.
   * @default the clock of the system
   */
  readonly clock?: Clock | undefined;
}
