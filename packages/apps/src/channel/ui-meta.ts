import { requireArgument } from './known-options.js';
import { isObject } from './messages.js';

/** ID of the extension in the capabilities of clients and servers. */
export const UI_EXTENSION = 'io.modelcontextprotocol/ui';
/** Media type of the page of an app. */
export const UI_MIME_TYPE = 'text/html;profile=mcp-app';
/** Extension of a client that shows apps: `connect(url, { extensions: [appsExtension] })`. */
export const appsExtension = { id: UI_EXTENSION, settings: { mimeTypes: [UI_MIME_TYPE] } } as const;
/** Key in the `_meta` of a tool that hosts before the version 2026-01-26 read. */
export const FLAT_RESOURCE_KEY = 'ui/resourceUri';

/** Callers of a tool: the model, or the page of an app. */
export type Visibility = 'model' | 'app';

interface HasMeta {
  readonly _meta?: object | undefined;
}

/** Returns the URI of the page that shows the results of a tool, or `undefined` if it has none. */
export function getAppUri(tool: HasMeta): string | undefined {
  requireArgument('`tool` of getAppUri', tool, 'a tool', isObject);
  const { _meta } = tool;
  const meta: { readonly [key: string]: unknown } = { ..._meta };
  const uri = isObject(meta.ui) && meta.ui.resourceUri !== undefined ? meta.ui.resourceUri : meta[FLAT_RESOURCE_KEY];
  return typeof uri === 'string' && uri.startsWith('ui://') ? uri : undefined;
}

/** Tells if a tool is visible to the model or to pages. A tool without `visibility` is visible to both. */
export function isVisibleTo(visibility: Visibility, tool: HasMeta): boolean {
  requireArgument('`tool` of isVisibleTo', tool, 'a tool', isObject);
  const { _meta } = tool;
  const { ui }: { readonly ui?: unknown } = { ..._meta };
  if (!isObject(ui) || ui.visibility === undefined) return true;
  return Array.isArray(ui.visibility) && ui.visibility.includes(visibility);
}
