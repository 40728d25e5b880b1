import type { Clock, JsonObject, MaybePromise, TenonError } from '@tenon/base';
import type { Client, ClientOptions, Root } from 'tenon';
import type { RequestInput } from 'tenon/proxy';
import type { Telemetry } from 'tenon/telemetry';
import type { ProcessLimit } from './process-limit.js';
import type { SharedEntries } from './shared-entries.js';
import type { SharedSessionHandle } from './shared-sessions.js';
import type { UpstreamConnection } from './upstream-connection.js';

/** Properties of a caller that affect the input requests for it. */
export interface InputRequestRecipient {
  /** True if input requests are sent without `_meta`. */
  readonly omitMeta: boolean;
  /** True if `_meta` of the input request names the server. */
  readonly includeServer: boolean;
}

/** Forwards the input requests of one server to its callers, or handles them. */
export interface InputRequestHandler {
  /** Tells if the host itself handles this method. */
  isHandledByHost(method: string): boolean;
  /** Handles an input request in place of the caller. */
  handle: RequestInput;
  /** Prepares the parameters of an input request for a caller. Synchronous if they are small. */
  prepareInputRequest(method: string, params: JsonObject, recipient: InputRequestRecipient): MaybePromise<JsonObject>;
}

/** Options of a connection to one server. */
export interface ConnectionOptions {
  readonly server: string;
  /** Entries that the connections of the server share. */
  readonly sharedEntries?: SharedEntries | undefined;
  /** Opens a client for the server. `onSigningIn` is called when it starts and stops waiting for a sign-in. */
  readonly connect: (options: ClientOptions, onSigningIn: (isSigningIn: boolean) => void) => Promise<Client>;
  /** True if the tool annotations of the server are trusted. */
  readonly trusted: boolean;
  readonly startTimeout: number;
  readonly idleTimeout?: number | undefined;
  readonly totalTimeout?: number | undefined;
  /**
   * Maximum time between an input request and the retry that contains its result, in milliseconds. Afterwards, the
   * request state is invalid.
   */
  readonly retryTimeout: number;
  /** Roots that are configured for this server. Absent: those of the caller. */
  readonly roots?: readonly Root[] | undefined;
  /** Roots of the host, for requests without an active call. Without them, such a request fails. */
  readonly hostRoots?: ClientOptions['roots'];
  /** Creates the handler for input requests of the server. */
  readonly createInputRequestHandler: (connection: UpstreamConnection) => InputRequestHandler;
  /** True if the host handles sampling for callers that do not support it. */
  readonly hasBroker: boolean;
  readonly identity: Pick<ClientOptions, 'name' | 'version' | 'title'>;
  readonly telemetry?: Telemetry | undefined;
  readonly clock: Clock;
  readonly onError: (error: TenonError) => void;
  /** Called when the state of a connection may have changed. */
  readonly onStateChange?: (() => void) | undefined;
  /** True for a server at a URL, which may be down while a connection is open. */
  readonly isRemote?: boolean | undefined;
  /** Session at the server that other processes use too. Absent if no other process can use it. */
  readonly sharedSession?: SharedSessionHandle | undefined;
  /** Limits the number of processes of all servers. Absent if the server is not a process. */
  readonly processes?: ProcessLimit | undefined;
}
