// @ts-check
/**
 * Development tools that need a newer Node than the library does. They live in a project of their own under test/tools, and
 * are linked into node_modules, so that `npm install` of the checkout has no package which its Node is too old for.
 * `node scripts/tools.mjs` installs them where that is still to be done, or where `npm install` has removed the links.
 */
import { existsSync } from 'node:fs';
import { mkdir, rm, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { readJson, root } from './process.mjs';
import { installSideProject } from './side-project.mjs';

const folder = join(root, 'test/tools');
/** @type {Record<string, string>} */
const dependencies = readJson(join(folder, 'package.json')).dependencies;
/** Names and versions. The others are packages of the checkout that the tools share with it. */
const tools = Object.entries(dependencies).filter(([, version]) => !version.startsWith('file:'));

/** @param {string} project @param {string} name */
const manifestOf = (project, name) => join(project, 'node_modules', name, 'package.json');

/** @param {string} name @param {string} version as package.json writes it, with the name of the package if it has another one here */
function isLinked(name, version) {
  const manifest = manifestOf(root, name);
  return existsSync(manifest) && readJson(manifest).version === version.replace(/^npm:.*@/, '');
}

/** Installs the tools when one of them is missing in node_modules, or has another version. */
export async function installTools() {
  const missing = tools.filter(([name, version]) => !isLinked(name, version));
  if (missing.length === 0) return;
  const manifests = tools.map(([name]) => manifestOf(folder, name));
  await installSideProject(folder, 'tools that need a newer Node', manifests);
  for (const [name] of missing) {
    const link = join(root, 'node_modules', name);
    await rm(link, { recursive: true, force: true });
    await mkdir(dirname(link), { recursive: true });
    await symlink(join(folder, 'node_modules', name), link, 'junction');
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await installTools();
