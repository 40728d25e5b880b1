// @ts-check
/**
 * Makes the JavaScript of the library: its entries and the parts that they share, as ES modules and as CommonJS. Few
 * files, because a program waits for each of them when it starts; readable, because names and lines are what a stack
 * trace tells.
 */
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { rolldown } from 'rolldown';
import { parseAst } from 'rolldown/parseAst';
import { library, readJson } from './process.mjs';

const source = join(library, 'src');
/** The client of Node, which `tenon` loads when it is first asked to connect. */
const CLIENT = 'runtimes/node/connect';
/** The client of all other runtimes: in a file of its own, a bundler sees that a server does without. */
const WEB_CLIENT = 'runtimes/web/connect';
/** The entry of `tenon` for bundlers. */
const BUNDLED = 'index.bundled';
const BUNDLED_PATH = join(source, `${BUNDLED}.ts`);
/** Files whose dynamic imports are static ones in that entry, because few programs use them. */
const NOW = ['connect', 'task-service'];
/**
 * Exports of `tenon` with a dynamic import. Each entry on Node has its own copy: in a shared file, bundlers would find the
 * import in programs that do not use the export.
 */
const COPIED = ['extensions/tasks/tasks', 'schemas/load-peer-schema'];
/** What asking works by, which the first handler loads that asks. */
const ASKING = 'execution/execution-runtime';
/** The work on tasks. As an entry it keeps the names of its exports, which `tenon` imports in both ways. */
const TASK_SERVICE = 'extensions/tasks/task-service';
/** The observer of messages, which the first client with `onMessage` loads. It shares code with an export of `tenon`. */
const OBSERVING = 'jsonrpc/observe-transport';
/**
 * The stores that `serveHttp` gives to its workers. Programs with `tenon/node` load this code in any case, and a file of its
 * own is larger than the code.
 */
const WORKER_STORES = 'runtimes/node/workers/serve-stores';
/** Servers on stdio and on HTTP send messages with this module. A file of its own is one more file to wait for at the start. */
const PROGRESS_GAP = 'transports/progress-gap';
/** Code for JSON Schemas, which is loaded for the first schema that needs it. */
const VALIDATING = ['schemas/compile-check', 'schemas/peer-schema', 'schemas/portable-schema'];
const { dependencies, peerDependencies } = readJson(join(library, 'package.json'));
/** What is installed beside the library. What it is built with goes into its own files. */
const installed = [...Object.keys(dependencies), ...Object.keys(peerDependencies)];
/** Tells if a module is installed, or an entry of such a package. @param {string} id */
const isInstalled = id => installed.some(name => id === name || id.startsWith(`${name}/`));

/**
 * Leaves out what a bundler would keep, such as variables with one use. Names, lines and statements stay as they are, for stack
 * traces and debuggers. @satisfies {import('rolldown').OutputOptions['minify']}
 */
export const COMPRESSED = /** @type {const} */ ({
  compress: { joinVars: false, sequences: false },
  mangle: false,
  codegen: { removeWhitespace: false },
});

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
      'parts/task-service': pathOf(TASK_SERVICE),
    },
    external: id => id.startsWith('node:') || isInstalled(id),
    platform: 'node',
    // A module in UMD form requires its parts in a way that no bundler follows.
    resolve: { extensionAlias: { '.js': ['.ts', '.js'] }, mainFields: ['module', 'main'] },
    transform: { target: 'es2022' },
    // As package.json has it: a module that nobody takes a name from is left out.
    treeshake: { moduleSideEffects: false },
    checks: { bundlerTimings: false },
    plugins: [bundledEntry, requiresAsImports, pureBeginnings, portableRuntime, baseThroughCore],
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
      minify: COMPRESSED,
      codeSplitting: { groups: parts(format) },
    });
  }
  await build.close();
}

/** @param {string} entry */
const pathOf = entry => (entry === BUNDLED ? entry : join(source, `${entry}.ts`));

/**
 * `tenon` for bundlers, with static imports in place of dynamic ones. A bundler leaves out a static import that a program
 * does not use. It makes a file of each dynamic import, and loads with the program whatever that file shares with it. The
 * entry for runtimes other than Node has static imports as well, because nearly all of its programs are bundled.
 * @type {import('rolldown').Plugin}
 */
const bundledEntry = {
  name: 'bundled-entry',
  resolveId(id, importer = '') {
    if (id === BUNDLED) return BUNDLED_PATH;
    const path = join(dirname(importer), id).replace(/\.js$/, '.ts');
    if (!COPIED.some(each => path === pathOf(each))) return undefined;
    if (importer === BUNDLED_PATH) return `${path}?bundled`;
    if (importer === pathOf('index')) return `${path}?web`;
    return importer === pathOf('index.node') ? `${path}?node` : undefined;
  },
  async load(id) {
    const [path = '', form] = id === BUNDLED_PATH ? [pathOf('index.node'), 'bundled'] : id.split('?');
    if (form === undefined) return undefined;
    const code = await readFile(path, 'utf8');
    return { code: form === 'node' ? code : importNow(code), moduleType: 'ts' };
  },
};

/** Replaces the dynamic import of a module by a static one, if it is one of `NOW`. @param {string} code */
function importNow(code) {
  const [match, name, path = ''] = /const \{ (\w+) \} = await import\('([^']+)'\)/.exec(code) ?? [];
  if (match === undefined) throw new Error(`${BUNDLED}: expected a dynamic import in each module that it copies`);
  if (!NOW.some(each => path.endsWith(`/${each}.js`))) return code;
  return `import { ${name} as now } from '${path}';\n${code.replace(match, `const { ${name} } = { ${name}: now }`)}`;
}

/**
 * Makes ES modules of packages that are bundled and call `require` for modules of Node. The code that would call `require`
 * in an ES module needs `node:module`, and would be shared with parts that run on every platform.
 * @type {import('rolldown').Plugin}
 */
const requiresAsImports = {
  name: 'requires-as-imports',
  transform: {
    order: 'pre',
    filter: { id: /[\\/]node_modules[\\/]hpagent[\\/]index\.js$/ },
    handler(code) {
      const imports = code.replace(/^const (.+) = require\('(\w+)'\)$/gm, "import $1 from 'node:$2'");
      const exported = imports.replace(/^module\.exports = \{/m, 'export default {');
      if (/\brequire\(|\bmodule\./.test(exported)) throw new Error('hpagent: its modules are not as they were');
      return { code: exported, map: null };
    },
  },
};

/**
 * Removes an import of Node from the helpers that rolldown adds, which no helper in use needs. Parts that run on every
 * platform use these helpers too.
 * @type {import('rolldown').Plugin}
 */
const portableRuntime = {
  name: 'portable-runtime',
  generateBundle(_, bundle) {
    for (const chunk of Object.values(bundle)) {
      if (chunk.type === 'chunk' && chunk.fileName.includes('rolldown-runtime'))
        chunk.code = chunk.code.replace(/^import ["']node:module["'];\n/m, '');
    }
  },
};

/**
 * Lets all parts take the code of `@tenon/base` from `core`, which most programs load. A bundler makes a file of each
 * set of modules that different parts load, and files that are compressed one by one are larger.
 * @type {import('rolldown').Plugin}
 */
const baseThroughCore = {
  name: 'base-through-core',
  generateBundle({ format }, bundle) {
    const core = bundle['parts/core.js'];
    if (format !== 'es' || core?.type !== 'chunk') return;
    /** @type {Set<string>} */
    const names = new Set();
    for (const part of Object.values(bundle)) {
      if (part.type !== 'chunk' || part.isEntry || part === core || part.imports.includes(core.fileName)) continue;
      part.code = part.code.replace(/^import \{([^}]+)\} from "@tenon\/base";$/m, (_, imported) => {
        for (const each of imported.split(',')) names.add(each.trim().split(' as ')[0]);
        return `import {${imported}} from "./core.js";`;
      });
    }
    const shared = [...names].sort();
    // Names of `core` itself, because a bundler follows names that a file only passes on.
    core.code += `import { ${shared.map(name => `${name} as ${name}$base`).join(', ')} } from "@tenon/base";
const ${shared.map(name => `${name}$core = ${name}$base`).join(', ')};
export { ${shared.map(name => `${name}$core as ${name}`).join(', ')} };\n`;
  },
};

/**
 * Says of each call that a module makes while it is loaded that it is done for its value alone: so a bundler can leave
 * out a part of a file, as it could leave out a module. @type {import('rolldown').Plugin}
 */
export const pureBeginnings = {
  name: 'pure-beginnings',
  transform(code, id) {
    const places = new Set(parseAst(code, { lang: /\.ts\b/.test(id) ? 'ts' : 'js' }).body.flatMap(callsOf));
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
 * The files that are shared, the first before the others. `core` has what clients and modules that are loaded later need
 * of a server's code, and `server-core` the rest of what a server on stdio needs. A bundler splits a program by files, so
 * a client gets nothing of `server-core`. Bundlers do not use the CommonJS form, where both are one file.
 * @param {string} format @returns {import('rolldown').CodeSplittingGroup[]}
 */
function parts(format) {
  /** @type {(modulesOf: (entry: string) => Set<string>) => Set<string>} */
  const serving = modulesOf => {
    const calling = new Set([...modulesOf('index'), ...modulesOf(CLIENT)]);
    const stdio = [...modulesOf('stdio')].filter(id => calling.has(id));
    return without('index.node', [...modulesOf('index.node'), ...stdio, pathOf(PROGRESS_GAP)]);
  };
  return [
    part('core', 3, modulesOf => {
      if (format === 'cjs') return serving(modulesOf);
      const others = new Set([CLIENT, ASKING, OBSERVING, ...VALIDATING].flatMap(entry => [...modulesOf(entry)]));
      return new Set([...serving(modulesOf)].filter(id => others.has(id)));
    }),
    part('server-core', 2, modulesOf => new Set([...serving(modulesOf), pathOf(WORKER_STORES)])),
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
      if (COPIED.some(each => id.startsWith(pathOf(each)))) return null;
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

/** The modules that are loaded with one, and itself, without the work on tasks. @param {string} from @param {Graph} graph */
function reached(from, graph) {
  const seen = new Set([from]);
  for (const id of seen) {
    for (const next of graph.getModuleInfo(id)?.importedIds ?? []) if (next !== pathOf(TASK_SERVICE)) seen.add(next);
  }
  return seen;
}
