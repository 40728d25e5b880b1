import type { JsonObject } from '../channel/messages.js';
import type {
  AppPermissions,
  CallToolResult,
  ContentBlock,
  DisplayMode,
  DownloadContent,
  HostContext,
  Implementation,
  ModelContext,
  Tool,
} from '../channel/ui-types.js';
import type { AppContainer } from './host-document.js';

/** A request of a page that the host may refuse. */
export type AppRequest =
  | { readonly kind: 'tool'; readonly tool: Tool; readonly input: JsonObject }
  | { readonly kind: 'resource'; readonly uri: string };

/** A message between the host and a page, for logs and audits. */
export interface TracedMessage {
  /** Direction of the message. */
  readonly direction: 'from-app' | 'to-app';
  /** The message, or the error of a message that is not valid. */
  readonly message: unknown;
}

/** Limits of one page. */
export interface ViewLimits {
  /**
   * Maximum length of a message of the page as JSON text.
   * @default 4,194,304 characters
   */
  readonly maxMessageLength?: number | undefined;
  /**
   * Maximum number of messages of the page per second. A page that sends more is removed.
   * @default 500
   */
  readonly maxMessageRate?: number | undefined;
  /**
   * Maximum number of open requests of the page.
   * @default 32
   */
  readonly maxRequests?: number | undefined;
  /**
   * Maximum length of the HTML.
   * @default 8,388,608 characters
   */
  readonly maxHtmlLength?: number | undefined;
  /**
   * Maximum number of tools of the page.
   * @default 50
   */
  readonly maxTools?: number | undefined;
}

/** Options of `showApp`. A feature whose function is missing is not offered to the page. */
export interface ViewOptions {
  /** Element in which the host shows the page. */
  readonly container: AppContainer;
  /** URL of the sandbox page of `createSandboxResponse`, at another origin than that of the host. */
  readonly sandboxUrl: string;
  /** The tool whose call shows the page. Its `_meta.ui.resourceUri` is the page. */
  readonly tool: Tool;
  /** Name and version of the host, for the page. */
  readonly host: Implementation;
  /**
   * Theme, language, time zone and size for the page. `toolInfo` is set to the tool.
   * @default no members
   */
  readonly context?: HostContext | undefined;
  /**
   * Decides about permissions that the page requests.
   * @default refuses all
   */
  readonly grantPermissions?: ((requested: AppPermissions) => AppPermissions | Promise<AppPermissions>) | undefined;
  /**
   * Decides about a call of a tool, or a read of a resource, by the page. Only `true` allows it. Only tools with the
   * visibility `app` get here.
   * @default allows all
   */
  readonly allowRequest?: ((request: AppRequest) => boolean | Promise<boolean>) | undefined;
  /** Opens a link. Show the whole URL to the user first. The URL has the scheme `http:` or `https:`. */
  readonly openLink?: ((url: URL) => void | Promise<void>) | undefined;
  /** Adds a message of the user to the conversation. Throw an `AppError` to refuse it. */
  readonly sendMessage?: ((content: readonly ContentBlock[]) => void | Promise<void>) | undefined;
  /** Keeps context for the model. Each call replaces the context of the previous call. */
  readonly updateModelContext?: ((context: ModelContext) => void | Promise<void>) | undefined;
  /** Changes the display mode, and returns the mode in effect. Only called with modes that both sides support. */
  readonly changeDisplayMode?: ((mode: DisplayMode) => DisplayMode | Promise<DisplayMode>) | undefined;
  /** Downloads files. Ask the user first, and use no more than the last segment of a URI as the name of a file. */
  readonly downloadFile?: ((contents: readonly DownloadContent[]) => void | Promise<void>) | undefined;
  /** Requests a message from the model, with the params and the result of `sampling/createMessage`. Ask the user first. */
  readonly createMessage?: ((params: JsonObject, signal: AbortSignal) => Promise<JsonObject>) | undefined;
  /** Receives a log message of the page. */
  readonly log?: ((level: string, data: unknown) => void) | undefined;
  /** Called when the page asks to be removed. Call `close` of the view to accept. */
  readonly onTeardownRequest?: (() => void) | undefined;
  /** Called when the size of the content has changed, in pixels. The height of the frame follows it without this option. */
  readonly onSizeChange?: ((size: { readonly width?: number; readonly height?: number }) => void) | undefined;
  /** Called when the tools of the page may have changed. */
  readonly onToolsChange?: (() => void) | undefined;
  /** Called with each message in both directions. */
  readonly onMessage?: ((traced: TracedMessage) => void) | undefined;
  /** Called with each message that is refused as malformed or unexpected, and with each invalid part of the metadata. */
  readonly onProblem?: ((problem: string) => void) | undefined;
  /** Called once when the page is gone. */
  readonly onClose?: ((reason: string) => void) | undefined;
  /** Limits of the page. */
  readonly limits?: ViewLimits | undefined;
  /**
   * Maximum time for the page to load, and to answer a request of the host, in milliseconds.
   * @default 30,000
   */
  readonly timeout?: number | undefined;
  /**
   * Maximum time that `close` waits for the page, in milliseconds.
   * @default 1,000
   */
  readonly teardownTimeout?: number | undefined;
  /**
   * Timer and clock, for tests.
   * @default those of the browser
   */
  readonly clock?: ViewClock | undefined;
}

/** Time for a view. */
export interface ViewClock {
  /** Returns the time in milliseconds. */
  now(): number;
  /** Calls a function once after a delay in milliseconds. Returns a function that cancels it. */
  setTimer(callback: () => void, delay: number): () => void;
}

/** A shown page. */
export interface AppView {
  /** Sends a part of the arguments while the model writes them. Ignored after `sendToolInput`. */
  sendPartialToolInput(input: JsonObject): void;
  /** Sends the complete arguments. Only the first call has an effect. */
  sendToolInput(input: JsonObject): void;
  /** Sends the result of the tool call. Without a call of `sendToolInput`, empty arguments are sent before. */
  sendToolResult(result: CallToolResult): void;
  /** Tells the page that the tool call was cancelled. */
  sendToolCancelled(reason?: string): void;
  /** Changes parts of the context. */
  changeContext(changes: HostContext): void;
  /** Lists the tools of the page. Their descriptions are untrusted. Empty if the page has declared no tools. */
  listTools(): Promise<readonly Tool[]>;
  /** Calls a tool of the page. Its result is untrusted. Throws `AppError` if the page is gone or has no tools. */
  callTool(name: string, input?: JsonObject): Promise<CallToolResult>;
  /** Resolves when the page is initialized. Rejects with `AppError` if it is removed before. */
  readonly ready: Promise<void>;
  /** Tells the page that it will be removed, waits for its response, and removes it. */
  close(reason?: string): Promise<void>;
}
