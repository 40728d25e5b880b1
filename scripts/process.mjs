// @ts-check
/** Starting other programs: what all the scripts here have in common. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));
export const library = join(root, 'packages/tenon');

/** @param {string} path @returns {any} */
export const readJson = path => JSON.parse(readFileSync(path, 'utf8'));

/**
 * The script behind a package's command. `.bin` is not used: two versions of TypeScript both claim `tsc` there.
 * @param {string} packageName
 * @param {string} [command] needed where the package has several
 * @param {string} [folder] of the package, where it is in another project
 */
export function bin(packageName, command, folder = join(root, 'node_modules', packageName)) {
  const { bin: entry } = readJson(join(folder, 'package.json'));
  return join(folder, typeof entry === 'string' ? entry : entry[command ?? Object.keys(entry)[0] ?? '']);
}

/**
 * Runs a program with our own standard streams.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {import('node:child_process').SpawnOptions} [options]
 * @returns {Promise<void>} rejects when it exits with anything but 0
 */
export function runProgram(command, args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: root, stdio: 'inherit', ...options });
    child.on('error', reject);
    child.on('exit', (code, signal) => {
      if (code === 0) resolve();
      else reject(new Error(`${[command, ...args].join(' ')} ended with ${signal ?? `exit code ${code}`}`));
    });
  });
}

/**
 * Runs a script with the Node that runs this one.
 * @param {readonly string[]} args
 * @param {import('node:child_process').SpawnOptions} [options]
 */
export const runNode = (args, options) => runProgram(process.execPath, args, options);

/**
 * The environment of the compiler of TypeScript 7. To collect unused memory takes a third of its processor time, so it does that
 * only when it has more than 3 GiB: a check of all sources needs 2.3 GiB without that, and 2 GiB with it.
 */
export const compilerEnvironment = { GOGC: 'off', GOMEMLIMIT: '3GiB', ...process.env };

/** Runs the compiler of TypeScript 7. @param {readonly string[]} args */
export const runCompiler = args => runNode([bin('typescript'), ...args], { env: compilerEnvironment });

/**
 * Runs npm: the one that started us, if one did. It works on the folder it is started in, also when an npm around us
 * works on another.
 * @param {readonly string[]} args
 * @param {import('node:child_process').SpawnOptions} [options]
 */
export function runNpm(args, options) {
  const { npm_config_local_prefix: _, npm_execpath: npm, ...env } = process.env;
  return npm?.endsWith('.js')
    ? runNode([npm, ...args], { env, ...options })
    : runProgram('npm', args, { env, ...options });
}
