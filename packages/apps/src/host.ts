/**
 * Show apps in a browser, for hosts.
 *
 * @module @tenon/apps/host
 */
export { AppError } from './channel/app-error.js';
export type { JsonObject } from './channel/messages.js';
export { appsExtension, getAppUri, isVisibleTo, type Visibility } from './channel/ui-meta.js';
export type {
  AppCsp,
  AppPermissions,
  ContainerDimensions,
  DisplayMode,
  DownloadContent,
  HostContext,
  ModelContext,
} from './channel/ui-types.js';
export type { AppServer, AppServerOptions } from './host/app-server.js';
export type { AppContainer, AppFrame, HostMessage, HostWindow } from './host/host-document.js';
export { type AppResource, type ReadAppOptions, readApp } from './host/read-app.js';
export { showApp } from './host/show-app.js';
export type { AppRequest, AppView, TracedMessage, ViewClock, ViewLimits, ViewOptions } from './host/view-options.js';
