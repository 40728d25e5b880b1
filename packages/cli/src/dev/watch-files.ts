import { type Dirent, type FSWatcher, readdirSync, watch } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';

/** Time without changes before they are reported, in milliseconds. Editors write a file in several steps. */
const SETTLE_DELAY = 50;
const SOURCES: ReadonlySet<string> = new Set(['.ts', '.tsx', '.mts', '.cts', '.js', '.jsx', '.mjs', '.cjs', '.json']);

/** Files and folders to watch. */
export interface WatchedPaths {
  /** Files. They need not exist. */
  readonly files: Iterable<string>;
  /** Folders whose source files are watched, with their subfolders. */
  readonly folders: Iterable<string>;
  /** Folders of which all files are watched, with their subfolders. */
  readonly wholeFolders?: Iterable<string> | undefined;
}

/** A watch of files. */
export interface FileWatch {
  /** Replaces the watched paths. */
  update(paths: WatchedPaths): void;
  close(): void;
}

/**
 * Calls `onChange` with the files that changed, also by a rename, or that were created or deleted. Folders are watched,
 * because replacing a file creates another file.
 */
export function watchFiles(onChange: (files: readonly string[]) => void): FileWatch {
  let watchers = new Map<string, FSWatcher>();
  let files = new Set<string>();
  let folders = new Set<string>();
  let wholeFolders = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  const changed = new Set<string>();
  const report = () => {
    const reported = [...changed];
    changed.clear();
    onChange(reported);
  };
  const handleEvent = (folder: string, name: string | null) => {
    const path = name === null ? folder : join(folder, basename(name));
    const isSource = name === null || SOURCES.has(extname(name));
    if (!files.has(path) && !wholeFolders.has(folder) && !(folders.has(folder) && isSource)) return;
    changed.add(path);
    clearTimeout(timer);
    timer = setTimeout(report, SETTLE_DELAY);
  };
  return {
    update(paths) {
      files = new Set(paths.files);
      folders = new Set([...paths.folders].flatMap(listFolders));
      wholeFolders = new Set([...(paths.wholeFolders ?? [])].flatMap(listFolders));
      const wanted = new Set([...folders, ...wholeFolders, ...[...files].map(file => dirname(file))]);
      for (const [folder, watcher] of watchers) if (!wanted.has(folder)) watcher.close();
      watchers = new Map(
        [...wanted].flatMap(folder => {
          const watcher = watchers.get(folder) ?? watchFolder(folder, name => handleEvent(folder, name));
          return watcher ? [[folder, watcher] as const] : [];
        }),
      );
    },
    close() {
      clearTimeout(timer);
      for (const watcher of watchers.values()) watcher.close();
    },
  };
}

/** Watches a folder without its subfolders. Returns undefined if it does not exist. */
function watchFolder(folder: string, onEvent: (name: string | null) => void): FSWatcher | undefined {
  try {
    // The deletion of the folder must not end the process.
    return watch(folder, (_, name) => onEvent(name)).on('error', () => onEvent(null));
  } catch {
    return undefined;
  }
}

/** Lists a folder and its subfolders, without packages and hidden folders. A file is in its folder. */
function listFolders(folder: string): string[] {
  const children = readFolder(folder);
  if (children === undefined) return [];
  const subfolders = children.filter(
    each => each.isDirectory() && each.name !== 'node_modules' && !each.name.startsWith('.'),
  );
  return [folder, ...subfolders.flatMap(({ name }) => listFolders(join(folder, name)))];
}

/** Returns `undefined` for a file, and for a folder that was deleted or that this user cannot read. */
function readFolder(folder: string): Dirent[] | undefined {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return undefined;
  }
}
