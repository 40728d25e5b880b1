import type { JsonObject } from '../channel/messages.js';
import type { CallToolResult, Tool } from '../channel/ui-types.js';

/** Options of a request to a server. */
export interface AppServerOptions {
  /** Cancels the request. */
  readonly signal?: AbortSignal | undefined;
}

/** The connection to the server of an app, such as a `Client` of `connect`. An app never reaches another server. */
export interface AppServer {
  /** Lists the tools, over all pages. */
  listTools(options?: AppServerOptions): AsyncIterable<Tool>;
  /** Calls a tool, and returns its whole result. */
  callTool(name: string, input?: JsonObject, options?: AppServerOptions): Promise<CallToolResult>;
  /** Reads a resource. */
  readResource(uri: string, options?: AppServerOptions): Promise<{ readonly contents: readonly object[] }>;
  /** Lists the resources, over all pages. */
  listResources(
    options?: AppServerOptions,
  ): AsyncIterable<{ readonly uri: string; readonly _meta?: object | undefined }>;
}
