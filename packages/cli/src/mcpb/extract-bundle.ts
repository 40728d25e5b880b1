import { createHash } from 'node:crypto';
import { chmod, lstat, mkdtemp, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createFolder } from '@tenon/base/node';
import { TenonError } from 'tenon';
import { type Environment, getFolders } from '../folders.js';
import { type BundleManifest, parseManifest } from './manifest.js';
import { ARCHIVE_LIMITS, type ArchiveLimits, readArchive } from './read-archive.js';
import { type RestoredFiles, restoreFiles, writeBundleFile } from './restore-files.js';

/** Unpacked bundle. */
export interface Bundle {
  readonly manifest: BundleManifest;
  /** Folder of its files. Its name is the hash. */
  readonly folder: string;
  /** SHA-256 of the bundle, as hexadecimal digits. */
  readonly sha256: string;
  /** True if the file has a signature. It is not verified. */
  readonly isSigned: boolean;
  /** Folder for the data of the server. It is empty at first. */
  readonly dataFolder: string;
  /** Differences of the folder that were corrected. */
  readonly restored: RestoredFiles;
  /** Path of the bundle. */
  readonly path: string;
  /** Reads the bundle again, and corrects the folder. Rejects if it is another bundle now. */
  readonly check: () => Promise<Bundle>;
  /** Folder with the files that were removed. */
  readonly removedFolder: string;
}

/** Maximum size of a bundle, in bytes. */
export const MAX_BUNDLE = 512 * 2 ** 20;
/** End of the signature that `mcpb sign` appends. */
const SIGNATURE_END = 'MCPB_SIG_END';

/** Returns the folder of the user that has all bundles. */
export const getBundleFolder = (env: Environment): string => join(getFolders(env).state, 'bundles');

/**
 * Unpacks a bundle into a folder of the state folder. The folder is complete when it exists, because it is renamed at the end.
 * If it exists, its files are compared with the archive, and restored if they differ.
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
  const removedFolder = join(cache, `${sha256}.removed`);
  const exists = await isFolder(folder);
  if (!exists) await writeFiles(bytes, path, folder, limits);
  const restored = exists
    ? await restoreFiles(folder, removedFolder, readArchive(bytes, path, limits))
    : { changed: [], added: [] };
  const json = await readFile(join(folder, 'manifest.json'), 'utf8').catch(() => {
    throw new TenonError('mcpb/manifest', `${path}: there is no manifest.json`, {
      expected: 'a .mcpb bundle with manifest.json at its root',
    });
  });
  const manifest = await parseManifest(json, path);
  const dataFolder = join(cache, `${sha256}.data`);
  await createFolder(dataFolder, 0o700);
  const check = async () => {
    const current = await extractBundle(path, cache, limits);
    if (current.sha256 === sha256) return current;
    throw new TenonError('mcpb/archive', `${path}: the bundle was replaced`, {
      expected: `SHA-256 ${sha256}`,
      received: `SHA-256 ${current.sha256}`,
      hint: 'restart the gateway, or send it SIGHUP, to review the other bundle',
    });
  };
  return { manifest, path, folder, sha256, isSigned, dataFolder, restored, removedFolder, check };
}

async function readBundleFile(path: string): Promise<Buffer> {
  const createReadError = (reason: string, cause?: unknown) =>
    new TenonError('mcpb/archive', `${path} cannot be read: ${reason}`, {
      hint: 'check the path and its permissions',
      cause,
    });
  const failWithCode = (error: NodeJS.ErrnoException) => {
    throw createReadError(error.code ?? error.message, error);
  };
  const stats = await stat(path).catch(failWithCode);
  // A pipe would be read for ever.
  if (!stats.isFile()) throw createReadError('it is not a file');
  const { size } = stats;
  if (size <= MAX_BUNDLE) return readFile(path).catch(failWithCode);
  throw new TenonError('mcpb/archive', `${path}: the bundle is too large`, {
    expected: `at most ${MAX_BUNDLE} bytes`,
    received: `${size} bytes`,
  });
}

const isFolder = (path: string): Promise<boolean> =>
  lstat(path).then(
    found => found.isDirectory(),
    () => false,
  );

async function writeFiles(bytes: Buffer, label: string, folder: string, limits: ArchiveLimits): Promise<void> {
  const parent = dirname(folder);
  await createFolder(parent, 0o700);
  const partial = await mkdtemp(join(parent, '.unpack-'));
  try {
    for await (const file of readArchive(bytes, label, limits)) {
      const target = join(partial, ...file.path.split('/'));
      await createFolder(dirname(target), 0o700);
      await writeBundleFile(target, file);
    }
    await chmod(partial, 0o700);
    await rename(partial, folder);
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    // Another process may have unpacked the same bundle at the same time.
    if (!(await isFolder(folder))) throw error;
  }
}
