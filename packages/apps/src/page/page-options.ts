import type { JsonObject } from '../channel/messages.js';
import type { CallToolResult, DisplayMode, HostContext } from '../channel/ui-types.js';

/** A tool of the page, which the host may call while the page is shown. */
export interface PageTool {
  /** Name for people. */
  readonly title?: string | undefined;
  /** Describes to the model what the tool does. */
  readonly description?: string | undefined;
  /**
   * JSON Schema of the arguments. The page does not validate by it: check the arguments in `run`.
   * @default no arguments
   */
  readonly inputSchema?: JsonObject | undefined;
  /** Hints about the behavior of the tool. A host may ask the user before it runs a tool without `readOnlyHint: true`. */
  readonly annotations?: JsonObject | undefined;
  /** Handles a call. An exception becomes a result with `isError`. */
  run(input: JsonObject): CallToolResult | string | Promise<CallToolResult | string>;
}

/** Tools of a page, by name. */
export interface PageTools {
  readonly [name: string]: PageTool;
}

/** Options of `connectToHost`. */
export interface PageOptions {
  /** Name of the app, for the host. */
  readonly name: string;
  /** Version of the app. */
  readonly version: string;
  /**
   * Display modes that the page supports.
   * @default `['inline']`
   */
  readonly displayModes?: readonly DisplayMode[] | undefined;
  /**
   * Reports the size of the document to the host whenever it changes.
   * @default true
   */
  readonly reportsSize?: boolean | undefined;
  /**
   * Applies the theme of the host to the document: color scheme, CSS variables and fonts.
   * @default true
   */
  readonly appliesTheme?: boolean | undefined;
  /**
   * Tools that the host may call.
   * @default none
   */
  readonly tools?: PageTools | undefined;
  /** Called with the complete arguments of the tool call that shows the page. */
  readonly onToolInput?: ((input: JsonObject) => void) | undefined;
  /**
   * Called while the model writes the arguments. They are incomplete, and members may still change or disappear: show them,
   * and use them for nothing else.
   */
  readonly onPartialToolInput?: ((input: JsonObject) => void) | undefined;
  /** Called with the result of the tool call that shows the page. */
  readonly onToolResult?: ((result: CallToolResult) => void) | undefined;
  /** Called if the tool call was cancelled, for any reason. */
  readonly onToolCancelled?: ((reason: string | undefined) => void) | undefined;
  /** Called with the whole context after the host has changed a part of it, and once at the start. */
  readonly onContext?: ((context: HostContext) => void) | undefined;
  /** Called before the host removes the page. The host waits a moment for the promise. */
  readonly onTeardown?: ((reason: string | undefined) => void | Promise<void>) | undefined;
  /**
   * Maximum length of a message of the host, as JSON text.
   * @default 16,777,216 characters
   */
  readonly maxMessageLength?: number | undefined;
}
