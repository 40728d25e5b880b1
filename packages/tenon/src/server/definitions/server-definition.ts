import type { Clock } from '../../cancellation/clock.js';
import type { InputRequestOptions } from '../../execution/options.js';
import type { TenonError } from '../../jsonrpc/error.js';
import type { KeepAliveOptions } from '../../jsonrpc/keep-alive.js';
import type { JsonObject } from '../../jsonrpc/message.js';
import type { Icon } from '../../protocol/content.js';
import type { Cacheable } from '../../protocol/params-and-results.js';
import type { SuggestedProtocolVersion } from '../../protocol/versions/protocol-version.js';
import type { Stores } from '../../stores/stores.js';
import type { CallerInfo } from '../caller-info.js';
import type { CreateState } from '../context/create-state.js';
import type { ServerRateLimits } from '../default-rate-limits.js';
import type { ServerExtension } from '../extension.js';
import type { Middleware } from '../middleware/compose-middleware.js';
import type { RootsChange } from '../session/roots.js';
import type { CustomMethods } from './custom-method.js';
import type { PromptDefinition } from './prompt.js';
import type { ResourceDefinition, ResourceMap } from './resource.js';
import type { ToolDefinition } from './tool.js';

export type Tools = { readonly [name: string]: ToolDefinition };
export type Prompts = { readonly [name: string]: PromptDefinition };
export type Resources = { readonly [uri: string]: ResourceDefinition<never> };

/** The same registry for all callers, or one for each. A function is called for every list and call: keep it cheap. */
export type PerCaller<T> = T | ((caller: CallerInfo) => T);

/** A server, as its author writes it. */
export interface ServerDefinition<
  T = Tools,
  P = Prompts,
  R = Resources,
  M = { readonly [name: string]: unknown },
  S = unknown,
> extends Omit<ServerOptions<S>, 'methods'> {
  /** Name for programs, which clients and logs show: `notes`. */
  readonly name: string;
  /** Version of your server: `1.0.0`. */
  readonly version: string;
  /** Name for people, in user interfaces. Default: `name`. */
  readonly title?: string | undefined;
  /** Describes the purpose of the server to people. */
  readonly description?: string | undefined;
  /** URL of a page about the server. */
  readonly websiteUrl?: string | undefined;
  /** Images for user interfaces. Default: none. */
  readonly icons?: Icon[] | undefined;
  /** Instructions on using the server, for the model. */
  readonly instructions?: string | undefined;
  /** Tools by name, or a function that returns the tools of a caller. */
  readonly tools?: PerCaller<T> | undefined;
  /** Prompts by name, or a function that returns the prompts of a caller. */
  readonly prompts?: PerCaller<P> | undefined;
  /** Resources by URI or by RFC 6570 template, or a function that returns the resources of a caller. */
  readonly resources?: PerCaller<ResourceMap<R>> | undefined;
  /** Methods and notifications of your own. */
  readonly methods?: CustomMethods<M, NoInfer<S>> | undefined;
}

/** Options of a server besides its tools, prompts and resources. */
export interface ServerOptions<S = unknown> {
  /**
   * Makes `ctx.state`, which middleware fills and handlers read, once for each request that reads it. The type that it
   * returns types `ctx.state`. Default: an empty object.
   */
  readonly state?: CreateState<S> | undefined;
  /** Wraps every operation, first is outermost. */
  readonly use?: readonly Middleware<NoInfer<S>>[] | undefined;
  /** The protocol versions to serve. Default: all. */
  readonly protocolVersions?: readonly SuggestedProtocolVersion[] | undefined;
  /** Extensions of the protocol: `tasks()`, or your own with an identifier and settings to declare. */
  readonly extensions?: readonly ServerExtension[] | undefined;
  /** Features of your own, declared to every client. */
  readonly experimental?: { readonly [name: string]: JsonObject } | undefined;
  /** Methods and notifications of your own. */
  readonly methods?: CustomMethods | undefined;
  /**
   * Versions on which clients may send batches (several messages as one JSON array). `by-version`: 2025-03-26 only, as
   * the specification says. `always`: every version with sessions, for clients that send batches anyway. Default
   * `by-version`.
   */
  readonly acceptBatches?: 'by-version' | 'always' | undefined;
  /** Entries per page of a list. Default 1,000: most servers have one page. */
  readonly pageSize?: number | undefined;
  /**
   * Selects the entries of lists: all that a caller sees (`visible`), or only those for which its token has the scopes
   * (`authorized`). Default `visible`: a client sees every entry, and can request the scopes.
   */
  readonly listFilter?: 'visible' | 'authorized' | undefined;
  /** Time for which lists and `server/discover` stay valid. Default: 0 ms, private. */
  readonly cache?: Cacheable | undefined;
  /** Options of input requests that end the call and are answered by a retry. */
  readonly inputRequests?: InputRequestOptions | undefined;
  /**
   * Stores for values that outlive a request or a process: used retries, large request state, tasks. Default: in
   * memory.
   */
  readonly stores?: Stores | undefined;
  /**
   * Rates of one caller. Default: generous ones, for callers beyond this machine; see `ServerRateLimits`. `false`:
   * none. Behind a proxy of this machine set `clientAddress`, else its callers are not limited.
   */
  readonly rateLimits?: ServerRateLimits | false | undefined;
  /** Allows clients to set a level and receive log messages. Default: they can. */
  readonly logging?: boolean | undefined;
  /**
   * Called when a client notifies that its roots have changed. `change.roots()` requests the new list from that client.
   * Clients that did not declare roots, and clients of 2026-07-28, never cause a call. An exception of the function
   * goes to `onError`. https://modelcontextprotocol.io/specification/2025-11-25/client/roots#root-list-changes
   */
  readonly onRootsChanged?: ((change: RootsChange) => void | Promise<void>) | undefined;
  /**
   * Pings the client of a session when nothing came from it for `interval` ms, and no request of it is open. When a
   * ping is not answered within `timeout` ms the connection ends; the client opens another. Default: `{ interval:
   * 30_000, timeout: 5_000 }` over HTTP while a stream is open on which the server speaks by itself, off elsewhere.
   * `false`: never.
   * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/ping
   */
  readonly keepAlive?: KeepAliveOptions | false | undefined;
  /** Called for every error that no caller gets: exceptions, malformed messages. Default: writes to standard error. */
  readonly onError?: ((error: TenonError) => void) | undefined;
  /** Source of time, for tests. Default: the clock of the system. */
  readonly clock?: Clock | undefined;
}
