import { getImports, getLayer, type Import, type Source } from './source.js';

interface Layer {
  /** The folders whose code it may load, and, beside those, the folders whose types it may name. */
  readonly values: readonly string[];
  readonly types?: readonly string[];
}

const ground = ['jsonrpc', 'protocol'];
/** The one file beside the folders that all may load: it imports nothing. */
const foundation = 'version.ts';
const talk = [...ground, 'protocol/versions', 'protocol/negotiation', 'schemas', 'execution'];

/** Folders that each folder of the library may import. A folder that is not named here may not exist. */
const LAYERS: Readonly<Record<string, Layer>> = {
  jsonrpc: { values: [] },
  protocol: {
    values: ['jsonrpc'],
    types: ['protocol/versions', 'execution', 'stores'],
  },
  schemas: { values: ground },
  stores: { values: ground },
  auth: { values: [...ground, 'stores'] },
  'protocol/versions': { values: ground },
  'protocol/negotiation': { values: [...ground, 'protocol/versions'] },
  execution: { values: [...ground, 'protocol/versions', 'schemas', 'stores'] },
  handler: { values: [...ground, 'schemas'] },
  telemetry: { values: ground, types: ['protocol/versions', 'protocol/negotiation', 'execution'] },
  transports: {
    values: [...ground, 'stores'],
    types: ['protocol/versions', 'protocol/negotiation', 'execution', 'auth'],
  },
  extensions: { values: [...talk, 'stores'], types: ['handler', 'server', 'client'] },
  server: { values: [...talk, 'stores', 'telemetry', 'auth', 'handler'] },
  client: { values: [...talk, 'stores', 'telemetry', 'auth', 'transports'] },
  compose: { values: [...talk, 'handler', 'server'] },
  proxy: { values: [...talk, 'handler', 'server', 'client'] },
  runtimes: { values: [...talk, 'stores', 'auth', 'transports', 'server', 'client'] },
};

/** Folders that each folder of `@tenon/base` may import. */
const BASE_LAYERS: Readonly<Record<string, Layer>> = {
  json: { values: [] },
  redaction: { values: ['json'] },
  timing: { values: ['errors'] },
  errors: { values: ['json', 'redaction'] },
  encoding: { values: ['json', 'timing'] },
  limits: { values: ['json', 'errors'] },
  options: { values: ['json', 'errors', 'uris'] },
  stores: { values: ['json', 'errors', 'timing'], types: ['encoding'] },
  net: { values: ['errors', 'timing', 'options', 'uris'] },
  uris: { values: ['json'] },
  oauth: { values: ['json', 'redaction', 'errors', 'timing', 'encoding', 'options', 'net', 'uris'], types: ['stores'] },
  proxy: { values: [...talk, 'handler', 'server', 'client'] },
  runtimes: { values: ['errors', 'timing'] },
};

/** The rim: the only place that names a platform's own modules, and the entries that lead to it. */
const rim = 'runtimes/node/';
const nodeEntries = [
  'index.node.ts',
  'host-internals-node.ts',
  'node.ts',
  'stdio.ts',
  'sqlite.ts',
  'auth-node.ts',
  'auth.node.ts',
];

/** Imports that go up, or sideways to where they may not. */
export const findForbiddenImports = (source: Source): string[] => findImportsOutside(source, LAYERS);

/** The same for `@tenon/base`. */
export const findForbiddenBaseImports = (source: Source): string[] => findImportsOutside(source, BASE_LAYERS);

function findImportsOutside(source: Source, layers: Readonly<Record<string, Layer>>): string[] {
  const from = getLayer(source.path);
  if (from === '') return [];
  const layer = layers[from];
  if (layer === undefined) return [`${source.path}: the architecture has no folder ${from}`];
  return getLocalImports(source).flatMap(each => {
    const to = getLayer(each.target);
    const allowed = each.isTypeOnly ? [...layer.values, ...(layer.types ?? [])] : layer.values;
    if (to === from || allowed.includes(to) || each.target === foundation) return [];
    return [`${source.path} imports ${each.isTypeOnly ? 'types' : 'values'} of ${each.target}`];
  });
}

/** Modules of Node outside the rim, and code outside the rim that loads it. */
export function findPlatformImports(source: Source): string[] {
  if (source.path.startsWith(rim)) return [];
  return getImports(source).flatMap(each => {
    const platform = /^(node|bun|cloudflare|deno):/.test(each.target);
    const loadsRim = !each.isTypeOnly && each.target.startsWith(rim) && !nodeEntries.includes(source.path);
    return platform || loadsRim ? [`${source.path} imports ${each.target}`] : [];
  });
}

/** Imports of packages that use the library. `@tenon/base` uses none. */
export function findDependentImports(source: Source): string[] {
  const dependent = getImports(source).filter(({ target }) => /^@tenon\/(?!base(?:\/|$))/.test(target));
  return dependent.map(({ target }) => `${source.path} imports ${target}`);
}

/** What a package takes of the library past the entries that everybody has. */
export function findDeepImports(source: Source, entries: readonly string[]): string[] {
  const isOfLibrary = (target: string) =>
    /^(?:tenon|@tenon\/base)(?:\/|$)/.test(target) || /packages\/(?:tenon|base)\//.test(target);
  const taken = getImports(source).filter(({ target }) => isOfLibrary(target) && !entries.includes(target));
  return taken.map(({ target }) => `${source.path} imports ${target}`);
}

/** Rings of files that load each other. Each ring is told once. */
export function findImportCycles(sources: readonly Source[]): string[] {
  const graph = new Map(sources.map(source => [source.path, getLoadedFiles(source)]));
  const done = new Set<string>();
  const rings: string[] = [];
  const visit = (path: string, road: readonly string[]): void => {
    const start = road.indexOf(path);
    if (start >= 0) rings.push([...road.slice(start), path].join(' → '));
    if (start >= 0 || done.has(path)) return;
    for (const next of graph.get(path) ?? []) visit(next, [...road, path]);
    done.add(path);
  };
  for (const path of graph.keys()) visit(path, []);
  return rings;
}

/** Groups of files that name each other, directly or through others of the group: by values or types, the largest group first. */
export function findTypeCycles(sources: readonly Source[]): string[][] {
  const graph = new Map(
    sources.map(source => [
      source.path,
      getLocalImports(source).flatMap(each => (each.isDeferred ? [] : [each.target])),
    ]),
  );
  // Tarjan's algorithm: a file whose lowest reachable number is its own closes a group.
  const numbers = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const groups: string[][] = [];
  const visit = (path: string): number => {
    const number = numbers.size;
    numbers.set(path, number);
    lowest.set(path, number);
    open.push(path);
    for (const next of graph.get(path) ?? []) {
      if (!graph.has(next)) continue;
      const reached = numbers.has(next) ? (open.includes(next) ? (numbers.get(next) ?? 0) : number) : visit(next);
      lowest.set(path, Math.min(lowest.get(path) ?? number, reached));
    }
    if (lowest.get(path) === number) {
      const group = open.splice(open.indexOf(path));
      if (group.length > 1) groups.push(group.sort());
    }
    return lowest.get(path) ?? number;
  };
  for (const path of graph.keys()) if (!numbers.has(path)) visit(path);
  return groups.sort((one, other) => other.length - one.length);
}

const getLocalImports = (source: Source): readonly Import[] =>
  getImports(source).filter(each => each.target.endsWith('.ts'));

const getLoadedFiles = (source: Source): string[] =>
  getLocalImports(source).flatMap(each => (each.isImmediate ? [each.target] : []));
