import { isObject, readPageAddresses } from '@tenon/base';
import { memoizeByList } from './memoize-by-list.js';

/** Extension for pages of servers, which hosts show. */
export const UI_EXTENSION = 'io.modelcontextprotocol/ui';
/** Extension for skills. */
export const SKILLS_EXTENSION = 'io.modelcontextprotocol/skills';

interface Marked {
  readonly _meta?: unknown;
}

/** Lists the addresses of the pages of all tools of a list. */
export const listPageAddresses = memoizeByList((tools: readonly Marked[]): readonly string[] =>
  tools.flatMap(readPageAddresses),
);

/** Lists the positions of the tools of a list that are not for the model. */
export const findHiddenFromModel = memoizeByList(
  (tools: readonly Marked[]): ReadonlySet<number> =>
    new Set(tools.flatMap((tool, index) => (isForModel(tool) ? [] : [index]))),
);

const forModelByList = new WeakMap<readonly Marked[], readonly Marked[]>();

/** Returns the tools of a list that are for the model. Equal lists get the same array, so that indexes of it are kept. */
export function selectForModel<T extends Marked>(tools: readonly T[]): readonly T[] {
  const hidden = findHiddenFromModel(tools);
  if (hidden.size === 0) return tools;
  const known = (forModelByList.get(tools) as readonly T[] | undefined) ?? tools.filter((_, at) => !hidden.has(at));
  forModelByList.set(tools, known);
  return known;
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
