import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

interface Manifest {
  readonly name: string;
  readonly private?: boolean;
  readonly exports?: { readonly [path: string]: unknown };
}

/** Packages whose names change without notice. The entries of the command and of `create-tenon` are for each other. */
const INTERNAL_PACKAGES = ['@tenon/base', '@tenon/cli', 'create-tenon'];

const folder = new URL('../../packages/', import.meta.url);
const manifests = readdirSync(folder).map(
  (name): Manifest => JSON.parse(readFileSync(fileURLToPath(new URL(`${name}/package.json`, folder)), 'utf8')),
);

/** The public entries of all packages, by the name that users import: `tenon`, `tenon/node`, `@tenon/host` … */
export const ENTRIES: readonly string[] = manifests
  .filter(manifest => manifest.private !== true && !INTERNAL_PACKAGES.includes(manifest.name))
  .flatMap(({ name, exports = {} }) => Object.keys(exports).map(path => name + path.slice(1)))
  .filter(entry => !/-internals(\/|$)|\/package\.json$/.test(entry));
