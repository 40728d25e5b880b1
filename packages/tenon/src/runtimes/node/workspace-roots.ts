import { constants } from 'node:fs';
import { access, realpath, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  type Clock,
  checkArray,
  checkEither,
  checkObject,
  checkString,
  type PeriodicRun,
  requireArgument,
  requireKnownOptions,
  runPeriodically,
  systemClock,
  TenonError,
} from '@tenon/base';
import type { RootsSource } from '../../client/options.js';
import type { Root } from '../../protocol/content.js';

/** Time between two checks of the folders while a client is connected, in milliseconds. */
const CHECK_INTERVAL = 2000;

/** A folder on this machine. A plain string is its path. `name` is the name that the server may show. */
export type WorkspaceFolder = string | { readonly path: string; readonly name?: string | undefined };

/** Options of `workspaceRoots`. */
export interface WorkspaceRootsOptions {
  /**
   * Time between two checks of the folders while a client is connected, in milliseconds.
   * @default 2,000
   */
  readonly interval?: number | undefined;
  /**
   * Called with `roots/unavailable` once when a folder is missing, is not a folder or cannot be read.
   * @default the error is ignored
   */
  readonly onError?: ((error: TenonError) => void) | undefined;
  /**
   * Source of time, for tests.
   * @default the clock of the system
   */
  readonly clock?: Clock | undefined;
}

/**
 * Folders on this machine as roots. Pass them as `roots` to `connect` or `createHost`. Several clients may share them.
 */
export interface WorkspaceRoots extends RootsSource {
  list(): Promise<readonly Root[]>;
  /** Replaces the folders. Connected clients notify their servers of the change. */
  set(folders: readonly WorkspaceFolder[]): void;
}

interface ResolvedFolder {
  readonly path: string;
  readonly name: string | undefined;
}

/**
 * Creates roots from folders on this machine. A root is the real path of a readable folder, with links resolved. The
 * folders are checked every `interval` while a client is connected, and servers are notified of changes.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/client/roots#security-considerations
 */
export function workspaceRoots(
  folders: readonly WorkspaceFolder[],
  options: WorkspaceRootsOptions = {},
): WorkspaceRoots {
  requireKnownOptions('workspaceRoots', options, { interval: true, onError: true, clock: true });
  requireArgument(
    '`folders` of workspaceRoots',
    folders,
    checkArray(checkEither(checkString, checkObject({ path: checkString }))),
  );
  return new FolderRoots(folders, options);
}

class FolderRoots implements WorkspaceRoots {
  readonly #interval: number;
  readonly #onError: (error: TenonError) => void;
  readonly #clock: Clock;
  readonly #listeners = new Set<() => void>();
  /** Folders that were reported as unavailable and are still unavailable. */
  readonly #reported = new Set<string>();
  #folders: readonly ResolvedFolder[];
  #checking: PeriodicRun | undefined;
  /** The last list that all clients got. */
  #known: string | undefined;

  constructor(folders: readonly WorkspaceFolder[], options: WorkspaceRootsOptions) {
    const { interval = CHECK_INTERVAL, onError = () => {}, clock = systemClock } = options;
    this.#interval = interval;
    this.#onError = onError;
    this.#clock = clock;
    this.#folders = folders.map(toFolder);
  }

  async list(): Promise<readonly Root[]> {
    const roots = await this.#read();
    // Later lists are not compared, because one client may have got a change that the others have not.
    this.#known ??= JSON.stringify(roots);
    return roots;
  }

  subscribe(onChange: () => void): () => void {
    // Each subscription needs its own function, because the same listener may subscribe twice.
    const notifyChange = () => onChange();
    this.#listeners.add(notifyChange);
    const onError = (error: unknown) => this.#onError(TenonError.from(error));
    const options = { clock: this.#clock, interval: this.#interval, onError };
    this.#checking ??= runPeriodically(options, () => this.#check());
    return () => {
      this.#listeners.delete(notifyChange);
      if (this.#listeners.size > 0) return;
      void this.#checking?.stop();
      this.#checking = undefined;
    };
  }

  set(folders: readonly WorkspaceFolder[]): void {
    this.#folders = folders.map(toFolder);
    void this.#check();
  }

  async #check(): Promise<void> {
    const now = JSON.stringify(await this.#read());
    if (now === this.#known) return;
    const isFirst = this.#known === undefined;
    this.#known = now;
    if (isFirst) return;
    for (const listener of [...this.#listeners]) listener();
  }

  async #read(): Promise<readonly Root[]> {
    const examined = await Promise.all(this.#folders.map(async each => ({ ...each, ...(await examineFolder(each)) })));
    for (const each of examined) this.#reportOnce(each.path, each.issue);
    return examined.flatMap(({ root }) => (root === undefined ? [] : [root]));
  }

  #reportOnce(path: string, issue: string | undefined): void {
    if (issue === undefined) return void this.#reported.delete(path);
    if (this.#reported.has(path)) return;
    this.#reported.add(path);
    this.#onError(
      new TenonError('roots/unavailable', `the folder ${path} was not added as a root`, {
        expected: 'a readable folder',
        received: issue,
        hint: 'create the folder, or allow this process to read it',
      }),
    );
  }
}

/** Returns a folder as a root, or the reason why it cannot be one. */
async function examineFolder({
  path,
  name,
}: ResolvedFolder): Promise<{ readonly root?: Root; readonly issue?: string }> {
  try {
    if (!(await stat(path)).isDirectory()) return { issue: 'something that is no folder' };
    await access(path, constants.R_OK | constants.X_OK);
  } catch (error) {
    return { issue: (error as NodeJS.ErrnoException).code ?? 'an unknown error' };
  }
  const uri = pathToFileURL(await realpath(path).catch(() => path)).href;
  return { root: { uri, ...(name === undefined ? {} : { name }) } };
}

function toFolder(folder: WorkspaceFolder): ResolvedFolder {
  const { path, name } = typeof folder === 'string' ? { path: folder, name: undefined } : folder;
  return { path: resolve(path), name };
}
