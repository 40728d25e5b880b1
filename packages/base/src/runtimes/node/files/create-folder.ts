import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Creates a folder, and those above it that do not exist, with this mode. Rejects with the error of the system if the
 * folder cannot be created.
 *
 * The recursive form of `mkdir` tries for ever where the system reports a missing parent that exists, such as below `/proc`.
 */
export async function createFolder(path: string, mode = 0o777): Promise<void> {
  const create = () => mkdir(path, { mode });
  try {
    await create();
  } catch (error) {
    const isThere = await stat(path).then(
      found => found.isDirectory(),
      () => false,
    );
    if (isThere) return;
    const parent = dirname(path);
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT') || parent === path) throw error;
    await createFolder(parent, mode);
    await create().catch(async reason => {
      // Another process may have created it meanwhile.
      if (!(await stat(path).catch(() => undefined))?.isDirectory()) throw reason;
    });
  }
}
