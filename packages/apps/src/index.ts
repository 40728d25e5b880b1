/**
 * Serve apps: pages that hosts show with the results of tools.
 *
 * @module @tenon/apps
 */
export type { Visibility } from './channel/ui-meta.js';
export type { AppCsp, AppPermissions } from './channel/ui-types.js';
export {
  type App,
  type AppMetadata,
  type AppOptions,
  type AppSource,
  type AppToolOptions,
  app,
  appOnly,
  supportsApps,
} from './server/app.js';
