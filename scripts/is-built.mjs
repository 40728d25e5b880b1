// @ts-check
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './process.mjs';

/** The file that a build writes last. */
const LAST = join(root, 'packages/cli/dist/tenon.mjs');

/** Tells if the last build has all changes of the sources, and of what decides how they are built. */
export function isBuilt() {
  if (!existsSync(LAST)) return false;
  const builtAt = statSync(LAST).mtimeMs;
  const packages = readdirSync(join(root, 'packages')).map(name => join(root, 'packages', name));
  const scripts = readdirSync(join(root, 'scripts')).filter(name => name.startsWith('build'));
  const inputs = [
    ...['tsconfig.json', 'package-lock.json', ...scripts.map(name => join('scripts', name))].map(path =>
      join(root, path),
    ),
    ...packages.flatMap(listInputs),
  ];
  return inputs.every(path => statSync(path).mtimeMs < builtAt);
}

/** Tells if the package for the AI SDK is not compiled, although its peer is installed. */
export function lacksAi() {
  return existsSync(join(root, 'node_modules/ai')) && !existsSync(join(root, 'packages/ai/dist'));
}

/** The sources of a package with their folders, which change when a file is removed, and its settings. @param {string} folder */
function listInputs(folder) {
  const source = join(folder, 'src');
  const settings = readdirSync(folder).filter(name => name.endsWith('.json'));
  if (!existsSync(source)) return settings.map(name => join(folder, name));
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter(name => !/\.test\.ts$/.test(name));
  return [source, ...files.map(name => join(source, name)), ...settings.map(name => join(folder, name))];
}
