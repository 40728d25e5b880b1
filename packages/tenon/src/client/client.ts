/// <reference lib="esnext.disposable" preserve="true" />
import type { JsonObject } from '@tenon/base';
import type { ServerCapabilities } from '../protocol/capabilities.js';
import type { Implementation, LoggingLevel, Prompt, Resource, ResourceTemplate, Tool } from '../protocol/content.js';
import type { FinalResult, MethodName, Methods } from '../protocol/method-types.js';
import type {
  CallToolResult,
  CompleteParams,
  CompleteResult,
  GetPromptResult,
  ReadResourceResult,
} from '../protocol/params-and-results.js';
import type { CallOptions, InternalCallOptions } from './call-options.js';
import type { ClientEvents, ConnectionState } from './options.js';
import type { Tasks } from './tasks/task-handle.js';

/** The types of a server that `connect<typeof server>` reads: input and output of its tools and prompts. */
export interface ServerTypes {
  /** Types of the tools, prompts and resources. It has no value when a program runs. */
  readonly types?: { readonly tools: unknown; readonly prompts: unknown; readonly resources: unknown } | undefined;
}

type ToolsOf<S> = S extends { readonly types?: { readonly tools: infer T } | undefined } ? T : unknown;
type PromptsOf<S> = S extends { readonly types?: { readonly prompts: infer P } | undefined } ? P : unknown;
type ResourcesOf<S> = S extends { readonly types?: { readonly resources: infer R } | undefined } ? R : unknown;
/** Reads the type by an indexed access, because that is much cheaper for the compiler than inference. */
export type InputOf<D> = D extends { readonly types?: { readonly input: unknown } | undefined }
  ? NonNullable<D['types']>['input']
  : unknown;
type OutputOf<D> = D extends { readonly types?: { readonly output: unknown } | undefined }
  ? NonNullable<D['types']>['output']
  : unknown;

/** Value of a tool call: structured content if the tool has an output schema, else the whole result. */
export type ToolResult<D> = unknown extends OutputOf<D> ? CallToolResult : OutputOf<D>;

type TypedCall<I, R> = [I] extends [undefined]
  ? (input?: Record<string, never>, options?: CallOptions) => Promise<R>
  : unknown extends I
    ? (input?: Record<string, unknown>, options?: CallOptions) => Promise<R>
    : (input: I, options?: CallOptions) => Promise<R>;

/**
 * Tools of a server whose type is unknown: none by name. Use `client.callTool(name, input)`, or `connect<typeof
 * server>(…)`.
 */
export interface UntypedTools {
  readonly [untyped]?: never;
}
/**
 * Prompts of a server whose type is unknown: none by name. Use `client.getPrompt(name, input)`, or `connect<typeof
 * server>(…)`.
 */
export interface UntypedPrompts {
  readonly [untyped]?: never;
}
declare const untyped: unique symbol;

export type ToolCalls<T> = string extends keyof T
  ? UntypedTools
  : unknown extends T
    ? UntypedTools
    : { readonly [N in keyof T]: TypedCall<InputOf<T[N]>, ToolResult<T[N]>> };

export type PromptCalls<P> = string extends keyof P
  ? UntypedPrompts
  : unknown extends P
    ? UntypedPrompts
    : { readonly [N in keyof P]: TypedCall<InputOf<P[N]>, GetPromptResult> };

/** Any string. Editors suggest the names in the type of the server. */
type SuggestedName<T> = string extends keyof T
  ? string
  : unknown extends T
    ? string
    : (keyof T & string) | (string & Record<never, never>);

/** Any string. Editors suggest the URIs in the type of the server, without its templates. */
type SuggestedUri<R> = SuggestedName<{ [U in keyof R as U extends `${string}{${string}` ? never : U]: R[U] }>;

/** Arguments of a prompt by name. Numbers and booleans are sent as text. `undefined` is not sent. */
export interface PromptArguments {
  readonly [argument: string]: string | number | boolean | bigint | undefined;
}

/** Options of `client.watch`. */
export interface WatchCallOptions {
  /**
   * Ends the watch.
   * @default none
   */
  readonly signal?: AbortSignal | undefined;
  /**
   * Tells if `resources/subscribe` was called for a URI on the open connection, so that the watch does not call it again.
   * @default `false` for each URI
   */
  readonly isSubscribed?: ((uri: string) => boolean) | undefined;
  /**
   * Called when the server has accepted all subscriptions, and again after each reconnection.
   * @default none
   */
  readonly onSubscribed?: (() => void) | undefined;
}

/** Resources (by URI) and lists (by name) to watch. */
export interface WatchOptions {
  /**
   * URIs of the resources to watch.
   * @default none
   */
  readonly uris?: readonly string[] | undefined;
  /**
   * Watches the list of tools.
   * @default `false`
   */
  readonly tools?: boolean | undefined;
  /**
   * Watches the list of prompts.
   * @default `false`
   */
  readonly prompts?: boolean | undefined;
  /**
   * Watches the list of resources.
   * @default `false`
   */
  readonly resources?: boolean | undefined;
}

/** A change that the server announced, as listeners of `change` receive it. */
export type ChangeEvent = ClientEvents['change'];

/** A client of one server, on any protocol version and any transport. */
export interface Client<S = unknown> {
  /**
   * Calls a tool of a server whose type is known: `connect<typeof server>(…)`. Resolves to the structured content of a
   * tool with an output schema, else to the whole result. Use `callTool` for a server whose type is not known.
   * @throws TenonError `tool/failed` when the result has `isError`.
   */
  readonly tools: ToolCalls<ToolsOf<S>>;
  /** Gets a prompt of a server whose type is known. Use `getPrompt` for a server whose type is not known. */
  readonly prompts: PromptCalls<PromptsOf<S>>;
  /** Calls that become tasks. `client.tools.x` waits for such tasks automatically. */
  readonly tasks: Tasks<ToolsOf<S>>;
  /**
   * Lists all tools, over all pages. Over HTTP, tools with invalid header annotations are omitted, and the event
   * `error` names them.
   * @see https://modelcontextprotocol.io/specification/2026-07-28/server/tools#listing-tools
   */
  listTools(options?: CallOptions): AsyncIterable<Tool>;
  /**
   * Calls a tool by name and returns its whole result, including a result with `isError: true`.
   * @throws TenonError `call/unwritable`, before anything is sent, if JSON cannot represent a part of `input`.
   * @see https://modelcontextprotocol.io/specification/2026-07-28/server/tools#calling-tools
   */
  callTool(name: SuggestedName<ToolsOf<S>>, input?: JsonObject, options?: CallOptions): Promise<CallToolResult>;
  /**
   * Lists all prompts, over all pages.
   * @see https://modelcontextprotocol.io/specification/2026-07-28/server/prompts#listing-prompts
   */
  listPrompts(options?: CallOptions): AsyncIterable<Prompt>;
  /**
   * Gets a prompt by name.
   * @throws TenonError `call/argument` for an argument that is not a text, a number or a boolean.
   * @see https://modelcontextprotocol.io/specification/2026-07-28/server/prompts#getting-a-prompt
   */
  getPrompt(
    name: SuggestedName<PromptsOf<S>>,
    input?: PromptArguments,
    options?: CallOptions,
  ): Promise<GetPromptResult>;
  /**
   * Lists all resources, over all pages.
   * @see https://modelcontextprotocol.io/specification/2026-07-28/server/resources#listing-resources
   */
  listResources(options?: CallOptions): AsyncIterable<Resource>;
  /**
   * Lists all resource templates, over all pages.
   * @see https://modelcontextprotocol.io/specification/2026-07-28/server/resources#resource-templates
   */
  listResourceTemplates(options?: CallOptions): AsyncIterable<ResourceTemplate>;
  /**
   * Reads a resource by its URI.
   * @see https://modelcontextprotocol.io/specification/2026-07-28/server/resources#reading-resources
   */
  readResource(uri: SuggestedUri<ResourcesOf<S>>, options?: CallOptions): Promise<ReadResourceResult>;
  /**
   * Completes an argument of a prompt, or a variable of a resource template.
   * @see https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/completion
   */
  complete(params: Omit<CompleteParams, '_meta'>, options?: CallOptions): Promise<CompleteResult['completion']>;
  /**
   * Reports changes until the loop ends or the signal is aborted. Works with subscriptions and with
   * `subscriptions/listen`, and reopens broken streams.
   *
   * @throws TenonError `call/not-offered` if the server notifies of none of the resources and lists. The event `error`
   * reports it if the server notifies of some, and for undeclared lists until 2025-11-25, of which a server may notify.
   */
  watch(target: string | WatchOptions, options?: WatchCallOptions): AsyncIterable<ChangeEvent>;
  /**
   * Sets the minimum level of the log messages that the server sends, also on later connections. Deprecated in 2026-07-28.
   * @throws TenonError `options/invalid` for a level that the specification does not define, and `peer/error` if the server
   * refuses it.
   */
  setLogLevel(level: LoggingLevel): Promise<void>;
  /** Notifies the server that the roots have changed. Does nothing on versions without this notification. */
  notifyRootsChanged(): Promise<void>;
  /** Pings the server and resolves when it responds. */
  ping(options?: CallOptions): Promise<void>;
  /**
   * Calls any method of the protocol or of an extension. The table of methods types the methods of the protocol. With
   * `resolveInputRequests: false` the result may be an input request or a task.
   * @throws TenonError `call/unwritable`, before anything is sent, if JSON cannot represent a part of `params`.
   */
  call<M extends MethodName>(
    method: M,
    params: Methods[M]['params'],
    options: CallOptions & { readonly resolveInputRequests: false },
  ): Promise<Methods[M]['result']>;
  call<M extends MethodName>(
    method: M,
    params?: Methods[M]['params'],
    options?: CallOptions,
  ): Promise<FinalResult<Methods[M]['result']>>;
  call(method: string, params?: JsonObject, options?: CallOptions): Promise<JsonObject>;
  /** @internal */
  call(method: string, params: JsonObject, options: InternalCallOptions): Promise<JsonObject>;
  /**
   * Sends a notification. Rejects with `connection/closed` when the connection is closed.
   * @throws TenonError `call/unwritable`, before anything is sent, if JSON cannot represent a part of `params`.
   */
  notify(method: string, params?: JsonObject): Promise<void>;
  /** Listens to an event of the client. Returns a function that removes the listener. */
  on<E extends keyof ClientEvents>(event: E, listener: (event: ClientEvents[E]) => void): () => void;
  /** Current state of the connection. The event `state` reports changes. */
  readonly state: ConnectionState;
  /** The server and the protocol version in use. */
  readonly server: {
    readonly info: Implementation | undefined;
    readonly capabilities: ServerCapabilities;
    readonly instructions: string | undefined;
    readonly protocolVersion: string;
  };
  /**
   * Closes the connection, and aborts the signals of handlers. Open calls reject with `connection/closed`, or with
   * `call/outcome-unknown` if the server may have executed them.
   */
  close(): Promise<void>;
  /** Closes the connection at the end of an `await using` block. */
  [Symbol.asyncDispose](): Promise<void>;
}
