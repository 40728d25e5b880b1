import { isObject, type JsonObject } from '../json/json-object.js';

/** Keys in `_meta` with the address of a page: those of earlier hosts. The current one is `resourceUri` of `ui`. */
const FLAT_KEYS = ['ui/resourceUri', 'openai/outputTemplate'] as const;

/** Replaces the addresses of pages in `_meta`. Returns the same object if none changes. */
export function mapPageAddresses<T extends { readonly _meta?: unknown }>(holder: T, map: (uri: string) => string): T {
  const { _meta: meta } = holder;
  if (!isObject(meta)) return holder;
  const changed: JsonObject = {};
  for (const key of FLAT_KEYS) {
    const uri = meta[key];
    if (typeof uri === 'string' && map(uri) !== uri) changed[key] = map(uri);
  }
  const { ui } = meta;
  if (isObject(ui) && typeof ui.resourceUri === 'string') {
    const resourceUri = map(ui.resourceUri);
    if (resourceUri !== ui.resourceUri) changed.ui = { ...ui, resourceUri };
  }
  return Object.keys(changed).length === 0 ? holder : { ...holder, _meta: { ...meta, ...changed } };
}

/** Lists the addresses of pages in the `_meta` of a tool. */
export function readPageAddresses({ _meta: meta }: { readonly _meta?: unknown }): string[] {
  if (!isObject(meta)) return [];
  const uris = [isObject(meta.ui) ? meta.ui.resourceUri : undefined, ...FLAT_KEYS.map(key => meta[key])];
  return uris.filter((uri): uri is string => typeof uri === 'string');
}
