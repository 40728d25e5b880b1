/**
 * Write the page of an app: the HTML document that a host shows.
 *
 * @module @tenon/apps/page
 */
export { AppError } from './channel/app-error.js';
export type { JsonObject } from './channel/messages.js';
export type {
  AppCsp,
  AppPermissions,
  ContainerDimensions,
  DisplayMode,
  DownloadContent,
  HostCapabilities,
  HostContext,
  ModelContext,
} from './channel/ui-types.js';
export { connectToHost } from './page/connect-to-host.js';
export type { LogLevel, PageHandle, ServerCallOptions, ServerTools } from './page/page-handle.js';
export type { PageOptions, PageTool, PageTools } from './page/page-options.js';
