// @ts-check
/**
 * Publishes all packages, after it has packed them and installed them together. `--dry-run` publishes nothing. The workflow
 * `release.yml` runs it for a tag, because npm signs the provenance only there.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installTogether } from './pack.mjs';
import { runNode, runNpm } from './process.mjs';
import { findReleaseErrors, listPublishedPackages } from './release-errors.mjs';
import { installTools } from './tools.mjs';

const isDryRun = process.argv.includes('--dry-run');
const packages = listPublishedPackages();
const tag = process.env.GITHUB_REF_TYPE === 'tag' ? process.env.GITHUB_REF_NAME : undefined;

const errors = findReleaseErrors(packages, tag);
if (!isDryRun && tag === undefined) errors.push('tag: not found. Push a tag such as v0.1.0, or pass --dry-run.');
if (errors.length > 0) {
  console.error(errors.join('\n'));
  process.exit(1);
}

await installTools();
// Packages that use such a tool are built only if it is installed.
await runNode(['scripts/build.mjs']);
const { folder, tarballs, remove } = await installTogether(packages.map(({ name }) => name));
try {
  for (const { name, bin, exports } of packages) {
    for (const entry of Object.keys(exports ?? {}).filter(entry => entry !== './package.json')) {
      await runNode(['--input-type=module', '-e', `await import('${join(name, entry).replaceAll('\\', '/')}')`], {
        cwd: folder,
      });
    }
    if (bin?.tenon) await runNode([join(folder, 'node_modules', name, bin.tenon), '--version'], { cwd: folder });
  }
  for (const { name, version } of packages) {
    const tarball = tarballs.get(name);
    if (tarball === undefined) throw new Error(`${name}: tarball not found. Run npm run build, and try again.`);
    if (!isDryRun) await publish(tarball);
    console.log(`${isDryRun ? 'installed' : 'published'} ${name}@${version}`);
  }
} finally {
  await remove();
}

/** Publishes from an empty folder, so that no file of this checkout is read. @param {string} tarball */
async function publish(tarball) {
  const empty = await mkdtemp(join(tmpdir(), 'tenon-publish-'));
  try {
    await runNpm(['publish', tarball], { cwd: empty });
  } finally {
    await rm(empty, { recursive: true, force: true });
  }
}
