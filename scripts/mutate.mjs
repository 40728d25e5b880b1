// @ts-check
/**
 * Changes the library in small ways and counts the changes that its tests find: `npm run mutation -- --count 100`.
 *
 * The arguments without dashes name other packages, such as `issuer`, or folders below `packages/tenon/src` (default: those where
 * a fault costs most). `--count` is the number of mutants (default 60), `--seed` chooses them (default 1). The tests beside the
 * file run first, then those across files. The last line says how many mutants were killed. The exit code is 1 when fewer than
 * 90 % were.
 *
 * `--file packages/host/src/security/policy/rule-risks.ts` tries all mutants of that file instead, and prints those that
 * survive its own test and those of the nearest folder with tests, or the tests given: `-- --file path test/host/guard`.
 * Vitest starts once, so a mutant takes as long as its tests. Tests of other folders may kill what survives here.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import ts from 'typescript-5';
import { createVitest } from 'vitest/node';
import { bin, root } from './process.mjs';

const GOAL = 0.9;
const TIMEOUT = 180_000;
const SOURCES = 'packages/tenon/src';

/** Tests across files for each folder, beside those in the folder itself. @type {Record<string, string[]>} */
const TESTS = {
  jsonrpc: ['packages/tenon/src/server', 'packages/tenon/src/client', 'test/bad-input', 'test/transports'],
  protocol: ['packages/tenon/src/server', 'packages/tenon/src/client', 'test/versions', 'test/requirements'],
  execution: ['packages/tenon/src/extensions', 'test/input-requests', 'test/tasks/lives.test.ts'],
  auth: ['packages/issuer/src', 'test/auth'],
  issuer: ['test/auth'],
  'host/security': ['test/host/guard', 'test/screening'],
  stores: ['packages/tenon/src/extensions', 'test/tasks/lives.test.ts'],
};

/** @typedef {{ file: string, line: number, start: number, end: number, before: string, after: string }} Mutant */

/** @type {Record<number, string>} */
const OPERATORS = {
  [ts.SyntaxKind.EqualsEqualsEqualsToken]: '!==',
  [ts.SyntaxKind.ExclamationEqualsEqualsToken]: '===',
  [ts.SyntaxKind.LessThanToken]: '<=',
  [ts.SyntaxKind.LessThanEqualsToken]: '<',
  [ts.SyntaxKind.GreaterThanToken]: '>=',
  [ts.SyntaxKind.GreaterThanEqualsToken]: '>',
  [ts.SyntaxKind.AmpersandAmpersandToken]: '||',
  [ts.SyntaxKind.BarBarToken]: '&&',
  [ts.SyntaxKind.MinusToken]: '+',
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    count: { type: 'string', default: '60' },
    seed: { type: 'string', default: '1' },
    file: { type: 'string', multiple: true, default: [] },
  },
});
const folders = positionals.length > 0 ? positionals : Object.keys(TESTS);
const copy = copyTree();
const run = values.file.length > 0 ? tryFiles(values.file, positionals) : main();
process.exitCode = await run.finally(() => rmSync(copy, { recursive: true, force: true }));

async function main() {
  const mutants = choose(folders.flatMap(listFiles).flatMap(listMutants), Number(values.count), Number(values.seed));
  /** @type {Record<string, { killed: number, all: number }>} */
  const counts = {};
  for (const mutant of mutants) {
    const folder = folders.find(name => mutant.file.startsWith(`${getPath(name)}/`)) ?? '';
    const killer = await findKiller(mutant, folder);
    counts[folder] ??= { killed: 0, all: 0 };
    const count = counts[folder];
    count.all += 1;
    if (killer) count.killed += 1;
    console.log(`${killer ? 'killed  ' : 'SURVIVED'} ${describe(mutant)}${killer ? `  (${killer})` : ''}`);
  }
  console.log();
  for (const [folder, { killed, all }] of Object.entries(counts)) console.log(`${folder}: ${killed} of ${all}`);
  const killed = Object.values(counts).reduce((sum, count) => sum + count.killed, 0);
  console.log(`${killed} of ${mutants.length} mutants killed`);
  return killed >= mutants.length * GOAL ? 0 : 1;
}

/** Tries all mutants of some files with a single start of Vitest for each. @param {string[]} files @param {string[]} paths */
async function tryFiles(files, paths) {
  for (const file of files) {
    const own = file.replace(/\.ts$/, '.test.ts');
    const beside = existsSync(join(root, own)) ? [[own]] : [];
    const groups = paths.length > 0 ? [paths] : [...beside, [`${findTestFolder(dirname(file))}/`]];
    const mutants = listMutants(file);
    let vitest = await openVitest();
    if (await failsIn(vitest, join(copy, file), groups.flat()))
      throw new Error(`${file}: its tests fail without mutants`);
    let killed = 0;
    for (const mutant of mutants) {
      /** @type {boolean | 'hangs'} */
      let failed = false;
      for (const tests of groups) failed ||= await withMutant(mutant, path => failsIn(vitest, path, tests));
      if (failed) killed += 1;
      else console.log(`SURVIVED ${describe(mutant)}`);
      if (failed !== 'hangs') continue;
      await vitest.close();
      vitest = await openVitest();
    }
    await vitest.close();
    console.log(`${killed} of ${mutants.length} mutants of ${file} killed`);
  }
  return 0;
}

function openVitest() {
  const silent = { onTestRunEnd() {} };
  return createVitest('test', { root: copy, watch: false, bail: 1, maxWorkers: 1, reporters: [silent] });
}

/**
 * Runs tests again after a change of a file.
 * @param {import('vitest/node').Vitest} vitest @param {string} path @param {string[]} tests @returns {Promise<boolean | 'hangs'>}
 */
async function failsIn(vitest, path, tests) {
  vitest.invalidateFile(path);
  const specifications = await vitest.globTestSpecifications(tests);
  if (specifications.length === 0) throw new Error(`there are no tests in ${tests.join(' ')}`);
  const hangs = sleep(TIMEOUT, 'hangs', { ref: false });
  const result = await Promise.race([hangs, vitest.runTestSpecifications(specifications)]);
  if (typeof result === 'string') return 'hangs';
  return result.unhandledErrors.length > 0 || result.testModules.some(module => !module.ok());
}

/** Finds the nearest folder that has tests. @param {string} folder @returns {string} */
function findTestFolder(folder) {
  return hasTests(folder) ? folder : findTestFolder(dirname(folder));
}

/** @param {Mutant} mutant */
function describe({ file, line, before, after }) {
  return `${file}:${line}  ${before.slice(0, 60)} → ${after.slice(0, 60)}`.replaceAll(/\s+/g, ' ');
}

/**
 * Applies a mutant during a run.
 * @template T @param {Mutant} mutant @param {(path: string) => Promise<T>} run @returns {Promise<T>}
 */
async function withMutant(mutant, run) {
  const path = join(copy, mutant.file);
  const text = readFileSync(path, 'utf8');
  writeFileSync(path, text.slice(0, mutant.start) + mutant.after + text.slice(mutant.end));
  try {
    return await run(path);
  } finally {
    writeFileSync(path, text);
  }
}

/** Returns the group of tests that fails with this mutant; undefined when all pass. @param {Mutant} mutant @param {string} folder */
function findKiller(mutant, folder) {
  return withMutant(mutant, async () => {
    const beside = dirname(mutant.file);
    if (hasTests(beside) && !(await passes([`${beside}/`]))) return 'beside';
    if (!(await passes([`${getPath(folder)}/`, ...(TESTS[folder] ?? [])]))) return 'across files';
    return undefined;
  });
}

/** Tells if tests pass in the copy. A run that hangs counts as failed. @param {string[]} paths @returns {Promise<boolean>} */
function passes(paths) {
  // A group of its own: a mutant may loop in a worker, which outlives the process that started it.
  const child = spawn(process.execPath, [bin('vitest'), 'run', '--bail=1', '--reporter=dot', ...paths], {
    cwd: copy,
    stdio: 'ignore',
    detached: true,
  });
  const timer = setTimeout(() => endGroup(child), TIMEOUT);
  return new Promise(resolve =>
    child.on('close', code => {
      clearTimeout(timer);
      endGroup(child);
      resolve(code === 0);
    }),
  );
}

/** @param {import('node:child_process').ChildProcess} child */
function endGroup({ pid }) {
  try {
    if (pid) process.kill(-pid, 'SIGKILL');
  } catch {
    // All processes of the group have ended.
  }
}

/** Finds the sources of a package, else of a folder of the library. @param {string} name @returns {string} */
function getPath(name) {
  const ofPackage = `packages/${name}/src`;
  return existsSync(join(root, ofPackage)) ? ofPackage : `${SOURCES}/${name}`;
}

/** @param {string} folder */
function hasTests(folder) {
  return readdirSync(join(root, folder)).some(name => name.endsWith('.test.ts'));
}

/** Copies the tracked files, so that nobody's work is touched, and links to the installed packages. */
function copyTree() {
  const folder = mkdtempSync(join(tmpdir(), 'tenon-mutation-'));
  for (const { name } of readdirSync(root, { withFileTypes: true }).filter(entry => entry.isFile()))
    writeFileSync(join(folder, name), readFileSync(join(root, name)));
  // Links would lead the tests to the code without the mutant.
  for (const name of ['packages', 'test', 'scripts', 'examples', 'docs']) copyFolder(name, folder);
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

/** @param {string} path @param {string} target */
function copyFolder(path, target) {
  ts.sys.createDirectory(join(target, path));
  for (const entry of readdirSync(join(root, path), { withFileTypes: true })) {
    const name = `${path}/${entry.name}`;
    if (entry.name === 'node_modules' || entry.name === 'dist') symlinkSync(join(root, name), join(target, name));
    else if (entry.isDirectory()) copyFolder(name, target);
    else writeFileSync(join(target, name), readFileSync(join(root, name)));
  }
}

/** @param {string} folder @returns {string[]} */
function listFiles(folder) {
  const path = join(root, getPath(folder));
  if (!existsSync(path)) throw new Error(`there is no package ${folder}, and no folder ${folder} in ${SOURCES}`);
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.ts') && !/\.test\.ts$|\.d\.ts$|(^|\/)fixtures\//.test(name))
    .map(name => relative(root, join(path, name)));
}

/** @param {string} file @returns {Mutant[]} */
function listMutants(file) {
  const source = ts.createSourceFile(file, readFileSync(join(root, file), 'utf8'), ts.ScriptTarget.Latest, true);
  /** @type {Mutant[]} */
  const mutants = [];
  /** @param {ts.Node} node @param {string} after */
  const add = (node, after) => {
    const [start, end] = [node.getStart(source), node.getEnd()];
    const line = source.getLineAndCharacterOfPosition(start).line + 1;
    mutants.push({ file, line, start, end, before: source.text.slice(start, end), after });
  };
  /** @param {ts.Node} node */
  const visit = node => {
    if (ts.isTypeNode(node) || ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) return;
    if (ts.isBinaryExpression(node)) {
      const operator = OPERATORS[node.operatorToken.kind];
      if (operator && !isChoiceOfOperand(node)) add(node.operatorToken, operator);
    } else if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken)
      add(node, node.operand.getText(source));
    else if (ts.isConditionalExpression(node)) add(node, `(${node.whenTrue.getText(source)})`);
    else if (ts.isIfStatement(node)) add(node.expression, 'false');
    else if (node.kind === ts.SyntaxKind.TrueKeyword && !isOnceOfAbort(node)) add(node, 'false');
    else if (node.kind === ts.SyntaxKind.FalseKeyword) add(node, 'true');
    else if (ts.isExpressionStatement(node) && ts.isCallExpression(node.expression)) add(node, ';');
    ts.forEachChild(node, visit);
  };
  visit(source);
  return mutants;
}

/** Tells if a comparison chooses one of its operands, as `a > b ? a : b`: equal ones are the same. @param {ts.BinaryExpression} node */
function isChoiceOfOperand({ parent, left, right, operatorToken }) {
  if (!ts.isConditionalExpression(parent) || !/^[<>]/.test(operatorToken.getText())) return false;
  const operands = [left.getText(), right.getText()];
  return [parent.whenTrue, parent.whenFalse].every(branch => operands.includes(branch.getText()));
}

/** Tells if a node is the `true` of `addEventListener('abort', …, { once: true })`: signals abort once anyway. @param {ts.Node} node */
function isOnceOfAbort(node) {
  const call = node.parent.parent?.parent;
  return (
    ts.isPropertyAssignment(node.parent) &&
    node.parent.name.getText() === 'once' &&
    ts.isCallExpression(call) &&
    /\baddEventListener$/.test(call.expression.getText()) &&
    call.arguments[0]?.getText() === "'abort'"
  );
}

/** Chooses mutants at random, the same for the same seed. @param {Mutant[]} mutants @param {number} count @param {number} seed */
function choose(mutants, count, seed) {
  let state = seed >>> 0;
  // mulberry32
  const random = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const left = [...mutants];
  return Array.from(
    { length: Math.min(count, left.length) },
    () => /** @type {Mutant} */ (left.splice(Math.floor(random() * left.length), 1)[0]),
  );
}
