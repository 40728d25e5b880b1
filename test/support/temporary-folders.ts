import { mkdirSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';

/** Beginning of the name of the folder. It is short, because paths of sockets may have about 100 characters only. */
const PREFIX = 'tenon-run-';

/**
 * Set-up of a whole run: the temporary folders of all tests, and of the programs that they start, are in one folder, which is
 * deleted at the end. So are the command that `test/cli/command.ts` builds, the programs that `bundle.ts` bundles, and the
 * folders of a run that was killed.
 */
export function setup(project: TestProject): () => void {
  const parent = realpathSync(tmpdir());
  for (const name of readdirSync(parent))
    if (name.startsWith(PREFIX) && !isRunning(Number(name.slice(PREFIX.length)))) remove(join(parent, name));
  const folder = join(parent, `${PREFIX}${process.pid}`);
  // Some tests run a program as another user, who has to reach the folders in it.
  mkdirSync(folder, { recursive: true, mode: 0o711 });
  // The workers are started later, and get these variables.
  for (const variable of ['TMPDIR', 'TMP', 'TEMP']) process.env[variable] = folder;
  const programs = fileURLToPath(new URL(`../../.cache/programs/${process.pid}`, import.meta.url));
  process.env.TENON_TEST_PROGRAMS = programs;
  remove(programs);
  // Their sources may have changed.
  project.onTestsRerun(async () => remove(programs));
  return () => {
    remove(folder);
    remove(programs);
    remove(fileURLToPath(new URL(`../../packages/cli/.cache/test-${process.pid}`, import.meta.url)));
  };
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

/** Deletes a folder. Programs that are still ending may write into it, so what cannot be deleted is left to the next run. */
function remove(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  } catch {
    // The next run deletes it.
  }
}
