import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** Commits of the releases whose stored data this release reads, and which read what this release stores. */
const COMMITS = { '0.1.0': '1649ea2bd00b769308074d06d76d05b90c2eb9e6' } as const;

export type ReleaseVersion = keyof typeof COMMITS;

/** The modules of a release that the tests of several releases use. */
export interface Release {
  readonly tenon: typeof import('../../packages/tenon/src/index.node.js');
  readonly redis: typeof import('../../packages/tenon/src/redis.js');
  readonly postgres: typeof import('../../packages/tenon/src/postgres.js');
  readonly sqlite: typeof import('../../packages/tenon/src/sqlite.js');
  readonly auth: typeof import('../../packages/tenon/src/auth.node.js');
  readonly host: typeof import('../../packages/host/src/index.node.js');
  readonly http: typeof import('../../packages/tenon/src/http.js');
}

/** False in a shallow clone, which lacks the commits of earlier releases. */
export function hasRelease(version: ReleaseVersion): boolean {
  try {
    execFileSync('git', ['cat-file', '-e', `${COMMITS[version]}^{commit}`], { cwd: root, stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Loads an earlier release from its commit. Its dependencies are those of the working tree. */
export async function loadRelease(version: ReleaseVersion): Promise<Release> {
  const folder = join(root, '.cache', 'releases', version);
  if (!existsSync(folder)) extract(COMMITS[version], folder);
  return importRelease(folder, 'packages/tenon/src/host.node.ts');
}

export const loadThisRelease = (): Promise<Release> => importRelease(root, 'packages/host/src/index.node.ts');

/** @param hostFile The host was a part of the library in 0.1.0. */
async function importRelease(folder: string, hostFile: string): Promise<Release> {
  const load = (file: string) => import(/* @vite-ignore */ join(folder, file));
  const names = ['index.node.ts', 'redis.ts', 'postgres.ts', 'sqlite.ts', 'auth.node.ts', 'http.ts'];
  const files = [...names.map(name => `packages/tenon/src/${name}`), hostFile];
  const [tenon, redis, postgres, sqlite, auth, http, host] = await Promise.all(files.map(load));
  return { tenon, redis, postgres, sqlite, auth, host, http };
}

/** Writes the sources of a commit. Another process may do the same meanwhile. */
function extract(commit: string, folder: string): void {
  mkdirSync(join(folder, '..'), { recursive: true });
  const temporary = mkdtempSync(`${folder}-`);
  const index = join(temporary, '.index');
  execFileSync(
    'git',
    ['--work-tree', temporary, 'checkout', commit, '--', 'packages/tenon/src', 'packages/tenon/package.json'],
    {
      cwd: root,
      env: { ...process.env, GIT_INDEX_FILE: index },
    },
  );
  rmSync(index);
  try {
    renameSync(temporary, folder);
  } catch {
    rmSync(temporary, { recursive: true, force: true, maxRetries: 10 });
  }
}
