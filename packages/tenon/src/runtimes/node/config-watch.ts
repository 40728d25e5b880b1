import { createHash } from 'node:crypto';
import { type FSWatcher, realpathSync, watch } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { MAX_CONFIG_SIZE } from '../../host/config/document.js';
import { type Clock, systemClock } from '../../jsonrpc/clock.js';
import { TenonError } from '../../jsonrpc/error.js';
import { bytesOf } from './config-file.js';

/** How long a file is left alone after a change before it is read, in milliseconds: who writes it may not have ended. */
const SETTLING = 200;

export interface WatchOptions {
  readonly clock?: Clock | undefined;
  /** In milliseconds. Default 200. */
  readonly settling?: number | undefined;
}

/**
 * Calls `changed` when the content of a file is another than before, also when it is put in place by a rename, or is gone.
 * Returns what ends that. It keeps no process alive.
 *
 * @throws TenonError `config/not-found` when the folder of the file is not there.
 */
export async function watchConfig(
  path: string,
  changed: () => void,
  { clock = systemClock, settling = SETTLING }: WatchOptions = {},
): Promise<() => void> {
  const file = resolve(path);
  let stopped = false;
  let waiting: (() => void) | undefined;
  let last = digestOf(file);
  const compare = async (): Promise<void> => {
    waiting = undefined;
    const before = last;
    last = digestOf(file);
    if ((await before) !== (await last) && !stopped) changed();
  };
  // Not put off by what comes after: a folder in which much happens must not keep it from being read.
  const noticed = () => {
    if (!stopped) waiting ??= clock.after(settling, () => void compare());
  };
  const watchers = watchersOf(file, noticed);
  const stop = () => {
    stopped = true;
    waiting?.();
    for (const watcher of watchers) watcher.close();
  };
  await last;
  return stop;
}

/** The folder is watched, since a file that is replaced is another file; and that which a link leads to. */
function watchersOf(file: string, noticed: () => void): FSWatcher[] {
  const places = new Set([file, targetOf(file)]);
  const names = new Set([...places].map(place => basename(place)));
  const watchers: FSWatcher[] = [];
  try {
    for (const folder of new Set([...places].map(place => dirname(place)))) {
      const watcher = watch(folder, { persistent: false }, (_, name) => {
        // Kubernetes swaps a link beside the file, `..data`.
        if (name === null || names.has(name) || name.startsWith('..')) noticed();
      });
      // A folder that is taken away is a change, and nothing to end the process for.
      watchers.push(watcher.on('error', noticed));
    }
  } catch (cause) {
    for (const watcher of watchers) watcher.close();
    const facts = { got: (cause as NodeJS.ErrnoException).code, next: 'make the folder first', cause };
    throw new TenonError('config/not-found', `the folder of ${file} can not be watched`, facts);
  }
  return watchers;
}

function targetOf(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return file;
  }
}

async function digestOf(file: string): Promise<string> {
  try {
    return createHash('sha256')
      .update(await bytesOf(file, MAX_CONFIG_SIZE))
      .digest('hex');
  } catch (error) {
    return TenonError.from(error).code;
  }
}
