// @ts-check
/** What is asked of the package as its users get it: packed, and installed into an empty project. */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { build } from 'esbuild';
import { appBundles, bundles } from '../../bench/size/bundles.mjs';
import { measureBundle } from '../../bench/size/measure.mjs';
import { installPacked, installPackedPackage, installWithPacked } from '../../scripts/pack.mjs';
import { bin, compilerEnvironment, library, readJson, root, runNode, runNpm } from '../../scripts/process.mjs';

/** @type {Awaited<ReturnType<typeof installPacked>> | undefined} */
let project;

function installed() {
  if (project === undefined) throw new Error('the package is not installed: see the first step about it');
  return project;
}

/** The packages that users load beside the library. */
const siblings = ['host', 'testing', 'issuer', 'openapi', 'apps', 'skills'].map(name => `@tenon/${name}`);

export async function install() {
  project = await installPacked(['@types/node', 'zod', ...siblings]);
  await cp(join(root, 'test/package/consumer'), project.folder, { recursive: true });
}

export async function removeInstalled() {
  await project?.remove();
}

/**
 * Checks programs that use the package, each with what its platform gives it.
 * @param {'typescript' | 'typescript-5'} compiler
 */
export async function consumeTypes(compiler) {
  const { folder } = installed();
  for (const config of ['tsconfig.node.json', 'tsconfig.web.json']) checkTypes(folder, config, compiler);
  // The declarations of every entry, also of those that the programs above do not use.
  const imports = ['tenon', ...siblings].flatMap(name => {
    const { exports } = readJson(join(folder, 'node_modules', name, 'package.json'));
    const codes = Object.entries(exports).filter(([, target]) => typeof target === 'object');
    return codes.map(([path]) => `import '${join(name, path)}';`);
  });
  writeFileSync(join(folder, 'entries.mts'), imports.join('\n'));
  const { compilerOptions } = readJson(join(folder, 'tsconfig.node.json'));
  const options = { ...compilerOptions, lib: ['es2023', 'dom'] };
  writeFileSync(
    join(folder, 'tsconfig.entries.json'),
    JSON.stringify({ compilerOptions: options, files: ['entries.mts'] }),
  );
  checkTypes(folder, 'tsconfig.entries.json', compiler);
}

/**
 * Checks the types of a project, and all declarations that it uses, ours among them. The errors that those of Node have among
 * themselves are not ours.
 * @param {string} folder @param {string} config @param {'typescript' | 'typescript-5'} compiler
 */
function checkTypes(folder, config, compiler) {
  const args = [bin(compiler, 'tsc'), '-p', join(folder, config), '--pretty', 'false'];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: folder,
    encoding: 'utf8',
    env: compilerEnvironment,
  });
  const lines = stdout.split('\n').filter(line => line !== '');
  const found = lines.filter(line => !line.includes('node_modules/@types/node/') && !line.startsWith(' '));
  const faults = status !== 0 && lines.length === 0 ? [stderr] : found;
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
  return evaluated('module', code);
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

/** The files of the library that a server on stdio has loaded when it starts. */
const MOST_FILES = 4;
/** What a server on stdio needs none of: each takes milliseconds to load. */
const LATER = ['http', 'https', 'child_process', 'crypto', 'worker_threads'];

/** What a server on stdio loads to start: few files, and nothing that is for clients, for HTTP or for others. */
export async function startsSmall() {
  const listed = 'console.log(JSON.stringify([Object.keys(require.cache), process.moduleLoadList]))';
  const [files, ofNode] = evaluated('commonjs', `require('tenon'); require('tenon/stdio'); ${listed}`);
  const ours = files.filter((/** @type {string} */ file) =>
    /node_modules[\\/](?:tenon|@tenon[\\/]base)[\\/]/.test(file),
  );
  if (ours.length === 0 || ours.length > MOST_FILES || ours.length < files.length) {
    throw new Error(`a server on stdio loads more than ${MOST_FILES} files of ours to start: ${files.join(', ')}`);
  }
  const [, imported] = evaluated(
    'module',
    `import 'tenon'; import 'tenon/stdio'; console.log(JSON.stringify([[], process.moduleLoadList]))`,
  );
  for (const name of LATER) {
    if (![...ofNode, ...imported].includes(`NativeModule ${name}`)) continue;
    throw new Error(`a server on stdio loads node:${name} to start`);
  }
}

/** What the entries throw is of one class, by which users know it. */
export async function sharesItsErrors() {
  const thrown = `Promise.resolve('{').then(parseLockFile).catch(error => console.log(error instanceof TenonError))`;
  const shared = {
    module: evaluated(
      'module',
      `import { TenonError } from 'tenon'; import { parseLockFile } from '@tenon/host'; ${thrown}`,
    ),
    commonjs: evaluated(
      'commonjs',
      `const { TenonError } = require('tenon'); const { parseLockFile } = require('@tenon/host'); ${thrown}`,
    ),
  };
  for (const [form, held] of Object.entries(shared)) {
    if (held !== true) throw new Error(`${form}: an error of @tenon/host is no TenonError of tenon`);
  }
}

/**
 * Bundlers leave out what a program does not use, and keep nothing for later but what few programs use: what validates by
 * JSON Schema is loaded when there is one.
 */
export async function bundlesSmall() {
  const server = await bundleOf("import { createServer } from 'tenon'; createServer({ name: 'a', version: '1' });");
  const client = await bundleOf("import { connect } from 'tenon'; await connect('http://localhost/mcp');");
  if (!client.includes('function createClientEndpoint')) throw new Error('a bundle of a client has none');
  if (server.includes('function createClientEndpoint')) throw new Error('a bundle of a server has the client');
  // By this esbuild keeps a module for later, with all that it imports.
  const later = [...client.matchAll(/__esm\(\{\s*"([^"]+)"/g)].map(([, path = '']) => basename(path));
  if (later.includes('client.js')) throw new Error('a bundle of a client keeps the client for later');
}

/** Checks that the bundles of the smallest programs stay within their budgets. */
export const bundlesWithinBudget = () => checkBudgets(installed().folder, bundles);

/** @param {string} folder of the project that has the packages @param {typeof bundles} programs */
async function checkBudgets(folder, programs) {
  const exceeded = [];
  for (const program of programs) {
    const { name, budget } = program;
    if (budget === undefined) continue;
    const { gzipped, atStart } = await measureBundle(folder, program);
    const sizes = { oneFile: gzipped / 1024, atStart: atStart / 1024 };
    console.log(`${name}: ${sizes.oneFile.toFixed(1)} KiB, of that at start ${sizes.atStart.toFixed(1)} KiB`);
    for (const [form, size] of Object.entries(sizes)) {
      const most = budget[/** @type {keyof typeof sizes} */ (form)];
      if (size > most) exceeded.push(`${name}, ${form}: expected at most ${most} KiB, got ${size.toFixed(2)} KiB`);
    }
  }
  if (exceeded.length > 0) throw new Error(exceeded.join('\n'));
}

/** @param {string} contents */
async function bundleOf(contents) {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: installed().folder },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    logLevel: 'warning',
  });
  return outputFiles[0]?.text ?? '';
}

/** What a program in the project says, as JSON. @param {'module' | 'commonjs'} type @param {string} code */
function evaluated(type, code) {
  const args = [`--input-type=${type}`, '--eval', code];
  const child = spawnSync(process.execPath, args, { cwd: installed().folder, encoding: 'utf8' });
  if (child.status !== 0) throw new Error(child.stderr);
  return JSON.parse(child.stdout);
}

/**
 * Has a tool judge the tarball.
 * @param {string} tool the package it is in
 * @param {...string} args
 */
export async function lintPackage(tool, ...args) {
  await runNode([bin(tool), ...args, installed().tarball]);
}

/**
 * Checks a package that uses the library as it is installed beside it: the package, its types, its README, and its programs.
 * @param {string} name of its folder, and with `-consumer` of the folder of the programs
 * @param {Record<string, string>} outputs text that each program prints
 * @param {typeof bundles} [programs] programs whose bundles have budgets
 */
async function packageWorks(name, outputs, programs = []) {
  const { folder, tarball, remove } = await installPackedPackage(name, ['@types/node']);
  try {
    await runNode([bin('publint'), 'run', '--strict', tarball]);
    await runNode([bin('@arethetypeswrong/cli'), tarball, '--profile', 'esm-only']);
    await cp(join(root, `test/package/${name}-consumer`), folder, { recursive: true });
    checkTypes(folder, 'tsconfig.json', 'typescript-5');
    checkTypes(folder, 'tsconfig.json', 'typescript');
    checkLinks(join(folder, 'node_modules/@tenon', name, 'README.md'));
    await checkBudgets(folder, programs);
    for (const [program, output] of Object.entries(outputs)) {
      const { stdout, stderr } = spawnSync(process.execPath, [program], { cwd: folder, encoding: 'utf8' });
      if (stdout !== output) throw new Error(`${program}: expected it to print ${output}. Got ${stdout}${stderr}`);
    }
  } finally {
    await remove();
  }
}

/** Checks the adapters for the AI SDK by a program with a scripted model. */
export const aiAdaptersWork = () => packageWorks('ai', { 'program.mjs': 'Paris is sunny. tool-calls\n' });

/** Checks the authorization servers by programs that get a token: by import, and by require. */
export const issuerWorks = () =>
  packageWorks('issuer', { 'program.mjs': '200 Bearer 600\n', 'program.cjs': '200 Bearer 600\n' });

/**
 * Checks a package with both module forms as it is installed: the package, its README, and a program that prints a 4.
 * @param {string} name of its folder
 * @param {string} program of an ES module, after the imports of `tenon` and a server `service`
 */
async function bothFormsWork(name, program) {
  const { folder, tarball, remove } = await installPackedPackage(name);
  try {
    await runNode([bin('publint'), 'run', '--strict', tarball]);
    await runNode([bin('@arethetypeswrong/cli'), tarball]);
    checkLinks(join(folder, 'node_modules/@tenon', name, 'README.md'));
    const code = `
      import { createServer, tool } from 'tenon';
      ${program.slice(0, program.indexOf(';') + 1)}
      const service = createServer({ name: 'a', version: '1', tools: { double: tool({
        input: { type: 'object', properties: { n: { type: 'number' } } }, run: ({ n }) => String(n * 2) }) } });
      ${program.slice(program.indexOf(';') + 1)}`;
    const required = code.replace(/import (\{[^}]*\}) from ('[^']+')/g, 'const $1 = require($2)');
    for (const [form, text] of Object.entries({ module: code, commonjs: `(async () => {${required}})();` })) {
      const args = [`--input-type=${form}`, '--eval', text];
      const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
      if (!stdout.includes('"4"')) throw new Error(`@tenon/${name} as ${form}: expected a 4, got ${stdout}${stderr}`);
    }
  } finally {
    await remove();
  }
}

/** Has the host judged, and connects one to a server. */
export const hostWorks = () =>
  bothFormsWork(
    'host',
    `import { createHost } from '@tenon/host';
      const host = await createHost({ servers: { a: { service } } });
      console.log(JSON.stringify((await host.callTool('a__double', { n: 2 })).content));
      await host.close();`,
  );

/** Has the package for tests judged, and records and replays a call. */
export const testingWorks = () =>
  bothFormsWork(
    'testing',
    `import { connectPair, createRecorder, createReplayServer } from '@tenon/testing';
      const lines = [];
      const { onMessage } = createRecorder({ server: 'a', write: line => lines.push(line) }).openSession();
      const client = await connectPair(service, { onMessage });
      await client.callTool('double', { n: 2 });
      await client.close();
      const replayed = await connectPair(createReplayServer(lines.join('')));
      console.log(JSON.stringify((await replayed.callTool('double', { n: 2 })).content));
      await replayed.close();`,
  );

/** Checks the apps by a program that defines and reads one, by the types of a browser, and by the sizes of a page and a host. */
export const appsWork = () => packageWorks('apps', { 'program.mjs': '<!doctype html><p>page 200\n' }, appBundles);

/** Checks the skills by a program that serves and loads one. */
export const skillsWork = () => packageWorks('skills', { 'program.mjs': '1 true\n' });

/** Checks the servers of OpenAPI documents by a program that serves one. */
export const openapiWorks = () => packageWorks('openapi', { 'program.mjs': 'get_pets 1\n' });

/** Has the command judged, and asks it something, as it is installed beside the library. */
export async function commandAnswers() {
  const { folder, tarball, remove } = await installPackedPackage('cli');
  try {
    await runNode([bin('publint'), 'run', '--strict', tarball]);
    const { version } = readJson(join(library, 'package.json'));
    const command = join(folder, 'node_modules/.bin/tenon');
    const { stdout, stderr } = spawnSync(command, ['--version'], { cwd: folder, encoding: 'utf8' });
    if (stdout.trim() !== version) throw new Error(`tenon --version says ${stdout}${stderr} in place of ${version}`);
    checkMetrics(command, folder);
    for (const name of ['tenon', '@tenon/cli']) checkLinks(join(folder, 'node_modules', name, 'README.md'));
  } finally {
    await remove();
  }
}

/** Checks that the bundled metrics load. The gateway ends because its standard input is empty. @param {string} command @param {string} folder */
function checkMetrics(command, folder) {
  writeFileSync(join(folder, 'mcp.json'), JSON.stringify({ mcpServers: { far: { url: 'http://127.0.0.1:9/mcp' } } }));
  const args = ['gateway', '--stdio', '--trust', '--metrics', '0'];
  const env = { ...process.env, TENON_HOME: join(folder, 'home') };
  const { status, stderr } = spawnSync(command, args, {
    cwd: folder,
    encoding: 'utf8',
    input: '',
    env,
    timeout: 60_000,
  });
  if (status !== 0 || !stderr.includes('metrics: http://127.0.0.1:'))
    throw new Error(`tenon gateway --metrics ended with ${status}: ${stderr}`);
}

/** Creates a project as `npm create tenon` does, installs it, and runs its scripts and its server. */
export async function createdProjectsWork() {
  const place = await mkdtemp(join(tmpdir(), 'tenon-created-'));
  const folder = join(place, 'notes');
  /** @param {readonly string[]} args @param {string} cwd */
  const evaluate = (args, cwd) => {
    const { status, stdout, stderr } = spawnSync(args[0] ?? '', args.slice(1), { cwd, encoding: 'utf8' });
    if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}: ${stdout}${stderr}`);
    return stdout;
  };
  try {
    const program = join(root, 'packages/create-tenon/src/create-tenon.mjs');
    const created = JSON.parse(evaluate([process.execPath, program, 'notes', '--no-install', '--json'], place));
    if (created.folder !== folder) throw new Error(`expected a project in ${folder}, got ${JSON.stringify(created)}`);
    await installWithPacked(folder, ['tenon', 'cli']);
    checkTypes(folder, 'tsconfig.json', 'typescript');
    await runNpm(['test'], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
    const tenon = [process.execPath, join(folder, 'node_modules/@tenon/cli/dist/tenon.mjs')];
    const server = [...tenon, 'serve', '--stdio', 'server.ts'];
    const answer = JSON.parse(evaluate([...tenon, 'call', 'add', 'a=2', 'b=3', '--json', '--', ...server], folder));
    if (answer.structuredContent?.sum !== 5) throw new Error(`expected the sum 5, got ${JSON.stringify(answer)}`);
    await runNode([bin('publint'), 'run', '--strict', join(root, 'packages/create-tenon')]);
  } finally {
    await rm(place, { recursive: true, force: true, maxRetries: 10 });
  }
}

/** Relative links of a README lead nowhere on npm. @param {string} readme */
function checkLinks(readme) {
  const links = [...readFileSync(readme, 'utf8').matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
  const relative = links.filter(link => !/^(https:|#)/.test(link));
  if (links.length === 0 || relative.length > 0)
    throw new Error(`${readme}: expected absolute links. Got ${relative.join(', ') || 'none'}`);
}
