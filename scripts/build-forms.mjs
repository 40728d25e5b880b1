// @ts-check
/**
 * Makes the JavaScript of the library: its entries and the parts that they share, as ES modules and as CommonJS. Few
 * files, because a program waits for each of them when it starts; readable, because names and lines are what a stack
 * trace tells.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { parseAst } from 'rolldown/parseAst';
import { library, readJson } from './process.mjs';

const source = join(library, 'src');
/** The client of Node, which `tenon` loads when it is first asked to connect. */
const CLIENT = 'runtimes/node/connect';
/** The client of all other runtimes: in a file of its own, a bundler sees that a server does without. */
const WEB_CLIENT = 'runtimes/web/connect';
/** The entry of `tenon` for bundlers: they leave out a client that is not used, and nothing has to be loaded later. */
const BUNDLED = 'index.bundled';
/** What asking works by, which the first handler loads that asks. */
const ASKING = 'execution/execution-runtime';
const { dependencies, peerDependencies } = readJson(join(library, 'package.json'));
/** What is installed beside the library. What it is built with goes into its own files. */
const installed = [...Object.keys(dependencies), ...Object.keys(peerDependencies)];

/** @typedef {{ getModuleInfo(id: string): { importedIds: readonly string[] } | null }} Graph */

/**
 * @param {readonly string[]} entries paths within the sources, without `.ts`
 * @param {Readonly<Record<'esm' | 'cjs', string>>} folders where each form goes
 */
export async function buildForms(entries, folders) {
  const build = await rolldown({
    input: {
      ...Object.fromEntries([...entries, BUNDLED].map(entry => [entry, pathOf(entry)])),
      'parts/connect': pathOf(CLIENT),
      'parts/connect-web': pathOf(WEB_CLIENT),
    },
    external: id => id.startsWith('node:') || installed.includes(id),
    platform: 'node',
    // A module in UMD form requires its parts in a way that no bundler follows.
    resolve: { extensionAlias: { '.js': ['.ts', '.js'] }, mainFields: ['module', 'main'] },
    transform: { target: 'es2022' },
    // As package.json has it: a module that nobody takes a name from is left out.
    treeshake: { moduleSideEffects: false },
    checks: { bundlerTimings: false },
    plugins: [bundledEntry, pureBeginnings],
    onLog(level, log) {
      if (level === 'warn') throw new Error(log.message);
    },
  });
  for (const [format, dir] of Object.entries(folders)) {
    await build.write({
      dir,
      format: format === 'esm' ? 'es' : 'cjs',
      strict: true,
      entryFileNames: '[name].js',
      chunkFileNames: 'parts/[name].js',
      // Text of one byte a character takes half the memory, and is read faster.
      charset: 'ascii',
      comments: { annotation: true, jsdoc: false, legal: false },
      codeSplitting: { groups: parts() },
    });
  }
  await build.close();
}

/** @param {string} entry */
const pathOf = entry => (entry === BUNDLED ? entry : join(source, `${entry}.ts`));

/** `tenon` on Node with its client at hand. @type {import('rolldown').Plugin} */
const bundledEntry = {
  name: 'bundled-entry',
  resolveId: id => (id === BUNDLED ? join(source, `${BUNDLED}.ts`) : undefined),
  async load(id) {
    if (id !== join(source, `${BUNDLED}.ts`)) return undefined;
    const text = await readFile(pathOf('index.node'), 'utf8');
    const later = `await import('./${CLIENT}.js')`;
    if (!text.includes(later)) throw new Error(`index.node.ts has no ${later}`);
    return `import { connect as now } from './${CLIENT}.js';\n${text.replace(later, '{ connect: now }')}`;
  },
};

/**
 * Says of each call that a module makes while it is loaded that it is done for its value alone: so a bundler can leave
 * out a part of a file, as it could leave out a module. @type {import('rolldown').Plugin}
 */
const pureBeginnings = {
  name: 'pure-beginnings',
  transform(code, id) {
    const places = new Set(parseAst(code, { lang: id.endsWith('.ts') ? 'ts' : 'js' }).body.flatMap(callsOf));
    let marked = code;
    for (const place of [...places].sort((a, b) => b - a)) {
      marked = `${marked.slice(0, place)}/* @__PURE__ */ ${marked.slice(place)}`;
    }
    return { code: marked, map: null };
  },
};

/** Where the calls begin that are made by a statement itself, not by a function in it. @param {any} node @returns {number[]} */
function callsOf(node) {
  if (typeof node !== 'object' || node === null) return [];
  if (Array.isArray(node)) return node.flatMap(callsOf);
  if (node.type === 'ExpressionStatement' || /Function|MethodDefinition|^TS/.test(node.type)) return [];
  const inner = Object.values(node).flatMap(callsOf);
  return node.type === 'CallExpression' || node.type === 'NewExpression' ? [node.start, ...inner] : inner;
}

/**
 * The files that are shared, the first before the others: what a server on stdio needs to start, but for what nobody
 * else needs; what asking takes beyond that, and what a client takes. The rest is put together by who uses it.
 * @returns {import('rolldown').CodeSplittingGroup[]}
 */
function parts() {
  return [
    part('core', 2, modulesOf => {
      const calling = new Set([...modulesOf('index'), ...modulesOf(CLIENT)]);
      const stdio = [...modulesOf('stdio')].filter(id => calling.has(id));
      return without('index.node', [...modulesOf('index.node'), ...stdio]);
    }),
    part('asking', 1, modulesOf => without(ASKING, modulesOf(ASKING))),
    part('client', 1, modulesOf => without('index', without(WEB_CLIENT, modulesOf('index')))),
  ];
}

/**
 * @param {string} name
 * @param {number} priority
 * @param {(modulesOf: (entry: string) => Set<string>) => Set<string>} chosen of those that are loaded with an entry
 */
function part(name, priority, chosen) {
  /** @type {Set<string> | undefined} */
  let modules;
  return {
    name: (/** @type {string} */ id, /** @type {Graph} */ graph) => {
      modules ??= chosen(entry => reached(pathOf(entry), graph));
      return modules.has(id) ? name : null;
    },
    debugName: name,
    priority,
  };
}

/** @param {string} entry @param {Iterable<string>} modules */
function without(entry, modules) {
  const others = new Set(modules);
  others.delete(pathOf(entry));
  return others;
}

/** The modules that are loaded with one, and itself. @param {string} from @param {Graph} graph */
function reached(from, graph) {
  const seen = new Set([from]);
  for (const id of seen) for (const next of graph.getModuleInfo(id)?.importedIds ?? []) seen.add(next);
  return seen;
}
