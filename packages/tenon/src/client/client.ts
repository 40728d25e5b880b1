/// <reference lib="esnext.disposable" preserve="true" />
import type { JsonObject } from '../jsonrpc/message.js';
import type { InputRequiredResult } from '../model/asking.js';
import type { ServerCapabilities } from '../model/capabilities.js';
import type { Implementation, LoggingLevel, Prompt, Resource, ResourceTemplate, Tool } from '../model/content.js';
import type { MethodName, Methods } from '../model/methods.js';
import type {
  CallToolResult,
  CompleteParams,
  CompleteResult,
  GetPromptResult,
  ReadResourceResult,
} from '../model/shapes.js';
import type { CreateTaskResult } from '../model/tasks.js';
import type { CallOptions, Events, State } from './options.js';
import type { Tasks } from './tasks/handle.js';

/** What `connect<typeof server>` reads of a server's type: what its tools and prompts take and give. */
export interface Offers {
  readonly types?: { readonly tools: unknown; readonly prompts: unknown; readonly resources: unknown } | undefined;
}

type ToolsOf<S> = S extends { readonly types?: { readonly tools: infer T } | undefined } ? T : unknown;
type PromptsOf<S> = S extends { readonly types?: { readonly prompts: infer P } | undefined } ? P : unknown;
/** Looked up, not inferred: a server has hundreds of tools, and that costs the compiler less. */
export type InputOf<D> = D extends { readonly types?: { readonly input: unknown } }
  ? NonNullable<D['types']>['input']
  : unknown;
type OutputOf<D> = D extends { readonly types?: { readonly output: unknown } }
  ? NonNullable<D['types']>['output']
  : unknown;

/** What a tool call resolves to: its structured content when the tool has an output schema, else the whole result. */
export type ToolResult<D> = unknown extends OutputOf<D> ? CallToolResult : OutputOf<D>;

type Call<I, R> = [I] extends [undefined]
  ? (input?: Record<string, never>, options?: CallOptions) => Promise<R>
  : unknown extends I
    ? (input?: Record<string, unknown>, options?: CallOptions) => Promise<R>
    : (input: I, options?: CallOptions) => Promise<R>;

type AnyTools = {
  readonly [name: string]: (input?: Record<string, unknown>, options?: CallOptions) => Promise<unknown>;
};
type AnyPrompts = {
  readonly [name: string]: (input?: Record<string, string>, options?: CallOptions) => Promise<GetPromptResult>;
};

export type ToolCalls<T> = string extends keyof T
  ? AnyTools
  : unknown extends T
    ? AnyTools
    : { readonly [N in keyof T]: Call<InputOf<T[N]>, ToolResult<T[N]>> };

export type PromptCalls<P> = string extends keyof P
  ? AnyPrompts
  : unknown extends P
    ? AnyPrompts
    : { readonly [N in keyof P]: Call<InputOf<P[N]>, GetPromptResult> };

/** What to watch: resources by URI, lists by name. */
export interface Watch {
  readonly uris?: readonly string[];
  readonly tools?: boolean;
  readonly prompts?: boolean;
  readonly resources?: boolean;
}

export type Change = Events['change'];

/** What a method comes to when questions are answered, and tasks waited for. */
type Final<R> = Exclude<R, InputRequiredResult | CreateTaskResult>;

/** A client of one server, whatever revision it speaks and whatever road leads to it. */
export interface Client<S = unknown> {
  /** The server's tools as functions. Rejects with `tool/failed` when the tool says that it failed. */
  readonly tools: ToolCalls<ToolsOf<S>>;
  /** The server's prompts as functions. */
  readonly prompts: PromptCalls<PromptsOf<S>>;
  /** Calls that go on as tasks. `client.tools.x` waits for them by itself. */
  readonly tasks: Tasks<ToolsOf<S>>;
  readonly resources: {
    /** All resources, over all pages. */
    list(options?: CallOptions): AsyncIterable<Resource>;
    templates(options?: CallOptions): AsyncIterable<ResourceTemplate>;
    read(uri: string, options?: CallOptions): Promise<ReadResourceResult>;
  };
  /** All tools, over all pages. Over HTTP, without those whose header annotations are wrong: `problem` names them. */
  listTools(options?: CallOptions): AsyncIterable<Tool>;
  listPrompts(options?: CallOptions): AsyncIterable<Prompt>;
  /** Calls a tool and returns its whole result, also one that says that it failed. */
  callTool(name: string, input?: JsonObject, options?: CallOptions): Promise<CallToolResult>;
  complete(params: Omit<CompleteParams, '_meta'>, options?: CallOptions): Promise<CompleteResult['completion']>;
  /** Tells of changes until it is left or aborted, in either manner of watching; survives broken streams. */
  watch(what: string | Watch, options?: { readonly signal?: AbortSignal }): AsyncIterable<Change>;
  /** The least severe log messages to send from here on. */
  setLogLevel(level: LoggingLevel): Promise<void>;
  /** Tells the server that the roots have changed, where its revision has a word for that. */
  rootsChanged(): Promise<void>;
  /** Resolves when the server is there. */
  ping(options?: CallOptions): Promise<void>;
  /** Any method of the protocol, typed by the table; or one of an extension. With `manual: true` it may give a question, or a task. */
  call<M extends MethodName>(
    method: M,
    params: Methods[M]['params'],
    options: CallOptions & { readonly manual: true },
  ): Promise<Methods[M]['result']>;
  call<M extends MethodName>(
    method: M,
    params?: Methods[M]['params'],
    options?: CallOptions,
  ): Promise<Final<Methods[M]['result']>>;
  call(method: string, params?: JsonObject, options?: CallOptions): Promise<JsonObject>;
  notify(method: string, params?: JsonObject): Promise<void>;
  /** Listens to what the client tells of. Returns the function that stops it. */
  on<E extends keyof Events>(event: E, listener: (event: Events[E]) => void): () => void;
  readonly state: State;
  /** What is known of the server, and of the conversation with it. */
  readonly server: {
    readonly info: Implementation | undefined;
    readonly capabilities: ServerCapabilities;
    readonly instructions: string | undefined;
    readonly revision: string;
  };
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}
