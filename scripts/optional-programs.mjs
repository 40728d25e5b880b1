// @ts-check
/**
 * Finds the programs that some tests start and that a machine need not have. No other file looks for such a program, except
 * `browser.mjs` for Chromium. With `TENON_HIDE_PROGRAMS`, both find none, as on a machine with Node, npm and git only.
 *
 * `node scripts/optional-programs.mjs` prints the Debian packages of the missing programs.
 */
import { accessSync, constants, existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Programs, each with its Debian package. */
const debianPackages = {
  'redis-server': 'redis-server',
  'redis-cli': 'redis-tools',
  'redis-sentinel': 'redis-sentinel',
  haproxy: 'haproxy',
  postgres: 'postgresql',
  openssl: 'openssl',
  curl: 'curl',
  bash: 'bash',
  zsh: 'zsh',
  fish: 'fish',
  script: 'bsdutils',
  stty: 'coreutils',
  'systemd-analyze': 'systemd',
  'dbus-run-session': 'dbus-daemon',
  'gnome-keyring-daemon': 'gnome-keyring',
};

/** @typedef {keyof typeof debianPackages} OptionalProgram */

const names = /** @type {OptionalProgram[]} */ (Object.keys(debianPackages));

/** Folder in which Debian has the programs of Postgres, in a subfolder for each version. */
const POSTGRES_FOLDER = '/usr/lib/postgresql';

/** True if tests find no optional program. */
const areProgramsHidden = Boolean(process.env.TENON_HIDE_PROGRAMS);

/** Returns the path of a program, or `undefined` if it is missing or hidden. @param {OptionalProgram} name */
function findProgram(name) {
  if (areProgramsHidden) return undefined;
  const folders = (process.env.PATH ?? '').split(delimiter).filter(folder => folder !== '');
  // Debian has the programs of servers in /usr/sbin, which is not on the PATH of every user.
  const candidates = [...(name === 'postgres' ? listPostgresFolders() : []), ...folders, '/usr/sbin'];
  return candidates.map(folder => join(folder, name)).find(isExecutable);
}

/** Tells if all these programs were found. @param {...OptionalProgram} wanted */
export const hasPrograms = (...wanted) => wanted.every(name => findProgram(name) !== undefined);

/** Returns the path of a program, for code that runs only if `hasPrograms`. @param {OptionalProgram} name */
export function getProgram(name) {
  const path = findProgram(name);
  if (path === undefined) throw new Error(`${name} was not found. Install the Debian package ${debianPackages[name]}.`);
  return path;
}

/** Describes the missing programs in one line. Returns `undefined` if none is missing. */
export function describeMissingPrograms() {
  const missing = names.filter(name => findProgram(name) === undefined);
  if (missing.length === 0) return undefined;
  const cause = areProgramsHidden ? 'TENON_HIDE_PROGRAMS hides' : 'Not installed:';
  return `${cause} ${missing.join(', ')}. Tests that start them are skipped.`;
}

function listPostgresFolders() {
  const versions = existsSync(POSTGRES_FOLDER) ? readdirSync(POSTGRES_FOLDER) : [];
  return versions
    .sort((left, right) => Number(right) - Number(left))
    .map(version => join(POSTGRES_FOLDER, version, 'bin'));
}

/** @param {string} path */
function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const missing = names.filter(name => findProgram(name) === undefined);
  console.log(missing.map(name => debianPackages[name]).join(' '));
}
