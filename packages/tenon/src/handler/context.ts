import type { AuthInfo, JsonObject } from '@tenon/base';
import type { RequestHeaders } from '../jsonrpc/transport.js';
import type { ClientCapabilities } from '../protocol/capabilities.js';
import type { ContentBlock, Implementation, LoggingLevel, Meta } from '../protocol/content.js';
import type {
  CreateMessageParams,
  CreateMessageResult,
  ElicitResult,
  ListRootsResult,
} from '../protocol/input-requests.js';
import type { RetryInputs } from '../protocol/params-and-results.js';
import type { PingOptions } from '../protocol/request-handler.js';
import type { InferOutput, Schema, WholeSchema } from '../schemas/standard.js';
import type { ToolResultParts } from './tool-result.js';

/** The client, the user and the address that a request comes from. */
export interface CallerInfo {
  /** Name and version that the client sends. Untrusted. */
  readonly client: Implementation | undefined;
  /** Capabilities that the client declared. Untrusted. */
  readonly capabilities: ClientCapabilities;
  /** User and token, verified by the authorization of the transport. */
  readonly auth: AuthInfo | undefined;
  /**
   * Network address of the client. Absent if the transport does not know it. Behind a proxy it is the address of the
   * proxy: see `clientAddress`.
   */
  readonly address?: string | undefined;
}

/** Second argument of a handler. You can destructure its methods: `({ title }, { log, fail }) => …`. */
export interface Context<S = unknown> {
  /**
   * Answers to the input requests that the handler returned, and the state that it returned with them. On the first run
   * `inputResponses` is undefined.
   */
  readonly inputs: RetryInputs;

  /** The `_meta` of the request, including the trace context. */
  readonly meta: Meta;

  /** Signal that is aborted when the client cancels the request. */
  readonly signal: AbortSignal;

  /** Protocol version of the client, for example for logs. The same handler serves all versions. */
  readonly protocolVersion: string;

  /**
   * ID of the session, for state that lasts from call to call. It is the same on all replicas with shared stores.
   *
   * On versions before 2026-07-28 it is that of `Mcp-Session-Id`, or of the stream of HTTP+SSE. Undefined on stdio and in
   * memory, where a connection is one session, with `sessions: false`, on 2026-07-28, and in a task whose session has ended.
   * Do not return or log it: without authorization, any caller who knows it may use the session.
   *
   * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#session-management
   */
  readonly sessionId: string | undefined;

  /** User and token, verified by the authorization of the transport. */
  readonly auth: AuthInfo | undefined;

  /** Network address of the client, or of a proxy: see `clientAddress`. Undefined if the transport has none. */
  readonly address: string | undefined;

  /**
   * The HTTP request that contained this request, or on 2026-07-28 the last answer. `header(name)` accepts the name in
   * any case and never returns `authorization`, `proxy-authorization`, `cookie` or `dpop`: see `auth`. Undefined on
   * stdio, in memory, and in a task.
   */
  readonly request: RequestHeaders | undefined;

  /**
   * Values that middleware passes to the handler: the object that the option `state` of `createServer` returns for each
   * request, and an empty object without that option. A retry (2026-07-28) and a task start with a new object.
   */
  readonly state: S;

  /** Name and capabilities that the client declares. Untrusted. */
  readonly client: { readonly info: Implementation | undefined; readonly capabilities: ClientCapabilities };

  /** Reports progress, if the client requested it. `progress` must increase; other reports are dropped. */
  progress(progress: number, total?: number, message?: string): void;

  /**
   * Sends a log message to the client if the client's log level includes it. Never log secrets. Data that JSON would lose,
   * such as a `Map` or an `Error`, is reported to `onError` as `handler/output`, and not sent.
   */
  log(level: LoggingLevel, data: unknown, logger?: string): void;

  /**
   * Sends a notification on the stream of this request. It is dropped if the client's protocol version does not have
   * it, and after the response or a cancellation. While the client answers an input request on 2026-07-28, up to 64
   * notifications are kept and sent with its next request.
   */
  notify(method: string, params?: JsonObject): void;

  /**
   * Closes the stream on which the client waits, so that a long call needs no open connection. The client reconnects
   * later and gets the response and the messages that were sent meanwhile. Returns `false` without any effect if the
   * client cannot reconnect: only HTTP and versions whose streams begin with an event ID allow it.
   * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#sending-messages-to-the-server
   */
  closeStream(): boolean;

  /**
   * Pings the client and resolves when it responds. `timeout` is the maximum time for the response in milliseconds,
   * default 5,000. The default `signal` is the signal of the request.
   * @throws TenonError `call/timeout` when no response arrives in time; the session then ends. `client/no-session` on
   * protocol versions without sessions, which have no ping to the client.
   * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/ping
   */
  ping(options?: PingOptions): Promise<void>;

  /** Creates a result with `isError` whose text tells the model why the tool failed. Return it or throw it. */
  fail(content: string | ContentBlock | readonly (string | ContentBlock)[]): ToolResultParts;

  /**
   * Runs `work` once and stores its result, a JSON value or `undefined`, even if the handler runs again. It runs again
   * only after an exception, or if the process dies before the result is stored. Give each step its own name, and
   * request input before a step, not inside it.
   */
  step<T>(name: string, work: () => T | Promise<T>): Promise<T>;

  /**
   * Shows a form to the user and waits for the answer. Works on every protocol version that has forms.
   * @throws TenonError `options/invalid` for a wrong argument.
   * @see https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation
   */
  elicit<const S extends Schema>(options: {
    readonly message: string;
    readonly input: S & WholeSchema<S>;
  }): Promise<FormAnswer<InferOutput<S>>>;

  /**
   * Requests that the user opens a URL. `accept` means that the user agreed, not that the visit is complete.
   * @throws TenonError `options/invalid` for a wrong argument.
   */
  elicitUrl(options: {
    readonly message: string;
    readonly url: string;
    readonly elicitationId?: string | undefined;
  }): Promise<{ action: ElicitResult['action'] }>;

  /**
   * Requests a message from the client's model. Deprecated in 2026-07-28: call a model provider instead.
   * @throws TenonError `options/invalid` for a wrong argument.
   * @see https://modelcontextprotocol.io/specification/2026-07-28/client/sampling
   */
  sample(params: CreateMessageParams): Promise<CreateMessageResult>;

  /**
   * Requests the client's roots: the folders that the server may use. Entries that are not `file:` URIs are dropped and
   * reported to `onError`. Deprecated in 2026-07-28: take folders as arguments or from a configuration instead.
   * @see https://modelcontextprotocol.io/specification/2026-07-28/client/roots
   */
  roots(): Promise<ListRootsResult['roots']>;
}

/** Answer of the user to a form. */
export type FormAnswer<T> =
  | { readonly action: 'accept'; readonly content: T }
  | { readonly action: 'decline' | 'cancel'; readonly content?: undefined };

/** Context of a request while its state is created. */
export type StateContext = Omit<Context, 'state'>;

/**
 * Creates the state of one request. Called when `ctx.state` is first read. Annotate the parameter, so that the compiler
 * knows `S` before it checks the handlers: `(context: StateContext) => ({ … })`.
 */
export type CreateState<S> = (context: StateContext) => S;
