import { isObject, type JsonObject } from '@tenon/base';

/** Extension for pages of servers, which hosts show. */
export const UI_EXTENSION = 'io.modelcontextprotocol/ui';
/** Extension for skills. */
export const SKILLS_EXTENSION = 'io.modelcontextprotocol/skills';

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

interface Marked {
  readonly _meta?: unknown;
}

const addressesByList = new WeakMap<readonly Marked[], readonly string[]>();
const hiddenByList = new WeakMap<readonly Marked[], ReadonlySet<number>>();

/** Lists the addresses of the pages of all tools of a list. A list is read once, because it never changes. */
export function listPageAddresses(tools: readonly Marked[]): readonly string[] {
  const known = addressesByList.get(tools) ?? tools.flatMap(listAddressesOf);
  addressesByList.set(tools, known);
  return known;
}

/** Lists the positions of the tools of a list that are not for the model. A list is read once, because it never changes. */
export function findHiddenFromModel(tools: readonly Marked[]): ReadonlySet<number> {
  const known = hiddenByList.get(tools) ?? new Set(tools.flatMap((tool, index) => (isForModel(tool) ? [] : [index])));
  hiddenByList.set(tools, known);
  return known;
}

const forModelByList = new WeakMap<readonly Marked[], readonly Marked[]>();

/** Returns the tools of a list that are for the model. Equal lists get the same array, so that indexes of it are kept. */
export function selectForModel<T extends Marked>(tools: readonly T[]): readonly T[] {
  const hidden = findHiddenFromModel(tools);
  if (hidden.size === 0) return tools;
  const known = (forModelByList.get(tools) as readonly T[] | undefined) ?? tools.filter((_, at) => !hidden.has(at));
  forModelByList.set(tools, known);
  return known;
}

function listAddressesOf({ _meta: meta }: Marked): string[] {
  if (!isObject(meta)) return [];
  const uris = [isObject(meta.ui) ? meta.ui.resourceUri : undefined, ...FLAT_KEYS.map(key => meta[key])];
  return uris.filter((uri): uri is string => typeof uri === 'string');
}

/** Tells if a tool is for the model. A tool without `visibility` is. */
function isForModel({ _meta: meta }: Marked): boolean {
  const visibility = readVisibility(meta);
  return visibility === undefined || visibility.includes('model');
}

/** Tells if the server marks a tool as one that pages of apps may call. A tool that names no visibility has both. */
export function isMarkedForApps({ _meta: meta }: Marked): boolean {
  if (!isObject(meta) || !isObject(meta.ui)) return false;
  const visibility = readVisibility(meta);
  return visibility === undefined || visibility.includes('app');
}

function readVisibility(meta: unknown): readonly unknown[] | undefined {
  if (!isObject(meta) || !isObject(meta.ui) || meta.ui.visibility === undefined) return undefined;
  return Array.isArray(meta.ui.visibility) ? meta.ui.visibility : [];
}
