// @ts-check
/** Checks that all packages can be published together, under one version. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readJson, root } from './process.mjs';

/**
 * @typedef {{
 *   folder: string, name: string, version: string, private?: boolean, bin?: Record<string, string>,
 *   exports?: Record<string, unknown>, publishConfig?: { access?: string, provenance?: boolean },
 *   repository?: { directory?: string }, dependencies?: Record<string, string>, peerDependencies?: Record<string, string>,
 * }} Package
 */

/**
 * Returns the packages that are published, each after those that it depends on.
 *
 * @returns {Package[]}
 */
export function listPublishedPackages() {
  const folders = readdirSync(join(root, 'packages'));
  const waiting = folders
    .map(folder => ({ .../** @type {Package} */ (readJson(join(root, 'packages', folder, 'package.json'))), folder }))
    .filter(entry => entry.private !== true);
  /** @type {Package[]} */
  const ordered = [];
  while (waiting.length > 0) {
    const index = waiting.findIndex(entry => !waiting.some(({ name }) => name in findOwn(entry, waiting)));
    if (index < 0) throw new Error(`${waiting.map(({ name }) => name).join(', ')} depend on each other in a circle`);
    ordered.push(...waiting.splice(index, 1));
  }
  return ordered;
}

/**
 * Returns the versions that a package requires of others.
 *
 * @param {Package} entry @param {readonly Package[]} others @returns {Record<string, string>}
 */
function findOwn({ dependencies, peerDependencies }, others) {
  const names = new Set(others.map(({ name }) => name));
  return Object.fromEntries(
    Object.entries({ ...dependencies, ...peerDependencies }).filter(([name]) => names.has(name)),
  );
}

/**
 * Lists the reasons why the packages cannot be published.
 *
 * @param {readonly Package[]} packages
 * @param {string} [tag] of the release, such as `v0.1.0`
 * @returns {string[]}
 */
export function findReleaseErrors(packages, tag) {
  const errors = [];
  const version = packages.find(({ name }) => name === 'tenon')?.version;
  if (tag !== undefined && tag !== `v${version}`)
    errors.push(`tag: cannot publish ${version}. Expected v${version}, got ${tag}. Tag the commit with the version.`);
  for (const entry of packages) {
    if (entry.version !== version)
      errors.push(`${entry.name}: version differs from tenon. Expected ${version}, got ${entry.version}.`);
    for (const [name, required] of Object.entries(findOwn(entry, packages)))
      if (required !== version)
        errors.push(`${entry.name}: version of ${name} is not exact. Expected ${version}, got ${required}.`);
    if (entry.publishConfig?.access !== 'public' || entry.publishConfig.provenance !== true)
      errors.push(`${entry.name}: publishConfig is incomplete. Expected "access": "public" and "provenance": true.`);
    if (entry.repository?.directory !== `packages/${entry.folder}`)
      errors.push(
        `${entry.name}: repository has another folder. Expected packages/${entry.folder}, which npm compares.`,
      );
  }
  const source = readFileSync(join(root, 'packages/tenon/src/version.ts'), 'utf8');
  if (!source.includes(`'${version}'`))
    errors.push(`packages/tenon/src/version.ts: version differs. Expected ${version}.`);
  const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8');
  if (!changelog.includes(`\n## [${version}]`))
    errors.push(`CHANGELOG.md: section not found. Expected "## [${version}]". Move the lines of "Unreleased" there.`);
  return errors;
}
