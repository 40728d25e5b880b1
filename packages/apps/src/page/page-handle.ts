import type { Client } from 'tenon';
import type { JsonObject } from '../channel/messages.js';
import type {
  CallToolResult,
  ContentBlock,
  DisplayMode,
  DownloadContent,
  HostCapabilities,
  HostContext,
  Implementation,
  ModelContext,
} from '../channel/ui-types.js';
import type { PageTools } from './page-options.js';

/** The arguments of a call without its options. */
type InputArguments<A extends readonly unknown[]> = A extends readonly [infer I, ...unknown[]]
  ? [input: I]
  : A extends readonly [(infer I)?, ...unknown[]]
    ? [input?: I]
    : never;
type PageCall<F> = F extends (...args: infer A) => infer R ? (...args: InputArguments<A>) => R : never;

/** Tools of the server, by name, with the types of `connectToHost<typeof server>`. */
export type ServerTools<S> = { readonly [N in keyof Client<S>['tools']]: PageCall<Client<S>['tools'][N]> };

/** Options of a call to the server. */
export interface ServerCallOptions {
  /**
   * Cancels the call.
   * @default none
   */
  readonly signal?: AbortSignal | undefined;
}

/** Severity of a log message. */
export type LogLevel = 'debug' | 'info' | 'notice' | 'warning' | 'error' | 'critical' | 'alert' | 'emergency';

/** The host of a page. Methods throw `AppError` if the host refuses, or does not support, the request. */
export interface PageHandle<S = unknown> {
  /** Name and version of the host. Untrusted. */
  readonly host: Implementation;
  /** Features that the host offers. */
  readonly capabilities: HostCapabilities;
  /** Theme, language, size and display mode. Changes are merged. */
  readonly context: HostContext;
  /**
   * Tools of the page's server by name, if they are visible to apps. Resolves to the structured content of the result, or to
   * the whole result if it has none. Throws `AppError` for a result with `isError`.
   */
  readonly tools: ServerTools<S>;
  /** Calls a tool of the page's server, and returns the whole result, also with `isError`. */
  callTool(name: string, input?: JsonObject, options?: ServerCallOptions): Promise<CallToolResult>;
  /** Reads a resource of the page's server. */
  readResource(uri: string, options?: ServerCallOptions): Promise<JsonObject>;
  /** Asks the host to open a link with `http:` or `https:` outside of the page. */
  openLink(url: string): Promise<void>;
  /** Adds a message of the user to the conversation, which may start a turn of the model. */
  sendMessage(content: string | readonly ContentBlock[]): Promise<void>;
  /** Gives the model context for its later turns. It replaces the context of an earlier call. */
  updateModelContext(context: ModelContext): Promise<void>;
  /** Requests a display mode, and returns the one in effect. Does not ask a host that does not offer the mode. */
  requestDisplayMode(mode: DisplayMode): Promise<DisplayMode>;
  /** Asks the host to download files, given as embedded resources or resource links. */
  downloadFile(contents: readonly DownloadContent[]): Promise<void>;
  /** Requests a message from the model. The params and the result are those of `sampling/createMessage`. */
  createMessage(params: JsonObject): Promise<JsonObject>;
  /** Reports the size of the content, in pixels. Only needed with `reportsSize: false`. */
  reportSize(size: { readonly width: number; readonly height: number }): void;
  /** Sends a log message. A host without logging ignores it. */
  log(level: LogLevel, data: unknown): void;
  /** Replaces the tools of the page and tells the host. Needs the option `tools` at the start. */
  setTools(tools: PageTools): void;
  /** Asks the host to remove the page. The host may refuse. Otherwise `onTeardown` is called. */
  requestTeardown(): void;
  /** Stops to listen to the host. */
  close(): void;
}
