// @ts-check
/** What is asked of the package as its users get it: packed, and installed into an empty project. */
import { spawnSync } from 'node:child_process';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { installPacked, installPackedCommand } from '../../scripts/pack.mjs';
import { bin, library, readJson, root, runNode } from '../../scripts/process.mjs';

/** @type {Awaited<ReturnType<typeof installPacked>> | undefined} */
let project;

function installed() {
  if (project === undefined) throw new Error('the package is not installed: see the first step about it');
  return project;
}

export async function install() {
  project = await installPacked(['@types/node', 'zod']);
  await cp(join(root, 'test/package/consumer'), project.folder, { recursive: true });
}

export async function removeInstalled() {
  await project?.remove();
}

/**
 * Checks programs that use the package, each with what its platform gives it. All declarations are checked, ours among
 * them; the errors that those of Node have among themselves are not ours.
 * @param {'typescript' | 'typescript-5'} compiler
 */
export async function consumeTypes(compiler) {
  const { folder } = installed();
  const faults = ['tsconfig.node.json', 'tsconfig.web.json'].flatMap(config => {
    const args = [bin(compiler, 'tsc'), '-p', join(folder, config), '--pretty', 'false'];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
    const lines = stdout.split('\n').filter(line => line !== '');
    const found = lines.filter(line => !line.includes('node_modules/@types/node/') && !line.startsWith(' '));
    return status !== 0 && lines.length === 0 ? [stderr] : found;
  });
  if (faults.length > 0) throw new Error(faults.join('\n'));
}

/** The names under which users load the package. */
function entries() {
  const { exports } = readJson(join(library, 'package.json'));
  const names = Object.keys(exports).filter(name => name !== './package.json');
  return names.map(name => join('tenon', name));
}

/**
 * The names that each entry exports, under the plain condition and under `node`.
 * @param {'import' | 'require'} how
 * @returns {Record<string, string[]>}
 */
function namesBy(how) {
  const load = how === 'import' ? 'await import(entry)' : 'createRequire(process.cwd() + "/x.js")(entry)';
  const code = `
    import { createRequire } from 'node:module';
    const names = {};
    for (const entry of ${JSON.stringify(entries())}) {
      const exported = Object.keys(${load});
      names[entry] = exported.filter(name => name !== 'default' && name !== 'module.exports').sort();
    }
    void createRequire;
    console.log(JSON.stringify(names));
  `;
  const args = ['--input-type=module', '--eval', code];
  const child = spawnSync(process.execPath, args, { cwd: installed().folder, encoding: 'utf8' });
  if (child.status !== 0) throw new Error(child.stderr);
  return JSON.parse(child.stdout);
}

/** @param {'import' | 'require'} how */
export async function loads(how) {
  for (const [entry, names] of Object.entries(namesBy(how))) {
    if (names.length === 0) throw new Error(`${entry} exports nothing`);
    console.log(`${entry}: ${names.join(', ')}`);
  }
}

export async function exportsMatch() {
  const [imported, required] = [namesBy('import'), namesBy('require')].map(names => JSON.stringify(names));
  if (imported !== required) throw new Error(`by import: ${imported}\nby require: ${required}`);
}

/**
 * Has a tool judge the tarball.
 * @param {string} tool the package it is in
 * @param {...string} args
 */
export async function lintPackage(tool, ...args) {
  await runNode([bin(tool), ...args, installed().tarball]);
}

/** Has the command judged, and asks it something, as it is installed beside the library. */
export async function commandAnswers() {
  const { folder, tarball, remove } = await installPackedCommand();
  try {
    await runNode([bin('publint'), 'run', '--strict', tarball]);
    const { version } = readJson(join(library, 'package.json'));
    const command = join(folder, 'node_modules/.bin/tenon');
    const { stdout, stderr } = spawnSync(command, ['--version'], { cwd: folder, encoding: 'utf8' });
    if (stdout.trim() !== version) throw new Error(`tenon --version says ${stdout}${stderr} in place of ${version}`);
  } finally {
    await remove();
  }
}
