import { createHash } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { TenonError } from 'tenon';
import { type Environment, getFolders } from '../folders.js';
import { type BundleManifest, parseManifest } from './manifest.js';
import { ARCHIVE_LIMITS, type ArchiveLimits, readArchive } from './read-archive.js';

/** Unpacked bundle. */
export interface Bundle {
  readonly manifest: BundleManifest;
  /** Folder of its files. Its name is the hash. */
  readonly folder: string;
  /** SHA-256 of the bundle, as hexadecimal digits. */
  readonly sha256: string;
  /** True if the file has a signature. It is not verified. */
  readonly isSigned: boolean;
}

/** Maximum size of a bundle, in bytes. */
export const MAX_BUNDLE = 512 * 2 ** 20;
/** End of the signature that `mcpb sign` appends. */
const SIGNATURE_END = 'MCPB_SIG_END';

/** Returns the folder of the user that has all bundles. */
export const getBundleFolder = (env: Environment): string => join(getFolders(env).state, 'bundles');

/**
 * Unpacks a bundle into a folder of the cache. The folder is complete when it exists, because it is renamed at the end.
 *
 * @param cache Folder of all bundles.
 */
export async function extractBundle(
  path: string,
  cache: string,
  limits: ArchiveLimits = ARCHIVE_LIMITS,
): Promise<Bundle> {
  const bytes = await readBundleFile(path);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const folder = join(cache, sha256);
  const isSigned = bytes.subarray(-SIGNATURE_END.length).toString('latin1') === SIGNATURE_END;
  if (!(await isFolder(folder))) await writeFiles(bytes, path, folder, limits);
  const json = await readFile(join(folder, 'manifest.json'), 'utf8').catch(() => {
    throw new TenonError('mcpb/manifest', `${path}: there is no manifest.json`, {
      expected: 'a .mcpb bundle with manifest.json at its root',
    });
  });
  return { manifest: await parseManifest(json, path), folder, sha256, isSigned };
}

async function readBundleFile(path: string): Promise<Buffer> {
  const { size } = await stat(path);
  if (size <= MAX_BUNDLE) return readFile(path);
  throw new TenonError('mcpb/archive', `${path}: the bundle is too large`, {
    expected: `at most ${MAX_BUNDLE} bytes`,
    received: `${size} bytes`,
  });
}

const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    found => found.isDirectory(),
    () => false,
  );

async function writeFiles(bytes: Buffer, label: string, folder: string, limits: ArchiveLimits): Promise<void> {
  const parent = dirname(folder);
  await mkdir(parent, { recursive: true, mode: 0o700 });
  const partial = await mkdtemp(join(parent, '.unpack-'));
  try {
    for await (const { path, bytes: content, executable } of readArchive(bytes, label, limits)) {
      const target = join(partial, ...path.split('/'));
      await mkdir(dirname(target), { recursive: true, mode: 0o700 });
      await writeFile(target, content, { flag: 'wx', mode: executable ? 0o700 : 0o600 });
    }
    await chmod(partial, 0o700);
    await rename(partial, folder);
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    // Another process may have unpacked the same bundle at the same time.
    if (!(await isFolder(folder))) throw error;
  }
}
